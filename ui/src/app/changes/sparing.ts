import { Allowance, type AllowanceRate } from '@vidette/contract/allowance';
import type { Disposer, PageClock } from '../../base/clock.ts';

/**
 * Runs something soon after each event as long as events are rare, and at an interval while they are frequent. The last event is
 * never left out.
 */
export class Sparing {
  readonly #run: () => void;
  readonly #clock: Pick<PageClock, 'monotonicMs' | 'after'>;
  readonly #allowance: Allowance;
  #cancel: Disposer | undefined;

  constructor(run: () => void, rate: AllowanceRate, clock: Pick<PageClock, 'monotonicMs' | 'after'>) {
    this.#run = run;
    this.#clock = clock;
    this.#allowance = new Allowance(rate, clock.monotonicMs());
  }

  /** Something happened. */
  note(): void {
    if (this.#cancel) return;
    if (this.#allowance.take(this.#clock.monotonicMs())) {
      this.#run();
      return;
    }
    this.#cancel = this.#clock.after(this.#allowance.waitMs, () => {
      this.#cancel = undefined;
      this.#allowance.spend(this.#clock.monotonicMs());
      this.#run();
    });
  }
}
