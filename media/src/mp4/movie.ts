/**
 * The tracks and samples of an MP4 file that another program has written: ISO/IEC 14496-12, with sample tables, with fragments,
 * or with both. Only boxes are read, through a callback; the media stay where they are.
 */
import { ByteReader } from '../bytes.ts';
import {
  BOX_HEADER_MAX_BYTES,
  findBox,
  printable,
  readBoxHeader,
  requireBox,
  walkBoxes,
} from '../fmp4/box.ts';
import { parseTrak } from '../fmp4/read-init.ts';
import { MAX_MOOF_BYTES } from '../fmp4/read-moof.ts';
import type { ReadAt } from '../fmp4/scan.ts';
import { MalformedError } from '../malformed.ts';
import type { Track } from '../track.ts';
import { type MovieSample, SampleBudget } from './movie-samples.ts';
import { samplesOfTable } from './sample-table.ts';
import { appendFragment, trackDefaults, type SampleDefaults } from './track-fragments.ts';

/** The sample tables of an hour take less than a tenth. */
const MAX_MOOV_BYTES = 32 << 20;
const MAX_TRACKS = 16;
/** With which MP4 and QuickTime files begin. */
const firstTypes = new Set(['ftyp', 'styp', 'moov', 'moof', 'mdat', 'free', 'skip', 'wide', 'uuid', 'sidx']);
/** Parts of 0.1 s for two hours, each a moof and an mdat. */
const MAX_BOXES = 150_000;

export interface MovieTrack {
  /** With the timescale of the file. */
  readonly track: Track;
  /** To be added to decode times to get those of the movie, which all tracks share: from the edit list, seconds. */
  readonly offsetSeconds: number;
  /** In decoding order; those whose bytes are in the file. */
  readonly samples: readonly MovieSample[];
}

export interface Movie {
  /** The tracks that can be played; not empty. */
  readonly tracks: readonly MovieTrack[];
  /** Why other tracks can't, one text each. */
  readonly leftOut: readonly string[];
  /** Samples are described in fragments: the file may have been growing. */
  readonly isFragmented: boolean;
  /** The file ends before the last sample that it describes, or inside a box. */
  readonly isTruncated: boolean;
  /** When it begins, ms since the epoch; undefined if the file doesn't say it. */
  readonly startMs?: number | undefined;
}

/**
 * Reads the boxes of a file of `fileSize` bytes.
 * @throws MalformedError if it has no moov, no track that can be played, or none with samples; what `read` throws
 */
export async function readMovie(read: ReadAt, fileSize: number): Promise<Movie> {
  const { moov, moofs, isTruncated } = await readBoxes(read, fileSize);
  if (!moov) throw new MalformedError('it has no moov box: the recording was not finished');
  const declared = declaredTracks(moov);
  const budget = new SampleBudget();
  const samples = new Map(declared.traks.map(({ track, stbl }) => [track.id, samplesOfTable(stbl, budget)]));
  const defaults: ReadonlyMap<number, SampleDefaults> = trackDefaults(findBox(moov, 'mvex')?.body);
  for (const { offset, body } of moofs) appendFragment(body, offset, defaults, samples, budget);
  let isCut = isTruncated;
  const tracks = declared.traks.flatMap(({ track, offsetSeconds }): MovieTrack[] => {
    const all = samples.get(track.id) ?? [];
    const end = all.findIndex(({ position, size }) => position + size > fileSize);
    if (end >= 0) isCut = true;
    const whole = end < 0 ? all : all.slice(0, end);
    return whole.length > 0 ? [{ track, offsetSeconds, samples: whole }] : [];
  });
  if (tracks.length === 0) throw new MalformedError(declared.leftOut[0] ?? 'it has no samples');
  return {
    tracks,
    leftOut: declared.leftOut,
    isFragmented: moofs.length > 0,
    isTruncated: isCut,
    startMs: startOf(moov),
  };
}

interface FoundBoxes {
  readonly moov: Uint8Array | undefined;
  readonly moofs: readonly { readonly offset: number; readonly body: Uint8Array }[];
  readonly isTruncated: boolean;
}

async function readBoxes(read: ReadAt, fileSize: number): Promise<FoundBoxes> {
  let moov: Uint8Array | undefined;
  const moofs: { offset: number; body: Uint8Array }[] = [];
  let at = 0;
  for (let boxes = 0; at < fileSize; boxes++) {
    if (boxes === MAX_BOXES) throw new MalformedError(`more than ${MAX_BOXES} boxes`);
    const header = readBoxHeader(await read(at, Math.min(BOX_HEADER_MAX_BYTES, fileSize - at)));
    if (!header) return { moov, moofs, isTruncated: true };
    const size = header.size ?? fileSize - at;
    const isRead = header.type === 'moov' || header.type === 'moof';
    if (at === 0 && !firstTypes.has(header.type)) throw new MalformedError('it is no MP4 file');
    if (at + size > fileSize) return { moov, moofs, isTruncated: true };
    if (isRead) {
      const limit = header.type === 'moov' ? MAX_MOOV_BYTES : MAX_MOOF_BYTES;
      if (size > limit) throw new MalformedError(`${printable(header.type)} of ${size} bytes`);
      // A copy: the callback may use its buffer again.
      const body = Uint8Array.from(await read(at, size)).subarray(header.headerSize);
      if (body.length < size - header.headerSize) return { moov, moofs, isTruncated: true };
      if (header.type === 'moof') moofs.push({ offset: at, body });
      else moov ??= body;
    }
    at += size;
  }
  return { moov, moofs, isTruncated: false };
}

interface DeclaredTrack {
  readonly track: Track;
  readonly offsetSeconds: number;
  readonly stbl: Uint8Array;
}

/** Of several video tracks the first is used, and of several audio tracks. */
function declaredTracks(moov: Uint8Array): { traks: readonly DeclaredTrack[]; leftOut: readonly string[] } {
  const traks: DeclaredTrack[] = [];
  const leftOut: string[] = [];
  const movieTimescale = timescaleOf(requireBox(moov, 'mvhd'));
  let count = 0;
  for (const { type, body } of walkBoxes(moov)) {
    if (type !== 'trak') continue;
    if (++count > MAX_TRACKS) throw new MalformedError(`more than ${MAX_TRACKS} tracks`);
    const stbl = requireBox(requireBox(requireBox(body, 'mdia'), 'minf'), 'stbl');
    try {
      const [track, ...others] = parseTrak(body);
      if (!track || others.length > 0) throw new MalformedError('several sample descriptions');
      if (traks.some(({ track: { kind } }) => kind === track.kind))
        leftOut.push(`a second ${track.kind} track`);
      else traks.push({ track, offsetSeconds: editOffset(body, movieTimescale, track.timescale), stbl });
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      // Without its video a recording is not worth showing.
      if (handlerOf(body) === 'vide') throw error;
      leftOut.push(error.message);
    }
  }
  return { traks, leftOut };
}

/** Clause 8.4.3. */
function handlerOf(trak: Uint8Array): string {
  const reader = new ByteReader(requireBox(requireBox(trak, 'mdia'), 'hdlr'));
  reader.skip(8);
  return reader.ascii(4);
}

/** Of mvhd, clause 8.2.2. */
function timescaleOf(mvhd: Uint8Array): number {
  const reader = new ByteReader(mvhd);
  reader.skip(mvhd[0] === 1 ? 20 : 12);
  return reader.u32() || 1;
}

/** Beginning and end of the times that a recording can have. */
const years = { fromMs: Date.UTC(2000), toMs: Date.UTC(2101) };

/** MediaMTX notes the start of a recording in a box of its own, `mtxi`: version and flags, UUID, number, decode time, time in ns. */
function startOf(moov: Uint8Array): number | undefined {
  const notes = [...walkBoxes(moov)].flatMap(({ type, body }) => (type === 'udta' ? [noteIn(body)] : []));
  const mtxi = notes.find((body) => body !== undefined);
  if (!mtxi || mtxi.length < 44) return undefined;
  const reader = new ByteReader(mtxi);
  reader.skip(36);
  // The last bits of a time in ns are lost: 256 ns.
  const ms = (reader.u32() * 2 ** 32 + reader.u32()) / 1e6;
  return ms >= years.fromMs && ms < years.toMs ? ms : undefined;
}

/** What others write into `udta` need not be boxes, and QuickTime ends it with four zeros. */
function noteIn(udta: Uint8Array): Uint8Array | undefined {
  try {
    return findBox(udta, 'mtxi')?.body;
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return undefined;
  }
}

/**
 * Clause 8.6.6: empty edits at the beginning delay a track, and the first other edit says at which time of the track it
 * begins. Further edits, which recordings don't have, are ignored.
 */
function editOffset(trak: Uint8Array, movieTimescale: number, timescale: number): number {
  const elst = findBox(findBox(trak, 'edts')?.body ?? new Uint8Array(), 'elst')?.body;
  if (!elst) return 0;
  const reader = new ByteReader(elst);
  const isWide = reader.u8() === 1;
  reader.skip(3);
  let delayTicks = 0;
  for (let left = reader.u32(); left > 0; left--) {
    const durationTicks = isWide ? reader.u64() : reader.u32();
    // -1 stands for an empty edit; a time above 2^31 is not one of a recording.
    if (isWide) reader.skip(4);
    const mediaTicks = reader.i32();
    reader.skip(4);
    if (mediaTicks !== -1) return delayTicks / movieTimescale - mediaTicks / timescale;
    delayTicks += durationTicks;
  }
  return delayTicks / movieTimescale;
}
