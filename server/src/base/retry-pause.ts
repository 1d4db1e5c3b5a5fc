import { backoffMs, scatteredMs, type Backoff } from './backoff.ts';
import type { Clock } from './clock.ts';

/** The result of an attempt, as far as the next pause depends on it. */
export interface AttemptResult {
  /** How long it worked (frames arrived, the tunnel was up), ms; 0 if it never did. */
  readonly goodMs: number;
  /**
   * The other side rejected the credentials, or is not the expected one: frequent retries don't help and may
   * lock the account.
   */
  readonly isUnauthorized: boolean;
}

/** Doubling stops here; jitter extends it to 30 s at most. */
const usual: Backoff = { firstMs: 1_000, longestMs: 20_000 };
/** With jitter at most five minutes. */
const unauthorized: Backoff = { firstMs: 20_000, longestMs: 200_000 };
/** After working this long, the next failure starts from the beginning. */
const resetAfterMs = 60_000;
/** A source that disconnects its clients every few seconds still delivers, so the pause doesn't increase. */
const holdAfterMs = 10_000;

/**
 * Pauses between attempts at one source or relay: from 1 s up to 30 s, each between 0.5 and 1.5 times its
 * nominal value, so that clients that disconnected together reconnect spread out. A wrong password slows down
 * further, to five minutes.
 */
export class RetryPause {
  readonly #clock: Clock;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The other side was offline and has returned: earlier failures are irrelevant. */
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
