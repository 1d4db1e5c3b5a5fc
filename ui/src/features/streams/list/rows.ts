// The position of each stream in a long list, by arithmetic alone: pages load in any order, or never.

/** A group of consecutive streams under one heading, as the list call counts them; null is "no tag". */
export interface RowGroup {
  readonly name: string | null;
  readonly total: number;
}

/** One line of the list: a group's heading, or some streams by their positions in the whole list. */
export type ListRow =
  | { readonly kind: 'heading'; readonly group: RowGroup }
  | { readonly kind: 'streams'; readonly first: number; readonly count: number };

/**
 * Lays the list out in rows.
 * @param total the number of positions in the list
 * @param groups the groups in order; empty for a list without headings
 * @param columns streams in a row, at least 1
 */
export function layRows(total: number, groups: readonly RowGroup[], columns: number): ListRow[] {
  const rows: ListRow[] = [];
  let first = 0;
  const add = (end: number) => {
    for (; first < end; first += columns) {
      rows.push({ kind: 'streams', first, count: Math.min(columns, end - first) });
    }
    first = end;
  };
  for (const group of groups) {
    rows.push({ kind: 'heading', group });
    add(first + group.total);
  }
  if (groups.length === 0) add(total);
  return rows;
}

/** The pages (from 1) that the given rows need, in order. */
export function pagesOf(rows: readonly ListRow[], pageSize: number): number[] {
  const pages = new Set<number>();
  for (const row of rows) {
    if (row.kind === 'heading' || row.count === 0) continue;
    pages.add(Math.floor(row.first / pageSize) + 1);
    pages.add(Math.floor((row.first + row.count - 1) / pageSize) + 1);
  }
  return [...pages].sort((one, other) => one - other);
}

/** The number of tiles in a row; tiles are a little larger on walls, where people stand further away. */
export function columnsFor(widthPx: number, gapPx: number): number {
  const tilePx = widthPx < 700 ? 240 : widthPx < 2000 ? 280 : widthPx < 2900 ? 340 : 510;
  return Math.max(1, Math.floor((widthPx + gapPx) / (tilePx + gapPx)));
}

/** The top of each row, in pixels from the top of the list, and after the last one the end of the list. */
export function rowTops(
  rows: readonly ListRow[],
  heightsPx: Readonly<Record<ListRow['kind'], number>>,
): number[] {
  const tops = [0];
  for (const [index, row] of rows.entries()) tops.push((tops[index] ?? 0) + heightsPx[row.kind]);
  return tops;
}

/**
 * The rows that intersect a range of the list.
 * @param tops as `rowTops` returns them
 * @returns the first row's index, and the index after the last one's
 */
export function rowsBetween(
  tops: readonly number[],
  fromPx: number,
  toPx: number,
): { readonly first: number; readonly end: number } {
  const first = firstAbove(tops, fromPx) - 1;
  const end = firstAbove(tops, toPx);
  const rows = tops.length - 1;
  return { first: Math.min(Math.max(0, first), rows), end: Math.min(Math.max(0, end), rows) };
}

/** Index of the first value that is greater than `limit`; the values never decrease. */
function firstAbove(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
