import { delay, type Clock } from './clock.ts';

/** Delays output so that, over time, it does not exceed a number of bytes per second. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number | undefined;
  #freeAtMs = 0;

  /** Undefined: unlimited. */
  constructor(clock: Clock, bytesPerSecond: number | undefined) {
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits until the time of the bytes taken before has passed. @throws the signal's reason */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#bytesPerSecond === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const startMs = Math.max(nowMs, this.#freeAtMs);
    this.#freeAtMs = startMs + (bytes * 1000) / this.#bytesPerSecond;
    if (startMs > nowMs) await delay(this.#clock, startMs - nowMs, signal);
  }
}
