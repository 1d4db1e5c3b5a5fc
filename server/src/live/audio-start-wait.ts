import { ticksToMs } from '@vidette/media/time';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Stream } from '../hub/stream.ts';

/** Audio starts a little after the video; a longer delay is not waited for. */
const longestMs = 300;
const lookEveryMs = 50;

/**
 * A source that has just started has sent its first frame and no audio yet. A viewer who gets an init segment
 * with video alone would have to start again when the audio comes, so that the first messages wait for it,
 * briefly.
 */
export class AudioStartWait {
  readonly #stream: Stream;
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #cancel: Cancel | undefined;
  #startMs = 0;

  /** @param onOver called when there is nothing left to wait for */
  constructor(stream: Stream, clock: Clock, onOver: () => void) {
    this.#stream = stream;
    this.#clock = clock;
    this.#onOver = onOver;
  }

  get isWaiting(): boolean {
    return this.#cancel !== undefined;
  }

  /** Starts to wait if there is a reason to. */
  begin(): void {
    if (this.#cancel || !this.#isAudioDue()) return;
    this.#startMs = this.#clock.monotonicMs();
    this.#cancel = this.#clock.every(lookEveryMs, () => {
      if (this.#isAudioDue() && this.#clock.monotonicMs() - this.#startMs < longestMs) return;
      this.stop();
      this.#onOver();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Audio is announced, has not arrived yet, and the video is too young to tell. */
  #isAudioDue(): boolean {
    const tracks = this.#stream.tracks ?? [];
    const video = tracks.find(({ kind }) => kind === 'video');
    const audio = tracks.find(({ kind }) => kind === 'audio');
    if (!video || !audio || this.#stream.newest(audio.id)) return false;
    const newest = this.#stream.newest(video.id);
    const [oldest] = this.#stream.gop;
    return !newest || !oldest || ticksToMs(newest.dts - oldest.dts, video.timescale) < longestMs;
  }
}
