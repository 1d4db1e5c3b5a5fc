import type { Clock } from './clock.ts';

/** One wish to stop comes as several signals: from the terminal, from npm, from what started the server, from a supervisor. */
const sameWishMs = 5_000;

export interface StopRequestsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Ends the server in order. Called once. */
  readonly stop: () => void;
  /** Ends it immediately, when the stop takes too long and is requested again. */
  readonly force: () => void;
}

/** Tells one wish to stop, however often it is heard, from a second one that came because the first takes too long. */
export class StopRequests {
  readonly #options: StopRequestsOptions;
  #firstMs: number | undefined;

  constructor(options: StopRequestsOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#firstMs !== undefined;
  }

  /** A signal asks for the end. */
  ask(): void {
    const { clock, stop, force } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#firstMs === undefined) {
      this.#firstMs = nowMs;
      stop();
    } else if (nowMs - this.#firstMs >= sameWishMs) force();
  }
}
