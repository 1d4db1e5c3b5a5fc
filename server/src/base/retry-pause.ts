import type { Clock } from './clock.ts';

/** How an attempt went, as far as the next pause depends on it. */
export interface AttemptResult {
  /** How long it went well (frames came, the tunnel stood), ms; 0 when it never did. */
  readonly goodMs: number;
  /** The other side refused who we are, or is not who it should be: asking often helps nobody and may lock the account. */
  readonly isUnauthorized: boolean;
}

const firstMs = 1_000;
/** Doubling stops here; the jitter takes it to 30 s at most. */
const ceilingMs = 20_000;
const unauthorizedFirstMs = 20_000;
/** With the jitter five minutes at most. */
const unauthorizedCeilingMs = 200_000;
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
    const [first, ceiling] = result.isUnauthorized
      ? [unauthorizedFirstMs, unauthorizedCeilingMs]
      : [firstMs, ceilingMs];
    const middleMs = Math.min(ceiling, first * 2 ** Math.min(this.#failures, 16));
    this.#failures++;
    return Math.round(middleMs * (0.5 + this.#clock.random()));
  }
}
