import { yieldOrder, type YieldingWork } from '@vidette/contract/overload';
import type { Cancel } from './clock.ts';
import { Fault } from './fault.ts';

/** When a refused caller may try again, s. */
const retryAfterSeconds = 10;

/**
 * What waits because the server is overloaded: as many kinds of work as the level says, in the order of `yieldOrder`.
 * Recording is not among them. One per process: set by the rule that decides, or by the front for its engines.
 */
export class LoadLevel {
  readonly #listeners = new Set<() => void>();
  #level = 0;

  /** 0: nothing waits. */
  get level(): number {
    return this.#level;
  }

  /** What waits now. */
  get waiting(): readonly YieldingWork[] {
    return yieldOrder.slice(0, this.#level);
  }

  set(level: number): void {
    if (level === this.#level) return;
    this.#level = level;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Whether this kind of work waits now. */
  defers(work: YieldingWork): boolean {
    return yieldOrder.indexOf(work) < this.#level;
  }

  /** @throws Fault ServerOverloaded while this kind of work waits */
  requireRoom(work: YieldingWork): void {
    if (this.defers(work)) throw overloaded();
  }

  /** Resolves when this kind of work need not wait; rejects with the signal's reason if it is aborted first. */
  async whenFree(work: YieldingWork, signal: AbortSignal): Promise<void> {
    while (this.defers(work)) {
      signal.throwIfAborted();
      await this.#nextChange(signal);
    }
  }

  /** Calls back after each change; the returned function ends that. */
  onChange(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        end();
        reject(signal.reason);
      };
      const cancel = this.onChange(() => {
        end();
        resolve();
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** Why work that waits is refused. */
export function overloaded(): Fault {
  return new Fault('ServerOverloaded', 'The server is overloaded; recording comes first.', {
    details: { retryAfterSeconds },
  });
}
