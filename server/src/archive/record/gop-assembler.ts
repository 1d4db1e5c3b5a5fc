import type { FragmentTrack } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import { atTime } from '@vidette/media/placed-sample';
import type { Sample } from '@vidette/media/sample';
import { rescaleTicks } from '@vidette/media/time';
import { primaryTrack, type Track } from '@vidette/media/track';
import type { ReaderEvent } from '../../hub/reader.ts';
import type { RecordedGapCause } from '../catalog/catalog.ts';
import { CATALOG_TIMESCALE, driftMaxSeconds } from '../segments/segments.ts';

/** The unit of writing: a GOP, a part of a long one, or several short ones. */
export interface AssembledFragment {
  /** ftyp and moov of its tracks. */
  readonly init: Uint8Array;
  readonly runs: readonly FragmentTrack[];
  /** Catalog ticks, of the first track: video if there is any. */
  readonly startTicks: number;
  readonly endTicks: number;
  readonly startsWithKey: boolean;
  /** Of its samples. */
  readonly bytes: number;
}

export type AssemblerStep =
  | { readonly type: 'fragment'; readonly fragment: AssembledFragment }
  /** The run ends with this fragment; the next one starts at a key frame, possibly immediately. */
  | { readonly type: 'break'; readonly cause: RecordedGapCause };

/** What most samples complete. */
export const noSteps: readonly AssemblerStep[] = [];

export interface AssemblerLimits {
  /**
   * Length of a fragment: GOPs shorter than half of it are combined, and longer ones split into shorter parts. About that
   * much may be lost if the process dies.
   */
  readonly fragmentMs: number;
  readonly fragmentMaxBytes: number;
}

/**
 * A fragment of short GOPs is at least this share of the minimum length; a download can start at each fragment.
 */
const leastShare = 0.45;
/** A GOP of up to this many fragment lengths is written whole... */
const wholeShare = 1.1;
/**
 * ...a longer one in equal parts of at most this: with the write in progress, and what the camera has sent last, a crash loses
 * less than a whole fragment length of it.
 */
const partShare = 0.7;
/** A part waits for a key frame that is late, or will be due soon, by this share of its length... */
const waitShare = 0.3;
/** ...but not for one that is late by more than this share of a GOP: the GOPs have become longer. */
const lateShare = 0.05;
/** A step between two frames of up to three usual ones, within these limits, still counts as one long frame. */
const longFrameSeconds = { least: 1, most: 90 };
/** The same while the usual step is unknown. */
const firstFrameSeconds = 30;
const defaultFramesPerSecond = 25;
/** Ticks of 90 kHz in the smallest whole number of microseconds: 100 µs. */
const wholeTicks = { timescale: 90_000, ticks: 9 };

interface PendingTrack {
  readonly track: Track;
  samples: Sample[];
  lastDts: number | undefined;
  /** The last usual distance between two samples, ticks... */
  usualStep: number;
  /** ...an estimate until two have arrived. */
  isStepKnown: boolean;
  /** Time of the newest sample received, whether usable or not. */
  seenDts: number | undefined;
}

/**
 * Assembles samples from the hub into fragments to be written. Holds the samples of at most one fragment. Does
 * not access the disk.
 */
export class GopAssembler {
  readonly #limits: AssemblerLimits;
  #init: Uint8Array | undefined;
  #pending = new Map<number, PendingTrack>();
  #primary: PendingTrack | undefined;
  #bytes = 0;
  #needsKey = true;
  #startsWithKey = true;
  #lastKeyDts: number | undefined;
  /** The distance of the newest two key frames, ticks; undefined before the second. */
  #gopTicks: number | undefined;
  /** Samples that could not be stored: out of order, or far from the time of the video. */
  unusableSamples = 0;

  constructor(limits: AssemblerLimits) {
    this.#limits = limits;
  }

  /** The buffered samples belong to a run that has started. */
  get isRunning(): boolean {
    return !this.#needsKey;
  }

  /** @throws MalformedError for tracks that cannot be described in a file */
  accept(event: ReaderEvent): readonly AssemblerStep[] {
    switch (event.type) {
      case 'sample':
        return this.#acceptSample(event.sample);
      case 'tracks': {
        const steps = this.interrupt('source-changed');
        this.#begin(event.tracks);
        return steps;
      }
      case 'skipped':
        return this.interrupt('write-too-slow');
      case 'pause': {
        const steps = this.interrupt(event.cause);
        return steps.length > 0 ? steps : [{ type: 'break', cause: event.cause }];
      }
      case 'end':
        return this.interrupt('ended');
    }
  }

  /** Closes the open GOP, if any, and waits for a key frame. */
  interrupt(cause: RecordedGapCause): readonly AssemblerStep[] {
    if (this.#needsKey) return noSteps;
    const steps: AssemblerStep[] = [];
    const primary = this.#primary;
    if (primary && primary.samples.length > 0 && primary.lastDts !== undefined) {
      // For a source that sends a frame every ten seconds, a frame's duration is unknown until the next one
      // arrives.
      const lastStep = Math.min(primary.usualStep, primary.track.timescale);
      steps.push({ type: 'fragment', fragment: this.#cut(primary, primary.lastDts + lastStep, true) });
    }
    this.#forgetSamples();
    steps.push({ type: 'break', cause });
    return steps;
  }

  /**
   * Closes the open GOP where a key frame begins that is not part of it, because another recorder continues there.
   * Ends as `interrupt` where that frame does not follow the run.
   */
  endBefore(key: Sample): readonly AssemblerStep[] {
    const primary = this.#primary;
    const lastDts = primary?.lastDts;
    if (this.#needsKey || !primary || lastDts === undefined) return noSteps;
    const { dts } = atWholeTime(primary, key);
    if (key.trackId !== primary.track.id || dts <= lastDts || dts - lastDts > longestStep(primary))
      return this.interrupt('moved');
    const fragment = this.#cut(primary, dts, true);
    this.#forgetSamples();
    return [
      { type: 'fragment', fragment },
      { type: 'break', cause: 'moved' },
    ];
  }

  #begin(tracks: readonly Track[]): void {
    this.#init = initSegment(tracks);
    this.#pending = new Map(tracks.map((track) => [track.id, newPending(track)]));
    const first = primaryTrack(tracks);
    this.#primary = first && this.#pending.get(first.id);
    this.#gopTicks = undefined;
    this.#forgetSamples();
  }

  #forgetSamples(): void {
    for (const pending of this.#pending.values()) {
      pending.samples = [];
      pending.lastDts = undefined;
    }
    this.#bytes = 0;
    this.#needsKey = true;
    this.#startsWithKey = true;
    this.#lastKeyDts = undefined;
  }

  #acceptSample(sample: Sample): readonly AssemblerStep[] {
    const pending = this.#pending.get(sample.trackId);
    const primary = this.#primary;
    if (!pending || !primary) return noSteps;
    if (pending.lastDts !== undefined && sample.dts <= pending.lastDts) {
      this.unusableSamples++;
      return noSteps;
    }
    if (pending === primary) return this.#acceptPrimary(primary, atWholeTime(pending, sample));
    if (!this.#needsKey) this.#acceptSecondary(pending, primary, sample);
    return noSteps;
  }

  #acceptPrimary(primary: PendingTrack, sample: Sample): readonly AssemblerStep[] {
    const steps = this.#stepsBefore(primary, sample);
    if (primary.seenDts !== undefined && sample.dts > primary.seenDts) {
      primary.usualStep = sample.dts - primary.seenDts;
      primary.isStepKnown = true;
    }
    primary.seenDts = sample.dts;
    if (this.#needsKey) {
      if (!sample.isKey) return steps;
      this.#needsKey = false;
    }
    if (sample.isKey) {
      if (this.#lastKeyDts !== undefined) this.#gopTicks = sample.dts - this.#lastKeyDts;
      this.#lastKeyDts = sample.dts;
    }
    this.#push(primary, sample);
    return steps;
  }

  /** Fragments that must be written before this frame is added. */
  #stepsBefore(primary: PendingTrack, sample: Sample): readonly AssemblerStep[] {
    const first = primary.samples[0];
    if (!first || primary.lastDts === undefined) return noSteps;
    // Times follow the arrival (ingest/timing.ts), so whatever is missing between two frames was never
    // received.
    if (sample.dts - primary.lastDts > longestStep(primary)) return this.interrupt('no-frames');
    if (!this.#endsFragment(primary, first, sample) && this.#bytes < this.#limits.fragmentMaxBytes)
      return noSteps;
    const fragment = this.#cut(primary, sample.dts, false);
    this.#startsWithKey = sample.isKey;
    return [{ type: 'fragment', fragment }];
  }

  /** The fragment that starts with `first` is written before `sample` is added. */
  #endsFragment({ track }: PendingTrack, first: Sample, sample: Sample): boolean {
    const { fragmentMs } = this.#limits;
    const fragmentTicks = (fragmentMs * track.timescale) / 1000;
    const held = sample.dts - first.dts;
    if (track.kind === 'audio') return held >= fragmentTicks;
    if (sample.isKey) {
      // A part without a key frame ends where the next one can start with a key frame.
      return !this.#startsWithKey || held >= leastShare * fragmentTicks;
    }
    const gopTicks = this.#gopTicks;
    // It may be a short one, until its first fragment is full.
    if (gopTicks === undefined) return held >= (this.#startsWithKey ? 1 : partShare) * fragmentTicks;
    const untilKey = (this.#lastKeyDts ?? first.dts) + gopTicks - sample.dts;
    if (untilKey < -lateShare * gopTicks) return held >= partShare * fragmentTicks;
    const partTicks = partLength(gopTicks, fragmentTicks);
    return held >= partTicks && held + Math.max(0, untilKey) > (1 + waitShare) * partTicks;
  }

  #acceptSecondary(pending: PendingTrack, primary: PendingTrack, sample: Sample): void {
    const nowSeconds = (primary.lastDts ?? 0) / primary.track.timescale;
    if (Math.abs(sample.dts / pending.track.timescale - nowSeconds) > driftMaxSeconds) {
      this.unusableSamples++;
      return;
    }
    if (pending.lastDts !== undefined) {
      const step = sample.dts - pending.lastDts;
      // A gap in the audio does not count as the duration of its frames.
      if (step <= pending.usualStep * 2) pending.usualStep = step;
    }
    this.#push(pending, sample);
  }

  #push(pending: PendingTrack, sample: Sample): void {
    pending.samples.push(sample);
    pending.lastDts = sample.dts;
    this.#bytes += sample.size;
  }

  /** Removes the samples up to `endDts` of the primary track; later audio stays, unless the stream ends. */
  #cut(primary: PendingTrack, endDts: number, isLast: boolean): AssembledFragment {
    const [first] = primary.samples;
    if (!first || !this.#init) throw new RangeError('a fragment without samples');
    const { timescale } = primary.track;
    const runs: FragmentTrack[] = [];
    let leftBytes = 0;
    for (const pending of this.#pending.values()) {
      if (pending === primary) {
        runs.push({ track: pending.track, samples: pending.samples, endDts });
        pending.samples = [];
        continue;
      }
      const end = isLast
        ? Number.POSITIVE_INFINITY
        : rescaleTicks(endDts, timescale, pending.track.timescale);
      const { taken, left } = splitAt(pending.samples, end);
      pending.samples = left;
      leftBytes += left.reduce((sum, sample) => sum + sample.size, 0);
      const last = taken.at(-1);
      if (last) runs.push({ track: pending.track, samples: taken, endDts: endOf(pending, last, left[0]) });
    }
    const bytes = this.#bytes - leftBytes;
    this.#bytes = leftBytes;
    return {
      init: this.#init,
      runs,
      startTicks: rescaleTicks(first.dts, timescale, CATALOG_TIMESCALE),
      endTicks: rescaleTicks(endDts, timescale, CATALOG_TIMESCALE),
      startsWithKey: this.#startsWithKey,
      bytes,
    };
  }
}

/** From which length on a GOP is divided, ticks, and into parts of which length. */
function partLength(gopTicks: number, fragmentTicks: number): number {
  if (gopTicks <= wholeShare * fragmentTicks) return Math.max(gopTicks, fragmentTicks);
  return gopTicks / Math.ceil(gopTicks / (partShare * fragmentTicks));
}

/**
 * Moves a key frame to a time that is a whole number of microseconds, up to 89 µs earlier. Players start at a
 * key frame and calculate in microseconds: hls.js rounds the distance to its own start, Chromium truncates
 * fractions, and a frame that ends up 1 µs before the start is dropped with all frames that depend on it. One
 * GOP in nine would be lost at the start of a playlist.
 */
function atWholeTime({ track, lastDts }: PendingTrack, sample: Sample): Sample {
  if (!sample.isKey || track.timescale !== wholeTicks.timescale) return sample;
  const early = sample.dts % wholeTicks.ticks;
  if (early === 0 || (lastDts !== undefined && sample.dts - early <= lastDts)) return sample;
  return atTime(sample, sample.dts - early, sample.pts - early);
}

function newPending(track: Track): PendingTrack {
  const usualStep = Math.round(
    track.kind === 'video'
      ? track.timescale / defaultFramesPerSecond
      : usualAudioStep(track.codec, track.timescale),
  );
  return { track, samples: [], lastDts: undefined, usualStep, isStepKnown: false, seenDts: undefined };
}

/** 1024 samples for AAC (ISO/IEC 14496-3), 20 ms for Opus (RFC 6716, 2.1.4). */
function usualAudioStep(codec: 'aac' | 'opus', timescale: number): number {
  return codec === 'aac' ? 1024 : timescale / 50;
}

function longestStep(pending: PendingTrack): number {
  const { timescale } = pending.track;
  const { least, most } = longFrameSeconds;
  if (!pending.isStepKnown) return firstFrameSeconds * timescale;
  return Math.min(Math.max(3 * pending.usualStep, least * timescale), most * timescale);
}

function splitAt(samples: readonly Sample[], endDts: number): { taken: Sample[]; left: Sample[] } {
  const at = samples.findIndex((sample) => sample.dts >= endDts);
  return at < 0
    ? { taken: [...samples], left: [] }
    : { taken: samples.slice(0, at), left: samples.slice(at) };
}

function endOf(pending: PendingTrack, last: Sample, next: Sample | undefined): number {
  const guess = last.dts + pending.usualStep;
  return next ? Math.min(next.dts, guess) : guess;
}
