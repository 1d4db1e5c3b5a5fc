import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { FailedAttempts } from '../store/failed-attempts.ts';
import type { AttemptRule } from './attempts.ts';
import { hashSecret } from './secrets.ts';

/** Counts attempts for all nodes. */
export type AttemptCounts = Pick<FailedAttempts, 'of' | 'add' | 'clear'>;

/**
 * Counts attempts by key in fixed windows that start with the first attempt, for all nodes on the database
 * together: guessing a secret or enumerating accounts gains nothing by switching to another node. Keys are
 * stored hashed.
 */
export class SharedAttempts {
  readonly #counts: AttemptCounts;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #rule: AttemptRule;

  /** `name` separates the keys from those of other limits. */
  constructor(counts: AttemptCounts, clock: Clock, name: string, rule: AttemptRule) {
    this.#counts = counts;
    this.#clock = clock;
    this.#name = name;
    this.#rule = rule;
  }

  /** Counts one attempt. @throws Fault TooManyRequests with `retryAfterSeconds` when the key has none left. */
  async take(key: string): Promise<void> {
    const { max, windowMs } = this.#rule;
    const nowMs = this.#clock.wallMs();
    const stored = this.#keyOf(key);
    const before = (await this.#counts.of([stored], nowMs)).get(stored);
    if (before && before.count >= max) throw tooMany(Math.min(before.expiresMs - nowMs, windowMs));
    // Each of many simultaneous attempts is counted before the limit is checked again.
    if ((await this.#counts.add(stored, nowMs, windowMs, false)) > max) throw tooMany(windowMs);
  }

  /** Resets a key that has authenticated. */
  clear(key: string): Promise<void> {
    return this.#counts.clear(this.#keyOf(key));
  }

  #keyOf(key: string): string {
    return hashSecret(`${this.#name}\n${key}`);
  }
}

function tooMany(waitMs: number): Fault {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return new Fault('TooManyRequests', 'Too many attempts.', { details: { retryAfterSeconds } });
}
