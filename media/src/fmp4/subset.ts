/**
 * Part of a fragment as a fragment of its own: the first and last GOP of a download, cut to the requested time.
 * Video can only start at a key frame, so it is cut only at its end; audio is cut at both.
 */
import { moofAndMdatHeader } from './moof.ts';
import type { TrackRun } from './moof.ts';
import type { OriginalRange, EditedFragment, FragmentLayout } from './fragment-layout.ts';
import type { FragmentHeader, FragmentTrackHeader } from './read-moof.ts';

/** Samples `from` (inclusive) to `to` (exclusive) of a track, by index in decoding order. */
export interface SampleSpan {
  readonly from: number;
  readonly to: number;
}

export interface SubsetOptions extends FragmentLayout {
  /** By track id of the original: the samples to keep; a missing track is kept completely. */
  readonly keep: ReadonlyMap<number, SampleSpan>;
}

/**
 * A fragment of the chosen samples. Returns `undefined` if none is left.
 * @throws RangeError if a decode time would become negative
 */
export function subsetFragment(header: FragmentHeader, options: SubsetOptions): EditedFragment | undefined {
  const runs: TrackRun[] = [];
  const media: (Uint8Array | OriginalRange)[] = [];
  let mediaBytes = 0;
  for (const track of header.tracks) {
    const { from, to } = options.keep.get(track.trackId) ?? { from: 0, to: track.samples.length };
    const [first, ...others] = track.samples.slice(from, to);
    if (first === undefined) continue;
    const layout = options.layouts?.get(track.trackId);
    const sets = layout?.parameterSets ?? new Uint8Array();
    const before = track.samples.slice(0, from);
    const skippedTicks = before.reduce((sum, sample) => sum + sample.duration, 0);
    const skippedBytes = before.reduce((sum, sample) => sum + sample.size, 0);
    const keptBytes = others.reduce((sum, sample) => sum + sample.size, first.size);
    runs.push({
      trackId: layout?.trackId ?? track.trackId,
      descriptionIndex: layout?.descriptionIndex ?? 1,
      baseDts: track.baseDts + skippedTicks + (options.timeOffsetTicks.get(track.trackId) ?? 0),
      samples: [{ ...first, size: first.size + sets.length }, ...others],
    });
    if (sets.length > 0) media.push(sets);
    media.push({ offset: track.dataOffset + skippedBytes, size: keptBytes });
    mediaBytes += sets.length + keptBytes;
  }
  if (runs.length === 0) return undefined;
  const head = moofAndMdatHeader(options.sequence, runs);
  return { pieces: [head, ...media], size: head.length + mediaBytes };
}

/**
 * How many samples from the start must be kept to show everything before `endTicks`: up to and including the
 * last one whose presentation time is before it. Reordered frames include the later frames that they reference.
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
