import type { Clock } from './clock.ts';

/**
 * One stop request arrives as several signals: from the terminal, from npm, from the parent process, from a
 * supervisor.
 */
const sameWishMs = 5_000;

export interface StopRequestsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Stops the server gracefully. Called once. */
  readonly stop: () => void;
  /** Stops it immediately, if the graceful stop takes too long and is requested again. */
  readonly force: () => void;
}

/**
 * Distinguishes one stop request, however many signals it arrives as, from a second one made because the first
 * takes too long.
 */
export class StopRequests {
  readonly #options: StopRequestsOptions;
  #firstMs: number | undefined;

  constructor(options: StopRequestsOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#firstMs !== undefined;
  }

  /** Takes a signal that requests a stop. */
  ask(): void {
    const { clock, stop, force } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#firstMs === undefined) {
      this.#firstMs = nowMs;
      stop();
    } else if (nowMs - this.#firstMs >= sameWishMs) force();
  }
}
