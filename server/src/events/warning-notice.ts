import { Allowance } from '@vidette/contract/allowance';
import { eventLimits } from '@vidette/contract/constants';

/**
 * When a client is told that the warnings about streams may have changed: immediately while that is rare, and at an interval on a
 * night on which streams fail every second. The last change is never left out.
 */
export class WarningNotice {
  readonly #allowance: Allowance;
  #isWaiting: boolean;

  /** `isWaiting`: a change of before was not told. */
  constructor(nowMs: number, isWaiting: boolean) {
    const { warningsAtOnce: atOnce, warningsMs: everyMs } = eventLimits;
    this.#allowance = new Allowance({ atOnce, everyMs }, nowMs);
    this.#isWaiting = isWaiting;
  }

  /** They may have changed. */
  note(): void {
    this.#isWaiting = true;
  }

  /** Whether the client is to be told now; asked again later if not. */
  take(nowMs: number): boolean {
    if (!this.#isWaiting || !this.#allowance.take(nowMs)) return false;
    this.#isWaiting = false;
    return true;
  }
}
