import { delay, type Clock } from '../../../base/clock.ts';

/** A sample this late means that the input stalled: its time becomes the new measure, ms. */
const lateMs = 500;
/** Media time that leaps further than this is a new beginning, ms. */
const leapMs = 10_000;

/**
 * Gives out what arrives in bursts (segments of HLS, files) at the pace it was recorded at, so that what looks at
 * arrival times downstream sees a steady source. It never waits to catch up on a stall: what is late goes at once.
 */
export class Pacer {
  readonly #clock: Clock;
  /** Monotonic time less media time, ms. */
  #offsetMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a sample of that media time is due; rejects with the signal's reason when aborted first. */
  async wait(mediaMs: number, signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    this.#offsetMs ??= nowMs - mediaMs;
    const aheadMs = mediaMs + this.#offsetMs - nowMs;
    if (aheadMs < -lateMs || aheadMs > leapMs) this.#offsetMs = nowMs - mediaMs;
    else if (aheadMs > 1) await delay(this.#clock, aheadMs, signal);
  }
}
