import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { FailedAttempts } from '../store/failed-attempts.ts';
import type { AttemptRule } from './attempts.ts';
import { hashSecret } from './secrets.ts';

/** Where attempts are counted for all nodes. */
export type AttemptCounts = Pick<FailedAttempts, 'of' | 'add' | 'clear'>;

/**
 * Counts attempts by key in fixed windows that begin with the first, for all nodes on the database together: what guesses at
 * a secret or asks who is here gains nothing by going to another node. Keys are kept hashed.
 */
export class SharedAttempts {
  readonly #counts: AttemptCounts;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #rule: AttemptRule;

  /** `name` keeps the keys apart from those of other limits. */
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
    // Of many that come together each counts itself before the limit is judged again.
    if ((await this.#counts.add(stored, nowMs, windowMs, false)) > max) throw tooMany(windowMs);
  }

  /** Forgets a key that has proved itself. */
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
