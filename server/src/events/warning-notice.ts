import { eventLimits } from '@vidette/contract/constants';

/**
 * When a client is told that the warnings about streams may have changed: immediately while that is rare, and at an interval on a
 * night on which streams fail every second. The last change is never left out.
 */
export class WarningNotice {
  #isWaiting: boolean;
  /** Notices that may be given now, as a fraction. */
  #left: number = eventLimits.warningsAtOnce;
  #countedMs: number;

  /** `isWaiting`: a change of before was not told. */
  constructor(nowMs: number, isWaiting: boolean) {
    this.#countedMs = nowMs;
    this.#isWaiting = isWaiting;
  }

  /** They may have changed. */
  note(): void {
    this.#isWaiting = true;
  }

  /** Whether the client is to be told now; asked again later if not. */
  take(nowMs: number): boolean {
    if (!this.#isWaiting) return false;
    const { warningsAtOnce, warningsMs } = eventLimits;
    this.#left = Math.min(warningsAtOnce, this.#left + (nowMs - this.#countedMs) / warningsMs);
    this.#countedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    this.#isWaiting = false;
    return true;
  }
}
