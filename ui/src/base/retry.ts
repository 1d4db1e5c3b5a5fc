import { ApiError } from '@vidette/contract/client';
import { Backoff } from './backoff.ts';
import type { Disposer, PageClock } from './clock.ts';

/** The part that is unreachable. */
export type AwayReason = 'network' | 'storage' | 'overload';

/** Codes that name the reason; any other is a server that can't be reached. */
const awayReasons: Readonly<Record<string, AwayReason>> = {
  FarArchiveUnavailable: 'storage',
  ServerOverloaded: 'overload',
};

export interface RetryOptions {
  readonly clock: PageClock;
  readonly signal: AbortSignal;
  /** The part that is unreachable and being retried with growing pauses; undefined: it answers again. */
  readonly onWaiting: (reason: AwayReason | undefined) => void;
}

/**
 * Runs an operation that may fail for lack of a network until it succeeds, with pauses that can be cut short.
 */
export class Retry {
  readonly #options: RetryOptions;
  /** Each entry ends one pause; all end when the network is back. */
  readonly #pauses = new Set<() => void>();

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /**
   * Undefined when the resource no longer exists (404, 416), and after the signal has aborted.
   * @throws errors that a retry does not change
   */
  async run<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { signal, onWaiting } = this.#options;
    const backoff = new Backoff({ firstMs: 500, longestMs: 8_000 });
    for (let failures = 0; ; failures++) {
      try {
        const answer = await ask(signal);
        if (failures > 0) onWaiting(undefined);
        return answer;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof ApiError && (error.status === 404 || error.status === 416)) return undefined;
        const mayPass =
          error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
        if (!mayPass) throw error;
        onWaiting(awayReasons[error.code] ?? 'network');
        await this.pause(backoff.next());
        if (signal.aborted) return undefined;
      }
    }
  }

  /** Waits for this long, or until `wake`. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#pauses.delete(end);
        cancel();
        resolve();
      };
      const cancel: Disposer = this.#options.clock.after(delayMs, end);
      this.#pauses.add(end);
    });
  }

  /** The network is back, or no caller waits any more: ends all pauses now. */
  wake(): void {
    for (const end of this.#pauses) end();
  }
}
