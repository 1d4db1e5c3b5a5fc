/**
 * Scans a segment file, `ftyp moov (moof mdat)*`, and reports how much of it is intact: the basis of recovery
 * and of rebuilding an index. Reads headers only, through a callback, so it depends on neither disk nor
 * platform.
 */
import { MalformedError } from '../malformed.ts';
import type { Track } from '../track.ts';
import { BOX_HEADER_MAX_BYTES, printable, readBoxHeader } from './box.ts';
import { MAX_INIT_BYTES, parseInit } from './read-init.ts';
import { MAX_MOOF_BYTES, parseFragmentHeader } from './read-moof.ts';
import type { FragmentHeader } from './read-moof.ts';

/** Returns `length` bytes of the file from `offset`; fewer only at its end. */
export type ReadAt = (offset: number, length: number) => Uint8Array | Promise<Uint8Array>;

export interface ScannedFragment {
  /** Start of the moof, bytes from the start of the file. */
  readonly offset: number;
  /** Bytes of moof and mdat. */
  readonly size: number;
  readonly header: FragmentHeader;
}

export interface SegmentScan {
  /** Empty if the file does not even begin with a complete init segment. */
  readonly tracks: readonly Track[];
  /** Bytes of ftyp and moov. */
  readonly initSize: number;
  readonly fragments: readonly ScannedFragment[];
  /** Bytes up to the end of the last complete fragment; the file may be truncated there. */
  readonly wholeSize: number;
  /** Why the scan ended before the end of the file, as text; `undefined` if all of it is complete. */
  readonly damage: string | undefined;
}

/**
 * Scans a segment file of `fileSize` bytes. Malformed bytes end the scan and are reported; errors of `read` are
 * passed on.
 */
export async function scanSegment(read: ReadAt, fileSize: number): Promise<SegmentScan> {
  const fragments: ScannedFragment[] = [];
  let tracks: readonly Track[] = [];
  let initSize = 0;
  let at = 0;
  try {
    initSize = await initEnd(read, fileSize);
    tracks = parseInit(await readWhole(read, 0, initSize));
    at = initSize;
    while (at < fileSize) {
      const scanned = await scanFragment(read, at, fileSize);
      fragments.push(scanned);
      at += scanned.size;
    }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return {
      tracks,
      initSize: tracks.length > 0 ? initSize : 0,
      fragments,
      wholeSize: at,
      damage: error.message,
    };
  }
  return { tracks, initSize, fragments, wholeSize: at, damage: undefined };
}

/** Where the moov ends. */
async function initEnd(read: ReadAt, fileSize: number): Promise<number> {
  const ftyp = await topBox(read, 0, 'ftyp', MAX_INIT_BYTES, fileSize);
  const moov = await topBox(read, ftyp.size, 'moov', MAX_INIT_BYTES - ftyp.size, fileSize);
  return ftyp.size + moov.size;
}

async function scanFragment(read: ReadAt, offset: number, fileSize: number): Promise<ScannedFragment> {
  const moof = await topBox(read, offset, 'moof', MAX_MOOF_BYTES, fileSize);
  const header = parseFragmentHeader(await readWhole(read, offset, moof.size));
  const mdat = await topBox(read, offset + moof.size, 'mdat', fileSize, fileSize);
  const size = moof.size + mdat.size;
  for (const track of header.tracks) {
    const end = track.samples.reduce((sum, sample) => sum + sample.size, track.dataOffset);
    if (track.dataOffset < moof.size + mdat.headerSize || end > size) {
      throw new MalformedError(`samples of the fragment at ${offset} are outside its mdat`);
    }
  }
  return { offset, size, header };
}

async function topBox(
  read: ReadAt,
  offset: number,
  type: string,
  maxBytes: number,
  fileSize: number,
): Promise<{ size: number; headerSize: number }> {
  const header = readBoxHeader(await read(offset, Math.min(BOX_HEADER_MAX_BYTES, fileSize - offset)));
  if (header === undefined) throw new MalformedError(`file ends inside a box header at ${offset}`);
  if (header.type !== type)
    throw new MalformedError(`box ${printable(header.type)} at ${offset} instead of ${type}`);
  if (header.size === undefined) throw new MalformedError(`box ${type} at ${offset} without a size`);
  if (header.size > maxBytes) throw new MalformedError(`box ${type} at ${offset} of ${header.size} bytes`);
  if (header.size > fileSize - offset) throw new MalformedError(`file ends inside ${type} at ${offset}`);
  return { size: header.size, headerSize: header.headerSize };
}

async function readWhole(read: ReadAt, offset: number, length: number): Promise<Uint8Array> {
  const bytes = await read(offset, length);
  if (bytes.length < length)
    throw new MalformedError(`file ends ${length - bytes.length} bytes too early at ${offset}`);
  return bytes;
}
