import { ticksToMs } from '@vidette/media/time';
import type { FragmentTrack } from '@vidette/media/fmp4/fragment';
import type { Sample } from '@vidette/media/sample';
import { releaseSample } from '@vidette/media/sample-block';
import type { Track } from '@vidette/media/track';
import type { ReaderEvent } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import type { LiveFragmenter } from './fragmenter.ts';
import type { HlsWindow } from './hls-window.ts';
import { FragmentBuilder } from './fragment-builder.ts';
import { InitTracks } from './init-tracks.ts';

/**
 * Target duration of a part; a camera whose frame rate is too low for this gets longer parts. A frame waits for the end of
 * its part, and for the frame after it: 100 ms on average with 25 frames a second.
 */
const partSeconds = 0.16;
/** A segment ends at the first key frame after this time: two seconds, minus the error of a camera's clock. */
const leastSegmentSeconds = 1.9;
/**
 * A camera that sends no key frame for this long gets a segment that starts without one, because memory is
 * limited.
 */
const longestSegmentSeconds = 30;
/** Guessed duration of the last frame before a pause. */
const leastGuessMs = 40;

/** Turns the output of a Reader into the parts and segments of a window. */
export class HlsPackager {
  readonly #fragmenter: LiveFragmenter;
  readonly #window: HlsWindow;
  readonly #initTracks: InitTracks;
  #run: FragmentBuilder | undefined;
  /** The first waiting frame. */
  #partStart: Sample | undefined;
  #lastDts: number | undefined;

  constructor(stream: Stream, fragmenter: LiveFragmenter, window: HlsWindow) {
    this.#initTracks = new InitTracks(stream);
    this.#fragmenter = fragmenter;
    this.#window = window;
  }

  /** The tracks in the newest init segment; undefined before the first one. */
  get tracks(): readonly Track[] | undefined {
    const { used } = this.#initTracks;
    return used.length === 0 ? undefined : used;
  }

  /** Takes one event, and releases its sample when it is packed; the caller handles `end`. */
  handle(event: ReaderEvent): void {
    switch (event.type) {
      case 'tracks':
        this.#flush();
        this.#initTracks.declare(event.tracks);
        return;
      case 'sample':
        this.#onSample(event.sample, event.startsGop);
        return;
      case 'skipped':
        this.#flush();
        this.#window.breakTime();
        return;
      case 'pause':
      case 'end':
        this.#flush();
        this.#window.completeSegment();
    }
  }

  #onSample(sample: Sample, startsGop: boolean): void {
    if (startsGop) this.#onGop(sample);
    const run = this.#run;
    if (!run) {
      releaseSample(sample);
      return;
    }
    const isFrame = this.#isLeading(sample);
    if (isFrame && this.#partStart && !startsGop && this.#isPartFull(sample)) {
      this.#endPart(sample.dts);
    }
    if (!run.add(sample)) releaseSample(sample);
    if (!isFrame) return;
    this.#partStart ??= sample;
    this.#lastDts = sample.dts;
  }

  #onGop(key: Sample): void {
    this.#endPart(key.dts);
    const tracks = this.#initTracks.next((active) => active);
    if (tracks) {
      const init = this.#fragmenter.init(this.#initTracks.declared, tracks);
      this.#window.beginInit(init.message.payload);
      this.#run = new FragmentBuilder(tracks, leastGuessMs);
      this.#lastDts = undefined;
    } else if (!this.#window.isPlayable || this.#segmentSeconds() >= leastSegmentSeconds) {
      // The very first segment ends as early as possible, because players wait for it.
      this.#window.completeSegment();
    }
  }

  #segmentSeconds(): number {
    return this.#window.newest?.durationSeconds ?? 0;
  }

  /** Those of the track that determines the pace: the video, or the audio of a stream without video. */
  #isLeading(sample: Sample): boolean {
    return sample.trackId === this.#initTracks.used[0]?.id;
  }

  #timescale(): number {
    return this.#initTracks.used[0]?.timescale ?? 1;
  }

  /** Another frame of the usual duration would make the part too long. */
  #isPartFull(next: Sample): boolean {
    const start = this.#partStart;
    if (!start) return false;
    const lengthTicks = next.dts - start.dts;
    const gapTicks = next.dts - (this.#lastDts ?? start.dts);
    // Half a frame of tolerance, so that five frames of 33.3 ms are a part.
    return lengthTicks + gapTicks / 2 > partSeconds * this.#timescale();
  }

  #endPart(nextDts?: number): void {
    const start = this.#partStart;
    const run = this.#run;
    this.#partStart = undefined;
    if (!start || !run || run.isEmpty) return;
    const runs = run.takeAll(nextDts);
    this.#addPart(runs, start);
  }

  #addPart(runs: readonly FragmentTrack[], start: Sample): void {
    const leading = runs.find(({ track }) => track.id === start.trackId);
    if (!leading) return;
    const timescale = this.#timescale();
    const durationSeconds = (leading.endDts - start.dts) / timescale;
    const grown = this.#window.newest;
    if (grown && !grown.isComplete && grown.durationSeconds + durationSeconds > longestSegmentSeconds) {
      this.#window.completeSegment();
    }
    this.#window.addPart(
      { bytes: this.#fragmenter.fragment(runs).payload, durationSeconds, isIndependent: start.isKey },
      ticksToMs(start.pts, timescale),
    );
  }

  /** Emits the waiting samples, with a guessed duration of the last frame. */
  #flush(): void {
    this.#endPart();
    this.#run?.noteSkip();
    this.#lastDts = undefined;
  }
}
