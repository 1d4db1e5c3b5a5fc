import type { Cancel, Clock } from './clock.ts';

interface ManualTimer {
  dueMs: number;
  periodMs: number | undefined;
  run: () => void;
}

/** A clock for tests: time does not pass until `advance` moves it and fires due timers in order. */
export class ManualClock implements Clock {
  #monotonicMs = 0;
  #wallMs: number;
  readonly #timers = new Set<ManualTimer>();

  constructor(wallMs = Date.UTC(2026, 0, 1)) {
    this.#wallMs = wallMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  random(): number {
    return 0.5;
  }

  after(delayMs: number, run: () => void): Cancel {
    return this.#add({ dueMs: this.#monotonicMs + Math.max(0, delayMs), periodMs: undefined, run });
  }

  every(periodMs: number, run: () => void): Cancel {
    return this.#add({ dueMs: this.#monotonicMs + periodMs, periodMs, run });
  }

  /** Advances both clocks, firing timers when they are due. */
  advance(byMs: number): void {
    const endMs = this.#monotonicMs + byMs;
    for (;;) {
      const next = this.#earliest(endMs);
      if (!next) break;
      this.#moveTo(Math.max(this.#monotonicMs, next.dueMs));
      if (next.periodMs === undefined) this.#timers.delete(next);
      else next.dueMs = this.#monotonicMs + next.periodMs;
      next.run();
    }
    this.#moveTo(endMs);
  }

  /**
   * Advances both clocks without firing timers, as while the process is suspended: due timers fire with the
   * next `advance`.
   */
  sleep(ms: number): void {
    this.#moveTo(this.#monotonicMs + ms);
  }

  /** Steps only the wall clock, as an administrator or a time server does. */
  stepWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  #add(timer: ManualTimer): Cancel {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #earliest(endMs: number): ManualTimer | undefined {
    let found: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (!found || timer.dueMs < found.dueMs)) found = timer;
    }
    return found;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}
