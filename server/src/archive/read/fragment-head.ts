import { readBoxHeader } from '@vidette/media/fmp4/box';
import { MalformedError } from '@vidette/media/malformed';
import { MAX_MOOF_BYTES, parseFragmentHeader, type FragmentHeader } from '@vidette/media/fmp4/read-moof';
import { Fault } from '../../base/fault.ts';
import type { SegmentReader, IndexedPosition } from '../segments/segments.ts';

/** The moof of a fragment, as stored and parsed. */
export interface FragmentHead {
  readonly moof: Uint8Array;
  readonly header: FragmentHeader;
  /** The bytes that were read with it, from the start of the fragment. */
  readonly start: Uint8Array;
}

/** The moof of a GOP is usually smaller than this, so one read is enough. */
const likelyBytes = 8_192;
/** Most key frames that begin a fragment end within this: they are read together with the moof. */
export const likelyKeyBytes = 131_072;

/**
 * @param atLeast bytes to read together with the moof, if the fragment has as many
 * @throws DamagedFootage, or Fault InternalServerError, if the file doesn't contain what the catalog says
 */
export async function readFragmentHead(
  reader: SegmentReader,
  position: IndexedPosition,
  atLeast = likelyBytes,
): Promise<FragmentHead> {
  const head = await fragmentHeadAt((offset, length) => reader.read(offset, length), position, atLeast);
  if (head) return head;
  throw (
    (await reader.distrust?.(position.offset, position.bytes)) ??
    new Fault('InternalServerError', 'An archive file does not match its catalog row.')
  );
}

/** The same; undefined if the bytes are not a moof of this fragment. @throws what reading throws */
export async function fragmentHeadAt(
  read: SegmentReader['read'],
  position: IndexedPosition,
  atLeast = likelyBytes,
): Promise<FragmentHead | undefined> {
  const start = await read(position.offset, Math.min(atLeast, position.bytes));
  const box = readBoxHeader(start);
  if (box?.type !== 'moof' || box.size === undefined || box.size > Math.min(MAX_MOOF_BYTES, position.bytes))
    return undefined;
  const moof = box.size <= start.length ? start.subarray(0, box.size) : await read(position.offset, box.size);
  try {
    return { moof, header: parseFragmentHeader(moof), start };
  } catch (error) {
    // Overwritten after its first bytes.
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}
