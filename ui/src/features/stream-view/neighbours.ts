/** The stream before or after one; undefined at the ends, and if that one is not in the list. */
export function besideOf(uids: readonly string[], uid: string, direction: 1 | -1): string | undefined {
  const place = uids.indexOf(uid);
  return place < 0 ? undefined : uids[place + direction];
}

/** The page of a list that a stream is on, from 1; the first one for a stream that is not in the list. */
export function pageOf(uids: readonly string[], uid: string, pageSize: number): number {
  return Math.floor(Math.max(0, uids.indexOf(uid)) / pageSize) + 1;
}
