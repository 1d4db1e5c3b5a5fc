/**
 * The movie fragment box and its children: ISO/IEC 14496-12 clauses 8.8.4 to 8.8.8 and 8.8.12. It covers what
 * the samples are, not where they come from: both `fragment.ts` and `subset.ts` write with it.
 */
import { ByteWriter } from '../bytes.ts';
import { writeBox, writeFullBox } from './box.ts';
import { SAMPLE_FLAGS_KEY } from './sample-flags.ts';

const TFHD = { sampleDescriptionIndex: 0x2, defaultSampleFlags: 0x20, defaultBaseIsMoof: 0x20000 } as const;
const TRUN = {
  dataOffset: 0x1,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  compositionOffset: 0x800,
} as const;

const MDAT_HEADER_BYTES = 8;
/** moof, mfhd, and for each track traf, tfhd, tfdt and the header of trun. */
const FIXED_BYTES = 8 + 16;
const TRACK_BYTES = 8 + 24 + 20 + 20;
const SAMPLE_BYTES = 16;
/** moof, mfhd and the header of mdat; and of each track traf, tfhd without a sample description, tfdt and the header of trun. */
const MOOF_BYTES = 8 + 16 + MDAT_HEADER_BYTES;
const RUN_BYTES = 8 + 20 + 20 + 20;

/** One row of a trun. */
export interface TrunSample {
  /** Ticks. */
  readonly duration: number;
  /** Bytes. */
  readonly size: number;
  /** See `sample-flags.ts`. */
  readonly flags: number;
  /** Presentation time minus decode time, ticks, signed. */
  readonly compositionOffset: number;
}

export interface TrackRun {
  readonly trackId: number;
  /** The track's sample description that the samples need, from 1; by default the first, as in trex. */
  readonly descriptionIndex?: number;
  /** Decode time of the first sample, ticks. */
  readonly baseDts: number;
  /** Not empty. */
  readonly samples: readonly TrunSample[];
}

/**
 * A MovieFragmentBox (clause 8.8.4) followed by the header of its mdat, whose body must hold the samples of each run in turn.
 *
 * Of mfhd (8.8.5): sequence_number (32). Of each traf (8.8.6): tfhd, tfdt, trun.
 * Of tfdt (8.8.12), version 1: baseMediaDecodeTime (64), ticks.
 * @throws RangeError when the media data exceed the limit of a 32-bit mdat, or a time or size its field.
 */
export function moofAndMdatHeader(sequence: number, runs: readonly TrackRun[]): Uint8Array {
  let mediaBytes = 0;
  let rows = 0;
  for (const run of runs) {
    rows += run.samples.length;
    for (const sample of run.samples) mediaBytes += checkedSize(sample);
  }
  if (mediaBytes + MDAT_HEADER_BYTES > 0xffffffff) throw new RangeError(`fragment of ${mediaBytes} bytes`);
  const out = new ByteWriter(
    FIXED_BYTES + runs.length * TRACK_BYTES + rows * SAMPLE_BYTES + MDAT_HEADER_BYTES,
  );
  const dataOffsets: { at: number; before: number }[] = [];
  let before = 0;
  writeBox(out, 'moof', () => {
    writeFullBox(out, 'mfhd', 0, 0, () => out.u32(sequence));
    for (const run of runs) {
      writeBox(out, 'traf', () => {
        tfhd(out, run.trackId, run.descriptionIndex ?? 1);
        writeFullBox(out, 'tfdt', 1, 0, () => out.u64(run.baseDts));
        dataOffsets.push({ at: trun(out, run.samples), before });
      });
      for (const sample of run.samples) before += sample.size;
    }
  });
  const mediaStart = out.position + MDAT_HEADER_BYTES;
  for (const offset of dataOffsets) out.patchU32(offset.at, mediaStart + offset.before);
  out.u32(mediaBytes + MDAT_HEADER_BYTES);
  out.ascii('mdat');
  return out.finish();
}

/** The bytes that `moofAndMdatHeader` returns for these runs. */
export function moofAndMdatHeaderBytes(runs: readonly Pick<TrackRun, 'samples'>[]): number {
  return runs.reduce((sum, { samples }) => sum + RUN_BYTES + samples.length * rowBytes(samples), MOOF_BYTES);
}

function rowBytes(samples: readonly TrunSample[]): number {
  const { withFlags, withOffsets } = fieldsOf(samples);
  return 8 + (withFlags ? 4 : 0) + (withOffsets ? 4 : 0);
}

/** The fields that not every run needs. */
function fieldsOf(samples: readonly TrunSample[]): { withFlags: boolean; withOffsets: boolean } {
  return {
    withFlags: samples.some((sample) => sample.flags !== SAMPLE_FLAGS_KEY),
    withOffsets: samples.some((sample) => sample.compositionOffset !== 0),
  };
}

function checkedSize(sample: TrunSample): number {
  const { duration, size, compositionOffset } = sample;
  if (!(duration > 0 && duration <= 0xffffffff)) throw new RangeError(`sample lasts ${duration} ticks`);
  if (!(Math.abs(compositionOffset) <= 0x7fffffff)) {
    throw new RangeError(`sample is shown ${compositionOffset} ticks after it is decoded`);
  }
  return size;
}

/**
 * TrackFragmentHeaderBox, clause 8.8.7; flags: default-base-is-moof, and those of the fields.
 *
 * - track_ID (32)
 * - sample_description_index (32): only when it is not the first, which trex names
 * - default_sample_flags (32): of samples that carry none in trun, which are all keys
 */
function tfhd(out: ByteWriter, trackId: number, descriptionIndex: number): void {
  const namesDescription = descriptionIndex !== 1;
  const flags =
    TFHD.defaultBaseIsMoof | TFHD.defaultSampleFlags | (namesDescription ? TFHD.sampleDescriptionIndex : 0);
  writeFullBox(out, 'tfhd', 0, flags, () => {
    out.u32(trackId);
    if (namesDescription) out.u32(descriptionIndex);
    out.u32(SAMPLE_FLAGS_KEY);
  });
}

/**
 * TrackRunBox, clause 8.8.8, version 1: composition offsets are signed. Flags and offsets are there only where a sample needs
 * them.
 *
 * - sample_count (32)
 * - data_offset (32): from the start of moof to the first sample's bytes
 * - for each sample: sample_duration (32), sample_size (32), sample_flags (32), sample_composition_time_offset (32)
 *
 * @returns the position of data_offset, known only when the moof is complete.
 */
function trun(out: ByteWriter, samples: readonly TrunSample[]): number {
  const { withFlags, withOffsets } = fieldsOf(samples);
  const flags =
    TRUN.dataOffset |
    TRUN.duration |
    TRUN.size |
    (withFlags ? TRUN.flags : 0) |
    (withOffsets ? TRUN.compositionOffset : 0);
  let dataOffsetAt = 0;
  writeFullBox(out, 'trun', 1, flags, () => {
    out.u32(samples.length);
    dataOffsetAt = out.position;
    out.u32(0);
    for (const sample of samples) {
      out.u32(sample.duration);
      out.u32(sample.size);
      if (withFlags) out.u32(sample.flags);
      if (withOffsets) out.i32(sample.compositionOffset);
    }
  });
  return dataOffsetAt;
}
