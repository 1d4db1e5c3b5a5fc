/** The inverse of `moof.ts`: the samples that a movie fragment describes (ISO/IEC 14496-12 clause 8.8). */
import { ByteReader } from '../bytes.ts';
import { MalformedError } from '../malformed.ts';
import { requireBox, walkBoxes } from './box.ts';
import { isDamagedByFlags, isKeyByFlags } from './sample-flags.ts';

/** The moof of a ten-minute GOP at 60 frames per second with audio is smaller. */
export const MAX_MOOF_BYTES = 4 << 20;
const MAX_SAMPLES = 1 << 18;
const MAX_TRACKS = 16;
/**
 * Total of all samples of a fragment: with parameter sets added, and after a longer moof, offsets still fit
 * into signed 32 bits.
 */
const MAX_MEDIA_BYTES = 0x7fffffff - 2 * MAX_MOOF_BYTES;
/** The maximum of a 32-bit field: a whole GOP may be written as one sample (see `key-fragment.ts`). */
const MAX_TICKS = 0xffffffff;
/** Leaves room for shifting; in ticks of 90 kHz the year 3500. */
const MAX_DTS = 2 ** 52;
const MAX_COMPOSITION_OFFSET = 0x7fffffff;
const MDAT_HEADER_BYTES = 8;

/** Which fields a tfhd has: clause 8.8.7.1. */
export const TFHD = {
  baseDataOffset: 0x1,
  sampleDescriptionIndex: 0x2,
  defaultDuration: 0x8,
  defaultSize: 0x10,
  defaultFlags: 0x20,
} as const;
/** Which fields a trun has: clause 8.8.8.1. */
export const TRUN = {
  dataOffset: 0x1,
  firstSampleFlags: 0x4,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  compositionOffset: 0x800,
} as const;

export interface FragmentSample {
  /** Ticks. */
  readonly duration: number;
  /** Bytes. */
  readonly size: number;
  readonly flags: number;
  readonly isKey: boolean;
  readonly isDamaged: boolean;
  /** Presentation time minus decode time, ticks, signed. */
  readonly compositionOffset: number;
}

export interface FragmentTrackHeader {
  readonly trackId: number;
  /** The track's sample description that the samples need, from 1. */
  readonly descriptionIndex: number;
  /** Decode time of the first sample, ticks. */
  readonly baseDts: number;
  /** Decode time at which the last sample ends, ticks. */
  readonly endDts: number;
  readonly samples: readonly FragmentSample[];
  /** Bytes from the start of the moof to the first sample; the samples are contiguous. */
  readonly dataOffset: number;
}

export interface FragmentHeader {
  readonly sequence: number;
  /** Bytes of the moof box. */
  readonly moofSize: number;
  readonly tracks: readonly FragmentTrackHeader[];
}

/**
 * Reads a moof box, including its header. It must be laid out as this project writes fragments: data offsets
 * relative to the moof, the samples of a track contiguous, defaults in tfhd, not in trex (except for the first
 * sample description). Whatever is read here can be written by `moof.ts` again, completely or partly.
 * @throws MalformedError if it is truncated, inconsistent, has another layout, or exceeds the limits above
 */
export function parseFragmentHeader(moof: Uint8Array): FragmentHeader {
  if (moof.length > MAX_MOOF_BYTES) throw new MalformedError(`moof of ${moof.length} bytes`);
  const [box] = walkBoxes(moof);
  if (box === undefined || box.type !== 'moof') throw new MalformedError('not a moof');
  const mfhd = new ByteReader(requireBox(box.body, 'mfhd'));
  mfhd.skip(4);
  const sequence = mfhd.u32();
  const tracks: FragmentTrackHeader[] = [];
  let budget = MAX_SAMPLES;
  let mediaBytes = 0;
  for (const child of walkBoxes(box.body)) {
    if (child.type !== 'traf') continue;
    if (tracks.length === MAX_TRACKS) throw new MalformedError(`more than ${MAX_TRACKS} tracks`);
    const track = parseTraf(child.body, budget);
    if (track.dataOffset < box.size + MDAT_HEADER_BYTES) throw new MalformedError('samples inside the moof');
    budget -= track.samples.length;
    mediaBytes += bytesOf(track);
    if (mediaBytes > MAX_MEDIA_BYTES) throw new MalformedError(`fragment of over ${MAX_MEDIA_BYTES} bytes`);
    tracks.push(track);
  }
  return { sequence, moofSize: box.size, tracks };
}

function bytesOf({ samples }: FragmentTrackHeader): number {
  return samples.reduce((sum, { size }) => sum + size, 0);
}

interface SampleDefaults {
  readonly trackId: number;
  readonly descriptionIndex: number;
  readonly duration: number;
  readonly size: number;
  readonly flags: number;
}

function parseTraf(traf: Uint8Array, budget: number): FragmentTrackHeader {
  const defaults = parseTfhd(requireBox(traf, 'tfhd'));
  const baseDts = parseTfdt(requireBox(traf, 'tfdt'));
  const samples: FragmentSample[] = [];
  let dataOffset: number | undefined;
  let expectedOffset = 0;
  let endDts = baseDts;
  for (const box of walkBoxes(traf)) {
    if (box.type !== 'trun') continue;
    const run = parseTrun(box.body, defaults, budget - samples.length);
    if (run.dataOffset === undefined) {
      if (dataOffset === undefined) throw new MalformedError('trun without a data offset');
    } else if (dataOffset === undefined) {
      dataOffset = run.dataOffset;
      expectedOffset = dataOffset;
    } else if (run.dataOffset !== expectedOffset) {
      throw new MalformedError('runs of one track are not contiguous');
    }
    for (const sample of run.samples) {
      samples.push(sample);
      expectedOffset += sample.size;
      endDts += sample.duration;
    }
  }
  if (dataOffset === undefined || samples.length === 0) throw new MalformedError('traf without samples');
  if (endDts - baseDts > MAX_TICKS) throw new MalformedError(`fragment of over ${MAX_TICKS} ticks`);
  if (endDts > MAX_DTS) throw new MalformedError('decode time exceeds 2^52');
  const { trackId, descriptionIndex } = defaults;
  return { trackId, descriptionIndex, baseDts, endDts, samples, dataOffset };
}

/** Clause 8.8.7. */
function parseTfhd(tfhd: Uint8Array): SampleDefaults {
  const reader = new ByteReader(tfhd);
  reader.skip(1);
  const flags = reader.u24();
  const trackId = reader.u32();
  if ((flags & TFHD.baseDataOffset) !== 0) throw new MalformedError('tfhd with an absolute data offset');
  const descriptionIndex = (flags & TFHD.sampleDescriptionIndex) !== 0 ? reader.u32() : 1;
  const duration = (flags & TFHD.defaultDuration) !== 0 ? reader.u32() : 0;
  const size = (flags & TFHD.defaultSize) !== 0 ? reader.u32() : 0;
  const sampleFlags = (flags & TFHD.defaultFlags) !== 0 ? reader.u32() : 0;
  return { trackId, descriptionIndex, duration, size, flags: sampleFlags };
}

/** Clause 8.8.12. */
function parseTfdt(tfdt: Uint8Array): number {
  const reader = new ByteReader(tfdt);
  const version = reader.u8();
  reader.skip(3);
  return version === 1 ? reader.u64() : reader.u32();
}

interface ParsedRun {
  readonly dataOffset: number | undefined;
  readonly samples: readonly FragmentSample[];
}

/** Clause 8.8.8. */
function parseTrun(trun: Uint8Array, defaults: SampleDefaults, budget: number): ParsedRun {
  const reader = new ByteReader(trun);
  const version = reader.u8();
  const has = reader.u24();
  const count = reader.u32();
  if (count > budget) throw new MalformedError(`more than ${MAX_SAMPLES} samples`);
  const dataOffset = (has & TRUN.dataOffset) !== 0 ? reader.i32() : undefined;
  const firstFlags = (has & TRUN.firstSampleFlags) !== 0 ? reader.u32() : undefined;
  const samples: FragmentSample[] = [];
  for (let i = 0; i < count; i++) {
    const duration = (has & TRUN.duration) !== 0 ? reader.u32() : defaults.duration;
    const size = (has & TRUN.size) !== 0 ? reader.u32() : defaults.size;
    const ownFlags = (has & TRUN.flags) !== 0 ? reader.u32() : defaults.flags;
    const flags = i === 0 ? (firstFlags ?? ownFlags) : ownFlags;
    const compositionOffset =
      (has & TRUN.compositionOffset) === 0 ? 0 : version === 0 ? reader.u32() : reader.i32();
    if (duration === 0) throw new MalformedError('sample without duration');
    if (Math.abs(compositionOffset) > MAX_COMPOSITION_OFFSET) {
      throw new MalformedError(`sample shown ${compositionOffset} ticks after it is decoded`);
    }
    samples.push({
      duration,
      size,
      flags,
      isKey: isKeyByFlags(flags),
      isDamaged: isDamagedByFlags(flags),
      compositionOffset,
    });
  }
  return { dataOffset, samples };
}
