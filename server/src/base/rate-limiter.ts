import { delay, type Clock } from './clock.ts';

/** Spaces out what is sent, so that over time it is no more than so many bytes a second. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number | undefined;
  #freeAtMs = 0;

  /** Undefined: as fast as it goes. */
  constructor(clock: Clock, bytesPerSecond: number | undefined) {
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits until what was taken before has had its time. @throws the signal's reason */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#bytesPerSecond === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const startMs = Math.max(nowMs, this.#freeAtMs);
    this.#freeAtMs = startMs + (bytes * 1000) / this.#bytesPerSecond;
    if (startMs > nowMs) await delay(this.#clock, startMs - nowMs, signal);
  }
}
