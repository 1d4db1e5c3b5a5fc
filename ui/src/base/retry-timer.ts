import { Backoff } from './backoff.ts';
import type { Disposer, PageClock } from './clock.ts';

/** The longest pause where the other side asked to connect again. */
const SOON_MS = 100;

/** Growing, jittered pauses between connection attempts: half a second to 15 s. */
export class RetryTimer {
  readonly #clock: PageClock;
  readonly #backoff: Backoff;
  #cancel: Disposer | undefined;

  constructor(clock: PageClock) {
    this.#clock = clock;
    const random = () => clock.random();
    this.#backoff = new Backoff({ firstMs: 500, longestMs: 15_000, spread: 0.25, random });
  }

  get isPending(): boolean {
    return this.#cancel !== undefined;
  }

  /** Runs after the next pause; a running pause is cancelled. */
  after(run: () => void): void {
    this.#wait(this.#backoff.next(), run);
  }

  /** Runs almost immediately, scattered a little: many pages are asked together. A running pause is cancelled. */
  soon(run: () => void): void {
    this.#wait(this.#clock.random() * SOON_MS, run);
  }

  /** Success: the next pause is the shortest again. */
  succeeded(): void {
    this.#backoff.reset();
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(pauseMs: number, run: () => void): void {
    this.cancel();
    this.#cancel = this.#clock.after(pauseMs, () => {
      this.#cancel = undefined;
      run();
    });
  }
}
