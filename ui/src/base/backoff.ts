/** The sequence of pauses between retries. */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Ratio of each pause to the one before. Default 2. */
  readonly growth?: number;
  /**
   * Jitter: the largest deviation of a pause from its mean, as a share of it, so that many pages don't
   * reconnect simultaneously. Default 0.
   */
  readonly spread?: number;
  /** A number in [0, 1); only with `spread`. */
  readonly random?: () => number;
}

/** Growing pauses between retries. */
export class Backoff {
  readonly #options: BackoffOptions;
  #nextMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#nextMs = options.firstMs;
  }

  /** The pause before the next try, ms; the one after it is longer. */
  next(): number {
    const { longestMs, growth = 2, spread = 0, random = () => 0.5 } = this.#options;
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(longestMs, pauseMs * growth);
    return pauseMs * (1 - spread + 2 * spread * random());
  }

  /** To be called after a success, or when conditions have improved: the next pause is the first one again. */
  reset(): void {
    this.#nextMs = this.#options.firstMs;
  }
}
