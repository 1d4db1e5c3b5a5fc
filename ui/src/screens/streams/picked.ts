import type { ListedStream } from '@vidette/contract/entities';

/** What is remembered of a stream that was picked: enough to name it, wherever the list has been scrolled since. */
export type PickedStream = Pick<ListedStream, 'uid' | 'name' | 'tags'>;

/** The picked streams by their uids, in the order of picking. */
export type Picked = ReadonlyMap<string, PickedStream>;

/**
 * Adds the streams that their viewer may change; in a list by tags a stream stands under each of its tags, and is
 * picked once.
 */
export function withStreams(picked: Picked, streams: Iterable<ListedStream>): Picked {
  const next = new Map(picked);
  for (const { uid, name, tags, canEdit } of streams) if (canEdit) next.set(uid, { uid, name, tags });
  return next;
}

/** Leaves the streams out. */
export function withoutStreams(picked: Picked, streams: Iterable<PickedStream>): Picked {
  const next = new Map(picked);
  for (const { uid } of streams) next.delete(uid);
  return next;
}

/** The places from one to the other, whichever comes first in the list: `first` up to but not with `end`. */
export function placesBetween(one: number, other: number): { readonly first: number; readonly end: number } {
  return { first: Math.min(one, other), end: Math.max(one, other) + 1 };
}
