import type { PageClock } from '../base/clock.ts';

/** A frame on screen that has not changed for a while. */
export interface OldFrame {
  /** When it was captured, UTC ms. */
  readonly utcMs: number;
  /** How long ago that was, whole seconds in ms. */
  readonly ageMs: number;
}

/**
 * A frame that stays for longer is old unless its playback says that it plays, as one that shows only key frames
 * does; `FrameArrivals` decides that.
 */
const OLD_AFTER_MS = 3000;

/**
 * How old the frame on screen is. The server's clock stamps it, and this browser's may differ: a frame that was
 * live is as old as the time for which it has not changed. Any other, such as one of the archive that is still
 * on screen, is compared with the wall clock.
 */
export class FrameAge {
  readonly #clock: PageClock;
  #utcMs: number | undefined;
  #wasLive = false;
  #changedMs = 0;
  #changedWallMs = 0;
  #old: OldFrame | undefined;

  constructor(clock: PageClock) {
    this.#clock = clock;
  }

  /**
   * Called several times a second with the moment on screen; undefined without a frame. The same object until
   * something changes.
   */
  look(utcMs: number | undefined, isLive: boolean): OldFrame | undefined {
    const clock = this.#clock;
    if (utcMs !== this.#utcMs) {
      this.#utcMs = utcMs;
      this.#wasLive = false;
      this.#changedMs = clock.monotonicMs();
      this.#changedWallMs = clock.wallMs();
    }
    this.#wasLive ||= isLive;
    // The monotonic clock stops while the machine sleeps, and the wall clock may be set back.
    const sameMs = Math.max(clock.monotonicMs() - this.#changedMs, clock.wallMs() - this.#changedWallMs);
    if (utcMs === undefined || sameMs < OLD_AFTER_MS) return (this.#old = undefined);
    const exactMs = this.#wasLive ? sameMs : Math.max(sameMs, clock.wallMs() - utcMs);
    const ageMs = Math.floor(exactMs / 1000) * 1000;
    if (this.#old?.utcMs !== utcMs || this.#old.ageMs !== ageMs) this.#old = { utcMs, ageMs };
    return this.#old;
  }
}
