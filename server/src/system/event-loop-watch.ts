import type { Cancel, Clock } from '../base/clock.ts';

const periodMs = 250;

/** Measures the delay of the event loop: how much later than scheduled a timer runs. */
export class EventLoopWatch {
  readonly #cancel: Cancel;
  #lastMs: number;
  #longestMs = 0;

  constructor(clock: Pick<Clock, 'every' | 'monotonicMs'>) {
    this.#lastMs = clock.monotonicMs();
    this.#cancel = clock.every(periodMs, () => {
      const nowMs = clock.monotonicMs();
      this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs - periodMs);
      this.#lastMs = nowMs;
    });
  }

  /** The longest delay since the last call of this method, ms. */
  takeLongestMs(): number {
    const longestMs = this.#longestMs;
    this.#longestMs = 0;
    return longestMs;
  }

  close(): void {
    this.#cancel();
  }
}
