import { backoffMs, scatteredMs, type Backoff } from './backoff.ts';
import type { Clock } from './clock.ts';

/** How an attempt went, as far as the next pause depends on it. */
export interface AttemptResult {
  /** How long it went well (frames came, the tunnel stood), ms; 0 when it never did. */
  readonly goodMs: number;
  /** The other side refused who we are, or is not who it should be: asking often helps nobody and may lock the account. */
  readonly isUnauthorized: boolean;
}

/** Doubling stops here; the jitter takes it to 30 s at most. */
const usual: Backoff = { firstMs: 1_000, longestMs: 20_000 };
/** With the jitter five minutes at most. */
const unauthorized: Backoff = { firstMs: 20_000, longestMs: 200_000 };
/** After so long the next failure is a new story. */
const resetAfterMs = 60_000;
/** One that drops its clients every few seconds delivers all the same: the pause doesn't grow. */
const holdAfterMs = 10_000;

/**
 * Pauses between attempts at one source or relay: 1 s growing to 30 s, each between half and one and a half of its middle,
 * so that what dropped together comes back scattered. A wrong password slows down further, to five minutes.
 */
export class RetryPause {
  readonly #clock: Clock;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The other side was away and has come back: what went wrong before says nothing about it. */
  restart(): void {
    this.#failures = 0;
  }

  /** Milliseconds to wait before the next attempt. */
  next(result: AttemptResult): number {
    if (result.goodMs >= resetAfterMs) this.#failures = 0;
    else if (result.goodMs >= holdAfterMs) this.#failures = Math.max(0, this.#failures - 1);
    this.#failures++;
    return scatteredMs(backoffMs(this.#failures, result.isUnauthorized ? unauthorized : usual), this.#clock);
  }
}
