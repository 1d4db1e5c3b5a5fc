/**
 * A movie file of another program as a segment of this project: `ftyp moov (moof mdat)*`, whose mdat bodies are samples of that
 * file. What is made is the layout; the bytes are copied from the file when a reader asks for them.
 */
import { initSegment } from '../fmp4/init.ts';
import { moofAndMdatHeader, moofAndMdatHeaderBytes, type TrunSample } from '../fmp4/moof.ts';
import { sampleFlags } from '../fmp4/sample-flags.ts';
import { MalformedError } from '../malformed.ts';
import { rescaleTicks } from '../time.ts';
import { primaryTrack, type Track } from '../track.ts';
import type { Movie, MovieTrack } from './movie.ts';

const VIDEO_TIMESCALE = 90_000;
/** Key frames are on whole tenths of a millisecond: see design/archive.md. */
export const KEY_TICKS = 9;
/** A fragment begins at the first key frame after this, and within a GOP after `longSeconds`. */
const shortSeconds = 0.9;
const longSeconds = 4;
/** Audio this far behind the end of the video belongs to no frame. */
const audioTailSeconds = 10;
/** Audio this far before the first frame belongs to frames that can't be decoded. */
const audioLeadSeconds = 0.5;
/** A GOP of a camera has less. */
const fragmentMaxBytes = 64 << 20;

/** One sample, as the fragment describes it. */
interface RemuxedSample extends TrunSample {
  /** Of its bytes, from the start of the movie file. */
  readonly position: number;
}

/** The samples of one track in a fragment. */
interface RemuxedRun {
  readonly trackId: number;
  readonly timescale: number;
  /** Decode time of the first sample after the start of the segment, ticks. */
  readonly dts: number;
  readonly samples: readonly RemuxedSample[];
}

/** A moof and its mdat. */
export interface RemuxedFragment {
  /** Ticks of 90 kHz. */
  readonly durationTicks: number;
  readonly startsWithKey: boolean;
  /** Of moof and mdat. */
  readonly bytes: number;
  readonly runs: readonly RemuxedRun[];
}

export interface RemuxedSegment {
  /** ftyp and moov. */
  readonly init: Uint8Array;
  /** Contiguous, the first begins with a key frame; not empty. */
  readonly fragments: readonly RemuxedFragment[];
}

/** A sample with its times in the track of the segment. */
interface TimedSample extends RemuxedSample {
  readonly dts: number;
  readonly isKey: boolean;
}

interface TimedTrack {
  readonly track: Track;
  readonly samples: readonly TimedSample[];
}

/** The layout of a movie. @throws MalformedError if no frame can be decoded, or a GOP is too large */
export function remux({ tracks }: Movie): RemuxedSegment {
  const primary = primaryTrack(tracks.map(({ track }) => track));
  const main = tracks.find(({ track }) => track === primary);
  const first = main?.samples.findIndex(({ isKey }) => isKey) ?? -1;
  if (!main || first < 0) throw new MalformedError('it has no key frame');
  const zeroSeconds = secondsOf(main, main.samples[first]?.dts ?? 0);
  const whole = { ...main, samples: main.samples.slice(first) };
  const timed = [whole, ...tracks.filter((track) => track !== main)].map((track) =>
    timedTrack(track, zeroSeconds),
  );
  const [leading, ...others] = timed;
  if (!leading) throw new MalformedError('it has no samples');
  const fragments = fragmentsOf(leading, others);
  // A track of which no sample is used would keep players waiting.
  const used = new Set(fragments.flatMap(({ runs }) => runs.map(({ trackId }) => trackId)));
  const init = initSegment(timed.map(({ track }) => track).filter(({ id }) => used.has(id)));
  return { init, fragments };
}

function secondsOf({ track, offsetSeconds }: MovieTrack, dts: number): number {
  return dts / track.timescale + offsetSeconds;
}

/** @param zeroSeconds the time of the movie at which the segment begins */
function timedTrack(movieTrack: MovieTrack, zeroSeconds: number): TimedTrack {
  const { track: source, samples } = movieTrack;
  const isVideo = source.kind === 'video';
  const timescale = source.kind === 'video' ? VIDEO_TIMESCALE : source.sampleRate;
  const shift = Math.round((movieTrack.offsetSeconds - zeroSeconds) * timescale);
  const ticks = (time: number): number => rescaleTicks(time, source.timescale, timescale) + shift;
  let earliest = -Infinity;
  const times = samples.map(({ dts, isKey }) => {
    const at = ticks(dts);
    const onGrid = isVideo && isKey ? Math.floor(at / KEY_TICKS) * KEY_TICKS : at;
    earliest = Math.max(onGrid, earliest + 1);
    return earliest;
  });
  const last = samples.at(-1);
  const ends = last ? Math.max(ticks(last.dts + last.duration), earliest + 1) : 0;
  // The next file can follow without a gap.
  const end = isVideo ? Math.ceil(ends / KEY_TICKS) * KEY_TICKS : ends;
  return {
    track: { ...source, timescale },
    samples: samples.map(({ dts, compositionOffset, isKey, position, size }, index) => {
      const at = times[index] ?? 0;
      const key = !isVideo || isKey;
      return {
        dts: at,
        isKey: key,
        duration: (times[index + 1] ?? end) - at,
        compositionOffset: isVideo ? ticks(dts + compositionOffset) - at : 0,
        flags: sampleFlags(key, false),
        position,
        size,
      };
    }),
  };
}

function fragmentsOf(main: TimedTrack, others: readonly TimedTrack[]): RemuxedFragment[] {
  const { timescale } = main.track;
  const starts = fragmentStarts(main);
  // The samples of other tracks are taken in order, each by one fragment.
  const taken = new Map<TimedTrack, number>();
  return starts.map((from, index): RemuxedFragment => {
    const to = starts[index + 1] ?? main.samples.length;
    const own = main.samples.slice(from, to);
    const startDts = own[0]?.dts ?? 0;
    const last = own.at(-1);
    const endDts = last ? last.dts + last.duration : startDts;
    const isLast = to === main.samples.length;
    const untilSeconds = endDts / timescale + (isLast ? audioTailSeconds : 0);
    const runs = [runOf(main.track, own)];
    for (const other of others) {
      const begin = taken.get(other) ?? firstHeard(other);
      let end = begin;
      while ((other.samples[end]?.dts ?? Infinity) / other.track.timescale < untilSeconds) end++;
      taken.set(other, end);
      if (end > begin) runs.push(runOf(other.track, other.samples.slice(begin, end)));
    }
    const mediaBytes = runs.reduce((sum, run) => run.samples.reduce((all, { size }) => all + size, sum), 0);
    if (mediaBytes > fragmentMaxBytes) throw new MalformedError(`a GOP of ${mediaBytes} bytes`);
    return {
      durationTicks:
        rescaleTicks(endDts, timescale, VIDEO_TIMESCALE) - rescaleTicks(startDts, timescale, VIDEO_TIMESCALE),
      startsWithKey: own[0]?.isKey ?? false,
      bytes: moofAndMdatHeaderBytes(runs) + mediaBytes,
      runs,
    };
  });
}

/** Audio of frames that precede the first key frame is left out. */
function firstHeard({ track, samples }: TimedTrack): number {
  const index = samples.findIndex(({ dts }) => dts > -audioLeadSeconds * track.timescale);
  return index < 0 ? samples.length : index;
}

function runOf({ id, timescale }: Track, samples: readonly TimedSample[]): RemuxedRun {
  return { trackId: id, timescale, dts: samples[0]?.dts ?? 0, samples };
}

/** The indexes of the samples with which fragments begin. */
function fragmentStarts({ track, samples }: TimedTrack): number[] {
  const starts = [0];
  let startDts = samples[0]?.dts ?? 0;
  for (const [index, { dts, isKey }] of samples.entries()) {
    if (index === 0 || (dts - startDts) / track.timescale < (isKey ? shortSeconds : longSeconds)) continue;
    starts.push(index);
    startDts = dts;
  }
  return starts;
}

/**
 * The moof of a fragment and the header of its mdat, which the bytes of its samples follow.
 * @param startTicks of the segment, ticks of 90 kHz since the epoch
 * @param sequence of the fragment in its segment, from 1
 */
export function remuxedHead({ runs }: RemuxedFragment, startTicks: number, sequence: number): Uint8Array {
  return moofAndMdatHeader(
    sequence,
    runs.map(({ trackId, timescale, dts, samples }) => ({
      trackId,
      baseDts: rescaleTicks(startTicks, VIDEO_TIMESCALE, timescale) + dts,
      samples,
    })),
  );
}
