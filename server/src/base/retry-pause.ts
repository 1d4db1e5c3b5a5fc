import { backoffMs, scatteredMs, type Backoff } from './backoff.ts';
import type { Clock } from './clock.ts';

/** How an attempt went, as far as the next pause depends on it. */
export interface AttemptResult {
  /** How long it worked (frames came, the tunnel was up), ms; 0 when it never did. */
  readonly goodMs: number;
  /**
   * The other side refused our credentials, or is not the expected one: frequent retries don't help and may
   * lock the account.
   */
  readonly isUnauthorized: boolean;
}

/** Doubling stops here; jitter takes it to 30 s at most. */
const usual: Backoff = { firstMs: 1_000, longestMs: 20_000 };
/** With jitter five minutes at most. */
const unauthorized: Backoff = { firstMs: 20_000, longestMs: 200_000 };
/** After working this long, the next failure starts from the beginning. */
const resetAfterMs = 60_000;
/** A source that drops its clients every few seconds still delivers: the pause doesn't grow. */
const holdAfterMs = 10_000;

/**
 * Pauses between attempts at one source or relay: 1 s growing to 30 s, each between 0.5 and 1.5 times its
 * nominal value, so that clients that dropped together reconnect spread out. A wrong password slows down
 * further, to five minutes.
 */
export class RetryPause {
  readonly #clock: Clock;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The other side was away and has come back: earlier failures say nothing about it. */
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
