/** A list that is returned completely, in the common shape of lists. */
export function wholeList<Item>(items: Item[]) {
  return { items, total: items.length, page: 1, pageSize: Math.max(items.length, 1) };
}
