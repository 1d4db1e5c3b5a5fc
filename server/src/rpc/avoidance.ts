import { backoffMs, type Backoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';

/** How long a node is not called after the first failure; each further one doubles this. */
const rests: Backoff = { firstMs: 1_000, longestMs: 8_000 };

interface Avoided {
  readonly failures: number;
  /** Until then it is not called, monotonic ms. */
  untilMs: number;
}

/**
 * Which calls are temporarily not sent to which nodes, because the last ones cost time and failed. When the
 * time is over one call tries; the others wait for its result.
 */
export class Avoidance {
  readonly #clock: Clock;
  readonly #avoided = new Map<string, Avoided>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Whether it may be called now. After failures only one caller may try within `trialMs`, until `succeeded` is
   * called.
   */
  mayAsk(key: string, trialMs: number): boolean {
    const avoided = this.#avoided.get(key);
    if (!avoided) return true;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < avoided.untilMs) return false;
    avoided.untilMs = nowMs + trialMs;
    return true;
  }

  failed(key: string): void {
    const failures = (this.#avoided.get(key)?.failures ?? 0) + 1;
    const restMs = backoffMs(failures, rests);
    this.#avoided.set(key, { failures, untilMs: this.#clock.monotonicMs() + restMs });
  }

  succeeded(key: string): void {
    this.#avoided.delete(key);
  }

  /** Forgets what is known about a node. */
  forget(isOfNode: (key: string) => boolean): void {
    for (const key of this.#avoided.keys()) if (isOfNode(key)) this.#avoided.delete(key);
  }
}
