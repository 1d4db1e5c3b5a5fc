import type { Disposer, PageClock } from '../base/clock.ts';

interface TestTimer {
  dueMs: number;
  readonly periodMs: number | undefined;
  readonly run: () => void;
}

/** A clock for tests: time stops until `advance` moves it, running due timers in order. */
export class TestClock implements PageClock {
  #nowMs = 0;
  #wallOffsetMs: number;
  readonly #timers = new Set<TestTimer>();

  constructor(wallMs = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = wallMs;
  }

  wallMs(): number {
    return this.#wallOffsetMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  random(): number {
    return 0.5;
  }

  after(delayMs: number, run: () => void): Disposer {
    return this.#add({ dueMs: this.#nowMs + delayMs, periodMs: undefined, run });
  }

  every(periodMs: number, run: () => void): Disposer {
    return this.#add({ dueMs: this.#nowMs + periodMs, periodMs, run });
  }

  /** Advances both clocks, firing timers at their moments. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (;;) {
      let next: TestTimer | undefined;
      for (const timer of this.#timers) {
        if (timer.dueMs <= endMs && (!next || timer.dueMs < next.dueMs)) next = timer;
      }
      if (!next) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      if (next.periodMs === undefined) this.#timers.delete(next);
      else next.dueMs += next.periodMs;
      next.run();
    }
    this.#nowMs = endMs;
  }

  /** The machine slept: the wall clock advanced, no timer ran. */
  sleep(forMs: number): void {
    this.#wallOffsetMs += forMs;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  #add(timer: TestTimer): Disposer {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
}

/** Runs promise reactions that are already due. */
export async function settle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}
