import type { Log } from '../base/log.ts';
import { ClockOffset, isWrongClock } from './clock-offset.ts';

/**
 * Compares this machine's clock with the database's and logs when it becomes wrong, and when it is correct
 * again.
 */
export class ClockCheck {
  readonly #log: Log;
  readonly #offset = new ClockOffset();
  #isWrong = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** How far this clock is ahead of the database's, ms; null before the first comparison. */
  get aheadMs(): number | null {
    return this.#offset.aheadMs;
  }

  /** A query sent at `sentWallMs` and answered `wayMs` later, when the database's clock showed `databaseMs`. */
  note(sentWallMs: number, wayMs: number, databaseMs: number): void {
    this.#offset.note(sentWallMs, wayMs, databaseMs);
    const { aheadMs } = this.#offset;
    const isWrong = isWrongClock(aheadMs);
    if (isWrong === this.#isWrong) return;
    this.#isWrong = isWrong;
    if (isWrong)
      this.#log.warn(
        { aheadMs },
        'The clock of this machine differs from the database’s: footage gets wrong times',
      );
    else this.#log.info({}, 'The clock of this machine agrees with the database’s');
  }
}
