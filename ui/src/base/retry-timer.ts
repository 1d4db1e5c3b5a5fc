import { Backoff } from './backoff.ts';
import type { Disposer, PageClock } from './clock.ts';

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
    this.cancel();
    this.#cancel = this.#clock.after(this.#backoff.next(), () => {
      this.#cancel = undefined;
      run();
    });
  }

  /** Success: the next pause is the shortest again. */
  succeeded(): void {
    this.#backoff.reset();
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
