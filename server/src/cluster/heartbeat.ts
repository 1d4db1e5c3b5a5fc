import type { Cancel, Clock } from '../base/clock.ts';

/** Pause between the end of one beat and the next. */
const periodMs = 1_000;

/** Runs a node's work of every second, and tasks requested in between: one at a time, in order. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #beat: () => Promise<void>;
  #cancel: Cancel | undefined;
  /** The end of the newest task. */
  #last: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `beat` handles its own errors. */
  constructor(clock: Clock, beat: () => Promise<void>) {
    this.#clock = clock;
    this.#beat = beat;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Schedules the first beat. */
  start(): void {
    this.#schedule(0);
  }

  /** Runs a task when the previous ones have ended; rejects as the task does. */
  run(task: () => Promise<void>): Promise<void> {
    const result = this.#last.then(task);
    // The next task in the queue does not depend on the result of this one; the caller of this one gets the
    // error.
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** No further beat begins; resolves when the tasks that were queued have ended. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    return this.#last;
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#clock.after(delayMs, () => void this.run(() => this.#tick()));
  }

  async #tick(): Promise<void> {
    if (this.#isStopped) return;
    await this.#beat();
    this.#schedule(periodMs);
  }
}
