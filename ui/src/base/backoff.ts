/** Pauses between tries at one thing. */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Each further pause is so many times the one before. Default 2. */
  readonly growth?: number;
  /** How far a pause may be from its middle, as a share of it, so that many pages don't come back together. Default 0. */
  readonly spread?: number;
  /** A number in [0, 1); only with `spread`. */
  readonly random?: () => number;
}

/** Growing pauses between tries at what is away. */
export class Backoff {
  readonly #options: BackoffOptions;
  #nextMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#nextMs = options.firstMs;
  }

  /** How long to wait before the next try, ms; the one after it waits longer. */
  next(): number {
    const { longestMs, growth = 2, spread = 0, random = () => 0.5 } = this.#options;
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(longestMs, pauseMs * growth);
    return pauseMs * (1 - spread + 2 * spread * random());
  }

  /** It went well, or something changed for the better: the next pause is the first one. */
  reset(): void {
    this.#nextMs = this.#options.firstMs;
  }
}
