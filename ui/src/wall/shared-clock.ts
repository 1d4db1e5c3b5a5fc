import type { Disposer, PageClock } from '../base/clock.ts';

/** What a screen shows of the shared clock; a new value at each change, nothing in it moves by itself. */
export interface SharedClockSnapshot {
  readonly speed: number;
  readonly isPaused: boolean;
  /** Stands until somebody who is waited for is ready. */
  readonly isHeld: boolean;
}

/**
 * The one moment that all tiles of a wall show. It runs by the machine's monotonic clock, stands while it is paused or
 * while somebody holds it, and jumps only when it is told to. Times are UTC in ms.
 */
export class SharedClock {
  readonly #clock: PageClock;
  readonly #listeners = new Set<() => void>();
  readonly #holders = new Set<object>();
  #anchorUtcMs: number;
  #anchorMs: number;
  #jumps = 0;
  #snapshot: SharedClockSnapshot = { speed: 1, isPaused: false, isHeld: false };

  constructor(clock: PageClock, utcMs: number) {
    this.#clock = clock;
    this.#anchorUtcMs = utcMs;
    this.#anchorMs = clock.monotonicMs();
  }

  readonly getSnapshot = (): SharedClockSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The moment that is to be on every screen now. */
  get utcMs(): number {
    if (!this.isRunning) return this.#anchorUtcMs;
    return this.#anchorUtcMs + (this.#clock.monotonicMs() - this.#anchorMs) * this.#snapshot.speed;
  }

  get isRunning(): boolean {
    const { isPaused, isHeld } = this.#snapshot;
    return !isPaused && !isHeld;
  }

  get speed(): number {
    return this.#snapshot.speed;
  }

  /** Grows with every jump, so that who follows knows that it was one. */
  get jumps(): number {
    return this.#jumps;
  }

  jumpTo(utcMs: number): void {
    this.#anchorUtcMs = utcMs;
    this.#anchorMs = this.#clock.monotonicMs();
    this.#jumps += 1;
    this.#holders.clear();
    this.#change({ isHeld: false });
  }

  setPaused(isPaused: boolean): void {
    this.#change({ isPaused });
  }

  setSpeed(speed: number): void {
    this.#change({ speed });
  }

  /** The clock stands until this holder, and every other, lets go. */
  hold(holder: object): void {
    this.#holders.add(holder);
    this.#change({ isHeld: true });
  }

  release(holder: object): void {
    if (this.#holders.delete(holder)) this.#change({ isHeld: this.#holders.size > 0 });
  }

  #change(change: Partial<SharedClockSnapshot>): void {
    const next = { ...this.#snapshot, ...change };
    const { speed, isPaused, isHeld } = this.#snapshot;
    if (next.speed !== speed || next.isPaused !== isPaused || next.isHeld !== isHeld) {
      // Time until now was by the old terms.
      this.#anchorUtcMs = this.utcMs;
      this.#anchorMs = this.#clock.monotonicMs();
      this.#snapshot = next;
    }
    for (const listener of this.#listeners) listener();
  }
}
