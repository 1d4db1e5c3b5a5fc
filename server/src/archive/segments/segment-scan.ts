import { constants, open, type FileHandle } from 'node:fs/promises';
import { scanSegment, type ReadAt, type ScannedFragment } from '@vidette/media/fmp4/scan';
import type { FragmentHeader } from '@vidette/media/fmp4/read-moof';
import { rescaleTicks } from '@vidette/media/time';
import { primaryTrack, type Track } from '@vidette/media/track';
import type { FragmentEntry } from './fragment-index.ts';
import { checksumOf } from './fragment-sums.ts';
import { CATALOG_TIMESCALE } from './layout.ts';

/** The contents of a segment's file, from which its complete row can be derived (invariant 11). */
export interface SegmentContents {
  /** ftyp and moov; empty when the file has no complete ones. */
  readonly init: Uint8Array;
  /** Catalog ticks; undefined without a complete fragment. */
  readonly startTicks: number | undefined;
  readonly fragments: readonly FragmentEntry[];
  /** Up to the end of the last complete fragment; the rest is a torn tail. */
  readonly wholeBytes: number;
  readonly fileBytes: number;
  /** Why the scan ended before the end of the file. */
  readonly damage: string | undefined;
  /** The file is empty, or looks like a segment that was never flushed before a power failure. */
  readonly looksBegun: boolean;
}

const windowBytes = 65_536;
/** The server's own have about 1500 bytes. */
const initLikelyBytes = 16_384;

/**
 * Scans the headers of a segment's file. With `mediaFromBytes` the media of the fragments after that offset are
 * read too and must match their headers: after a power failure, bytes that were never flushed may be anything.
 * @throws system errors; EISDIR for a folder
 */
export async function readSegmentContents(path: string, mediaFromBytes?: number): Promise<SegmentContents> {
  // Does not block if the path is a pipe.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: 'EISDIR' });
    const fileBytes = facts.size;
    return await scanSegmentContents(windowedRead(handle), fileBytes, mediaFromBytes);
  } finally {
    await handle.close();
  }
}

/** The same for bytes stored anywhere. Reads past their end return fewer bytes. */
export async function scanSegmentContents(
  readAt: ReadAt,
  fileBytes: number,
  mediaFromBytes?: number,
): Promise<SegmentContents> {
  const scan = await scanSegment(readAt, fileBytes);
  const init = Uint8Array.from(await readAt(0, scan.initSize));
  const primary = primaryTrack(scan.tracks);
  const whole =
    mediaFromBytes === undefined
      ? scan.fragments
      : await audioFragments(readAt, scan.fragments, scan.tracks, mediaFromBytes);
  const last = whole.at(-1);
  const wholeBytes = last ? last.offset + last.size : scan.initSize;
  return {
    init,
    ...timesOf(whole, primary),
    wholeBytes,
    fileBytes,
    damage: scan.damage ?? (wholeBytes < fileBytes ? 'media that was never flushed' : undefined),
    looksBegun: await looksBegun(readAt, init.length, fileBytes),
  };
}

/**
 * No playable file starts like this: ftyp and moov followed by nothing, a moof, or zeros; or a part of ftyp and
 * moov.
 */
async function looksBegun(readAt: ReadAt, initBytes: number, fileBytes: number): Promise<boolean> {
  const header = Buffer.alloc(8);
  header.set((await readAt(initBytes, header.length)).subarray(0, header.length));
  const isBlank = header.every((byte) => byte === 0);
  const type = header.subarray(4).toString('latin1');
  if (initBytes > 0) return isBlank || type === 'moof';
  return isBlank || (type === 'ftyp' && fileBytes < initLikelyBytes);
}

/** Entries as the recorder writes them: each lasts until the next one begins. */
function timesOf(
  fragments: readonly ScannedFragment[],
  primary: Track | undefined,
): { startTicks: number | undefined; fragments: FragmentEntry[] } {
  if (!primary) return { startTicks: undefined, fragments: [] };
  const runs = fragments.map(({ header }) => header.tracks.find(({ trackId }) => trackId === primary.id));
  const ticks = (dts: number) => rescaleTicks(dts, primary.timescale, CATALOG_TIMESCALE);
  const entries: FragmentEntry[] = [];
  for (const [index, run] of runs.entries()) {
    const fragment = fragments[index];
    if (!run || !fragment) break;
    const next = runs[index + 1];
    entries.push({
      durationTicks: ticks(next?.baseDts ?? run.endDts) - ticks(run.baseDts),
      bytes: fragment.size,
      startsWithKey: run.samples[0]?.isKey ?? false,
    });
  }
  const first = runs[0];
  return { startTicks: first && ticks(first.baseDts), fragments: entries };
}

/**
 * The fragments up to the first one after `fromBytes` whose frames are not NAL units of the declared lengths.
 */
async function audioFragments(
  readAt: ReadAt,
  fragments: readonly ScannedFragment[],
  tracks: readonly Track[],
  fromBytes: number,
): Promise<ScannedFragment[]> {
  const audio: ScannedFragment[] = [];
  for (const fragment of fragments) {
    if (fragment.offset >= fromBytes) {
      const bytes = await readAt(fragment.offset, fragment.size);
      if (!isAudio(bytes, fragment.header, tracks)) break;
    }
    audio.push(fragment);
  }
  return audio;
}

function isAudio(bytes: Uint8Array, header: FragmentHeader, tracks: readonly Track[]): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return header.tracks.every((run) => {
    if (tracks.find(({ id }) => id === run.trackId)?.kind !== 'video') return true;
    let at = run.dataOffset;
    return run.samples.every(({ size }) => {
      const end = at + size;
      while (at < end) {
        if (at + 4 > end) return false;
        const nalBytes = view.getUint32(at);
        if (nalBytes === 0 || at + 4 + nalBytes > end) return false;
        at += 4 + nalBytes;
      }
      return true;
    });
  });
}

/**
 * Reads a whole segment file and returns the indexes of the corrupt fragments: judged by the checksum where
 * there is one, else by frames that are not NAL units of the declared lengths. Stops at the end of the headers.
 * @throws system errors
 */
export async function spoiltFragments(
  path: string,
  checksums: readonly (number | undefined)[],
): Promise<number[]> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await handle.stat();
    const readAt = windowedRead(handle);
    const { fragments, tracks } = await scanSegment(readAt, size);
    const spoilt: number[] = [];
    for (const [index, fragment] of fragments.entries()) {
      const bytes = await readAt(fragment.offset, fragment.size);
      const checksum = checksums[index];
      const isAsWritten =
        bytes.length === fragment.size &&
        (checksum === undefined ? isAudio(bytes, fragment.header, tracks) : checksumOf([bytes]) === checksum);
      if (!isAsWritten) spoilt.push(index);
    }
    return spoilt;
  } finally {
    await handle.close();
  }
}

/** The headers at the start of each fragment are close together: one read gets several. */
function windowedRead(handle: FileHandle): ReadAt {
  let start = 0;
  let window = new Uint8Array(0);
  return async (offset, length) => {
    if (offset < start || offset + length > start + window.length) {
      const bytes = new Uint8Array(Math.max(length, windowBytes));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
      start = offset;
      window = bytes.subarray(0, bytesRead);
    }
    return window.subarray(offset - start, offset - start + length);
  };
}
