import type { PageClock } from '../base/clock.ts';

/** If seeks take longer than this on average, the fragments are too long to be decoded repeatedly. */
const SLOW_SEEK_MS = 250;
const SEEKS_COUNTED = 6;

/** How long the last seeks of an element took, on the monotonic clock. */
export class SeekTimes {
  readonly #clock: PageClock;
  #sinceMs: number | undefined;
  #timesMs: number[] = [];

  constructor(clock: PageClock) {
    this.#clock = clock;
  }

  /** A seek has begun and its frame is not on screen yet. */
  get isSeeking(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** The last few seeks took too long on average. */
  get isSlow(): boolean {
    return (
      this.#timesMs.length === SEEKS_COUNTED &&
      this.#timesMs.reduce((sum, ms) => sum + ms, 0) > SEEKS_COUNTED * SLOW_SEEK_MS
    );
  }

  begin(): void {
    this.#sinceMs = this.#clock.monotonicMs();
  }

  /** The frame is on screen. */
  arrive(): void {
    if (this.#sinceMs === undefined) return;
    const tookMs = this.#clock.monotonicMs() - this.#sinceMs;
    this.#timesMs = [...this.#timesMs, tookMs].slice(-SEEKS_COUNTED);
    this.#sinceMs = undefined;
  }

  /** The seek was abandoned. */
  abandon(): void {
    this.#sinceMs = undefined;
  }
}
