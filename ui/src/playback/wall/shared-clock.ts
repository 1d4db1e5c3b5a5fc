import type { Disposer, PageClock } from '../../base/clock.ts';

/**
 * What a screen shows of the shared clock; a new value on each change, without continuously changing values.
 */
export interface SharedClockSnapshot {
  readonly speed: number;
  readonly isPaused: boolean;
  /** Stopped until a tile that is waited for is ready. */
  readonly isHeld: boolean;
}

/**
 * The one moment that all tiles of a wall show. It runs by the machine's monotonic clock, stops while it is
 * paused or a holder holds it, and jumps only on request. Times are UTC in ms.
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

  /** The moment that every tile should show now. */
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

  /** Incremented by every jump, so that followers can detect it. */
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

  /** Stops the clock until this holder, and every other, releases it. */
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
      // Time up to now ran under the old settings.
      this.#anchorUtcMs = this.utcMs;
      this.#anchorMs = this.#clock.monotonicMs();
      this.#snapshot = next;
    }
    for (const listener of this.#listeners) listener();
  }
}
