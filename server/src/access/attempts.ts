import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

export interface AttemptRule {
  /** Failures allowed within the window. */
  readonly max: number;
  readonly windowMs: number;
}

/**
 * Maximum number of keys. Beyond it the oldest window is dropped, so that a flood of keys cannot exhaust
 * memory.
 */
const maxKeys = 20_000;

/** Counts failures by key (an account, an address) in fixed windows that start with the first failure. */
export class Attempts {
  readonly #clock: Clock;
  readonly #rule: AttemptRule;
  readonly #windows = new Map<string, { count: number; endsMs: number }>();

  constructor(clock: Clock, rule: AttemptRule) {
    this.#clock = clock;
    this.#rule = rule;
  }

  /** @throws Fault TooManyRequests with `retryAfterSeconds` when the key has no attempt left. */
  check(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const window = this.#windows.get(key);
    if (!window) return;
    if (window.endsMs <= nowMs) {
      this.#windows.delete(key);
      return;
    }
    if (window.count < this.#rule.max) return;
    const retryAfterSeconds = Math.ceil((window.endsMs - nowMs) / 1_000);
    throw new Fault('TooManyRequests', 'Too many attempts.', { details: { retryAfterSeconds } });
  }

  /** Counts one attempt. */
  add(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const window = this.#windows.get(key);
    if (window && window.endsMs > nowMs) {
      window.count++;
      return;
    }
    this.#windows.delete(key);
    this.#windows.set(key, { count: 1, endsMs: nowMs + this.#rule.windowMs });
    if (this.#windows.size > maxKeys) {
      const oldest = this.#windows.keys().next().value;
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
  }

  /** Resets a key that has authenticated. */
  clear(key: string): void {
    this.#windows.delete(key);
  }
}
