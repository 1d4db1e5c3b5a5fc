import type { ListedStream } from '@vidette/contract/entities';

/** The data kept about a selected stream: enough to name it after the list has scrolled on. */
export type PickedStream = Pick<ListedStream, 'uid' | 'name' | 'tags' | 'canEdit'>;

/** The selected streams by uid, in the order of selection. */
export type Picked = ReadonlyMap<string, PickedStream>;

/** Adds the streams; in a list by tags a stream appears under each of its tags, and is added once. */
export function withStreams(picked: Picked, streams: Iterable<ListedStream>): Picked {
  const next = new Map(picked);
  for (const { uid, name, tags, canEdit } of streams) next.set(uid, { uid, name, tags, canEdit });
  return next;
}

/** Removes the streams. */
export function withoutStreams(picked: Picked, streams: Iterable<PickedStream>): Picked {
  const next = new Map(picked);
  for (const { uid } of streams) next.delete(uid);
  return next;
}

/** The positions between the two, whichever comes first in the list: `first` inclusive, `end` exclusive. */
export function placesBetween(one: number, other: number): { readonly first: number; readonly end: number } {
  return { first: Math.min(one, other), end: Math.max(one, other) + 1 };
}
