/** So much may happen immediately, and more at this interval. */
export interface AllowanceRate {
  readonly atOnce: number;
  readonly everyMs: number;
}

/** What is left of an allowance that fills up again as time passes (a token bucket). */
export class Allowance {
  readonly #rate: AllowanceRate;
  /** As a fraction. */
  #left: number;
  #countedMs: number;

  /** Times are of a monotonic clock. */
  constructor(rate: AllowanceRate, nowMs: number) {
    this.#rate = rate;
    this.#left = rate.atOnce;
    this.#countedMs = nowMs;
  }

  /** True if it may happen now; it counts as done then. */
  take(nowMs: number): boolean {
    const { atOnce, everyMs } = this.#rate;
    this.#left = Math.min(atOnce, this.#left + (nowMs - this.#countedMs) / everyMs);
    this.#countedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  /** How long after the last `take`, which was refused, it may happen. */
  get waitMs(): number {
    return (1 - this.#left) * this.#rate.everyMs;
  }

  /** Nothing is left: what had to wait happens now. */
  spend(nowMs: number): void {
    this.#left = 0;
    this.#countedMs = nowMs;
  }
}
