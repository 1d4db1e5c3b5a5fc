import { ticksToMs } from '@vidette/media/time';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Stream } from '../hub/stream.ts';

/** Sound starts a little after the picture; more than this is not waited for. */
const longestMs = 300;
const lookEveryMs = 50;

/**
 * A source that has just begun has sent its first frame and no audio yet. A viewer who is told of a picture alone
 * would have to begin anew when the audio comes, so that the first words wait for it, for a moment.
 */
export class AudioStartWait {
  readonly #stream: Stream;
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #cancel: Cancel | undefined;
  #startMs = 0;

  /** @param onOver called when there is nothing to wait for any more */
  constructor(stream: Stream, clock: Clock, onOver: () => void) {
    this.#stream = stream;
    this.#clock = clock;
    this.#onOver = onOver;
  }

  get isWaiting(): boolean {
    return this.#cancel !== undefined;
  }

  /** Begins to wait if there is a reason to. */
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

  /** Sound is announced, was not heard yet, and the picture is too young to tell. */
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
