import type { Cancel, Clock } from '../base/clock.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Growing, jittered pauses between tries of one thing. */
export class RetryTimer {
  readonly #clock: Clock;
  #failures = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isPending(): boolean {
    return this.#cancel !== undefined;
  }

  /** Runs after the next pause; a pause that goes on already ends. */
  after(run: () => void): void {
    this.cancel();
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#cancel = this.#clock.after(pauseMs * (0.75 + 0.5 * this.#clock.random()), () => {
      this.#cancel = undefined;
      run();
    });
  }

  /** It works: the next pause is the shortest again. */
  succeeded(): void {
    this.#failures = 0;
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
