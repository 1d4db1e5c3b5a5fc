import type { Track, VideoTrack } from '@vidette/media/track';
import type { Sample } from '@vidette/media/sample';
import type { Cancel } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Reader, ReaderEvent } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import { MotionDetector, type MotionEvent } from './motion-detector.ts';

/** The reader takes events immediately; this only limits what can accumulate after an error. */
const queueMaxBytes = 4 * 1024 * 1024;
/** Frames that arrive after a longer break start a new sequence, ms. */
const breakMs = 5_000;

/**
 * Reads a stream's frames for their sizes and reports motion. Starts when created, ends with `close`. While motion
 * detection waits it reads nothing; what it has learnt of the scene stays.
 */
export class MotionReader {
  readonly #onEvent: (event: MotionEvent) => void;
  readonly #stream: Stream;
  readonly #load: Pick<LoadLevel, 'defers'>;
  readonly #stopLoad: Cancel;
  #reader: Reader | undefined;
  /** Undefined before the first video: a stream that is paused needs none. */
  #detector: MotionDetector | undefined;
  #video: VideoTrack | undefined;
  #lastMs: number | undefined;
  #highestPts = -Infinity;

  /** `onEvent` is called inside the call that writes the stream: it must be short and must not throw. */
  constructor(
    stream: Stream,
    load: Pick<LoadLevel, 'defers' | 'onChange'>,
    onEvent: (event: MotionEvent) => void,
  ) {
    this.#stream = stream;
    this.#load = load;
    this.#onEvent = onEvent;
    this.#stopLoad = load.onChange(() => this.#readOrRest());
    this.#readOrRest();
  }

  /** Reports the end of an open event, and nothing afterwards. Idempotent. */
  close(): void {
    this.#stopLoad();
    this.#rest();
  }

  #readOrRest(): void {
    if (this.#load.defers('motion')) {
      this.#rest();
      return;
    }
    this.#reader ??= this.#stream.addReader({
      name: 'motion',
      maxBytes: queueMaxBytes,
      from: 'next-key',
      toleratesLatency: true,
      data: 'ignores',
      onReadable: () => this.#read(),
    });
  }

  #rest(): void {
    if (!this.#reader) return;
    this.#reader.close();
    this.#reader = undefined;
    this.#interrupt();
  }

  #read(): void {
    for (let event = this.#reader?.take(); event; event = this.#reader?.take()) this.#take(event);
  }

  #take(event: ReaderEvent): void {
    switch (event.type) {
      case 'tracks':
        this.#setTracks(event.tracks);
        return;
      case 'sample':
        if (event.sample.trackId === this.#video?.id) this.#frame(event.sample, this.#video);
        return;
      case 'skipped':
      case 'pause':
      case 'end':
        this.#interrupt();
        return;
    }
  }

  #setTracks(tracks: readonly Track[]): void {
    this.#interrupt();
    const video = tracks.find((track) => track.kind === 'video');
    const isSame =
      video?.codec === this.#video?.codec &&
      video?.width === this.#video?.width &&
      video?.height === this.#video?.height;
    // With another frame size or encoding, nothing learnt before applies.
    if (!isSame) this.#detector = undefined;
    this.#video = video;
  }

  #frame(sample: Sample, { timescale }: VideoTrack): void {
    const timeMs = (sample.dts * 1000) / timescale;
    if (this.#lastMs !== undefined && timeMs - this.#lastMs > breakMs) this.#interrupt();
    this.#detector ??= new MotionDetector(this.#onEvent);
    if (this.#lastMs === undefined) this.#detector.resume(timeMs);
    this.#lastMs = timeMs;
    const isReordered = !sample.isKey && sample.pts < this.#highestPts;
    this.#highestPts = sample.isKey ? sample.pts : Math.max(this.#highestPts, sample.pts);
    // The rest of a frame that was partly lost says nothing about its size.
    if (sample.isDamaged) return;
    this.#detector.frame({ timeMs, bytes: sample.size, isKey: sample.isKey, isReordered });
  }

  #interrupt(): void {
    this.#lastMs = undefined;
    this.#detector?.interrupt();
  }
}
