/**
 * Part of a fragment as a fragment of its own: the first and last GOP of a download, cut to the moment asked for.
 * Video can only begin at a key frame, so it is cut at its end alone; sound is cut at both.
 */
import { moofAndMdatHeader } from './moof.ts';
import type { TrackRun } from './moof.ts';
import type { FragmentHeader, FragmentTrackHeader } from './read-moof.ts';

/** Samples `from` (included) to `to` (left out) of a track, by index in decoding order. */
export interface SampleSpan {
  readonly from: number;
  readonly to: number;
}

export interface SubsetOptions {
  /** The sequence_number of the new fragment. */
  readonly sequence: number;
  /** By track id: ticks added to every decode time of the track; 0 for a track left out. */
  readonly shiftTicks: ReadonlyMap<number, number>;
  /** By track id: the samples to keep; a track left out is kept whole. */
  readonly keep: ReadonlyMap<number, SampleSpan>;
}

export interface ByteRange {
  /** Bytes from the start of the original moof. */
  readonly offset: number;
  readonly size: number;
}

export interface FragmentSubset {
  /** The new moof with the header of its mdat. */
  readonly head: Uint8Array;
  /** What to copy behind it from the original fragment, in this order. */
  readonly ranges: readonly ByteRange[];
  /** Bytes of head and ranges together. */
  readonly size: number;
}

/**
 * A fragment of the chosen samples. Answers `undefined` when none is left.
 * @throws RangeError when a decode time would become negative.
 */
export function subsetFragment(header: FragmentHeader, options: SubsetOptions): FragmentSubset | undefined {
  const runs: TrackRun[] = [];
  const ranges: ByteRange[] = [];
  for (const track of header.tracks) {
    const { from, to } = options.keep.get(track.trackId) ?? { from: 0, to: track.samples.length };
    const samples = track.samples.slice(from, to);
    if (samples.length === 0) continue;
    const before = track.samples.slice(0, from);
    const skippedTicks = before.reduce((sum, sample) => sum + sample.duration, 0);
    const skippedBytes = before.reduce((sum, sample) => sum + sample.size, 0);
    runs.push({
      trackId: track.trackId,
      baseDts: track.baseDts + skippedTicks + (options.shiftTicks.get(track.trackId) ?? 0),
      samples,
    });
    ranges.push({
      offset: track.dataOffset + skippedBytes,
      size: samples.reduce((sum, sample) => sum + sample.size, 0),
    });
  }
  if (runs.length === 0) return undefined;
  const head = moofAndMdatHeader(options.sequence, runs);
  return { head, ranges, size: ranges.reduce((sum, range) => sum + range.size, head.length) };
}

/**
 * How many samples from the start must be kept to show everything before `endTicks`: up to and with the last one
 * whose presentation time lies before it. Reordered pictures bring the later pictures they refer to along.
 */
export function samplesShownBefore(track: FragmentTrackHeader, endTicks: number): number {
  let count = 0;
  let dts = track.baseDts;
  track.samples.forEach((sample, index) => {
    if (dts + sample.compositionOffset < endTicks) count = index + 1;
    dts += sample.duration;
  });
  return count;
}
