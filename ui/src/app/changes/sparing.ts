import type { Disposer, PageClock } from '../../base/clock.ts';

/** So many runs may follow each other immediately, and further ones at this interval. */
export interface Allowance {
  readonly atOnce: number;
  readonly everyMs: number;
}

/**
 * Runs something soon after each event as long as events are rare, and at an interval while they are frequent. The last event is
 * never left out.
 */
export class Sparing {
  readonly #run: () => void;
  readonly #allowance: Allowance;
  readonly #clock: Pick<PageClock, 'monotonicMs' | 'after'>;
  /** Runs that are left, as a fraction. */
  #left: number;
  #countedMs: number;
  #cancel: Disposer | undefined;

  constructor(run: () => void, allowance: Allowance, clock: Pick<PageClock, 'monotonicMs' | 'after'>) {
    this.#run = run;
    this.#allowance = allowance;
    this.#clock = clock;
    this.#left = allowance.atOnce;
    this.#countedMs = clock.monotonicMs();
  }

  /** Something happened. */
  note(): void {
    if (this.#cancel) return;
    const { atOnce, everyMs } = this.#allowance;
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(atOnce, this.#left + (nowMs - this.#countedMs) / everyMs);
    this.#countedMs = nowMs;
    if (this.#left >= 1) {
      this.#left--;
      this.#run();
      return;
    }
    this.#cancel = this.#clock.after((1 - this.#left) * everyMs, () => {
      this.#cancel = undefined;
      this.#left = 0;
      this.#countedMs = this.#clock.monotonicMs();
      this.#run();
    });
  }
}
