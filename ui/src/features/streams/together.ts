import { limits } from '@vidette/contract/constants';

// Streams that are watched together without a saved mosaic, as they are written in the address of their wall.

/** The most streams of one wall. */
export const togetherMax = limits.mosaicTilesPerPageMax;

/** A character that no uid contains, and that an address needs not encode. */
const separator = '-';
const uidPattern = /^[a-z0-9]{1,32}$/;

/** The streams as a search parameter, in the order of the tiles. */
export function writeTogether(uids: readonly string[]): string {
  return uids.join(separator);
}

/** The uids of a search parameter: each once, without those that are none, and at most `togetherMax`. */
export function readTogether(text: string): string[] {
  const uids = text.split(separator).filter((uid) => uidPattern.test(uid));
  return [...new Set(uids)].slice(0, togetherMax);
}
