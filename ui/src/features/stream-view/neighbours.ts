import type { ListedStream } from '@vidette/contract/entities';

/** The stream before or after one; undefined at the ends, and if that one is not in the list. */
export function besideOf(
  streams: readonly Pick<ListedStream, 'uid'>[],
  uid: string,
  direction: 1 | -1,
): string | undefined {
  const place = streams.findIndex((stream) => stream.uid === uid);
  return place < 0 ? undefined : streams[place + direction]?.uid;
}
