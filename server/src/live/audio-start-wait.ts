import type { Cancel, Clock } from '../base/clock.ts';
import type { Stream } from '../hub/stream.ts';
import { isAudioDue } from './active-tracks.ts';

/** Longest wait, whatever the media timestamps say, ms. */
const longestMs = 300;
const lookEveryMs = 50;

/**
 * A source that has just started has sent its first frame but no audio yet. A viewer who receives an init
 * segment with video alone would have to start again when the audio arrives, so the first messages and the
 * first part of HLS wait for it briefly.
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

  /** Whether there is still something to wait for: to be asked when samples have arrived, too. */
  mustWait(): boolean {
    if (!this.#cancel) return false;
    if (isAudioDue(this.#stream) && this.#clock.monotonicMs() - this.#startMs < longestMs) return true;
    this.stop();
    return false;
  }

  /** Starts to wait if there is a reason to. */
  begin(): void {
    if (this.#cancel || !isAudioDue(this.#stream)) return;
    this.#startMs = this.#clock.monotonicMs();
    this.#cancel = this.#clock.every(lookEveryMs, () => {
      if (!this.mustWait()) this.#onOver();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
