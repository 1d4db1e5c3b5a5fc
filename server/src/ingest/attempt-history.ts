import type { ErrorCode } from '@vidette/contract/errors';
import type { SourceEngine } from './running-attempt.ts';

/** One finished connection attempt. */
export interface Attempt {
  /** Wall clock, ms. */
  readonly startedMs: number;
  readonly endedMs: number;
  /** For how long frames arrived, ms; 0 if none did. */
  readonly goodMs: number;
  readonly engine: SourceEngine;
  /** How it ended. */
  readonly code: ErrorCode;
  readonly reason: string;
}

const maxAttempts = 100;

/** The latest attempts of one source; a repeated failure is stored once, with its latest end. */
export class AttemptHistory {
  #attempts: Attempt[] = [];

  add(attempt: Attempt): void {
    const last = this.#attempts.at(-1);
    if (last && attempt.goodMs === 0 && last.goodMs === 0 && last.reason === attempt.reason) {
      this.#attempts[this.#attempts.length - 1] = { ...attempt, startedMs: last.startedMs };
      return;
    }
    this.#attempts.push(attempt);
    if (this.#attempts.length > maxAttempts) this.#attempts.shift();
  }

  /** Oldest first. */
  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }
}
