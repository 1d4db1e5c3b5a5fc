import { pageTimes } from '@vidette/contract/constants';
import type { Disposer, PageClock } from '../base/clock.ts';
import { TimeScale } from './time-scale.ts';

export interface TimelineWindowOptions {
  readonly clock: PageClock;
  /** @param isSized the width is known, so that the span is really on screen */
  readonly onChange: (scale: TimeScale, isSized: boolean) => void;
}

/** A moving playhead is kept within these fractions of the width. */
const FOLLOW_FROM = 0.08;
const FOLLOW_TO = 0.92;
/** Position of a moment that was out of view. */
const REVEAL_AT = 0.5;

/** The visible span of a timeline: what it shows, and whether it follows the playhead. */
export class TimelineWindow {
  readonly #options: TimelineWindowOptions;
  #scale: TimeScale;
  #isFollowing = true;
  #isSized = false;
  #cancelResize: Disposer | undefined;

  constructor(options: TimelineWindowOptions) {
    this.#options = options;
    this.#scale = TimeScale.opening(options.clock.wallMs(), 1000);
  }

  get scale(): TimeScale {
    return this.#scale;
  }

  /** The width is known (applied immediately the first time) or has changed (applied when it settles, R9.6). */
  resize(widthPx: number): void {
    this.#cancelResize?.();
    const apply = () => {
      this.#isSized = true;
      this.show(this.#scale.withWidth(widthPx));
    };
    if (this.#isSized) this.#cancelResize = this.#options.clock.after(pageTimes.resizeDebounceMs, apply);
    else apply();
  }

  show(scale: TimeScale): void {
    this.#scale = scale;
    this.#options.onChange(scale, this.#isSized);
  }

  panByPx(byPx: number): void {
    this.show(this.#scale.pannedByMs(-byPx * this.#scale.msPerPx));
  }

  /** Centres the view on a moment, at the zoom of `scale`. */
  centre(utcMs: number, scale = this.#scale): void {
    this.show(scale.showing(utcMs, REVEAL_AT));
  }

  /** The viewer moves the view: the playhead may leave it. */
  look(): void {
    this.#isFollowing = false;
  }

  follow(): void {
    this.#isFollowing = true;
  }

  /** Keeps a moving playhead in view, unless the viewer looks elsewhere. */
  keepInView(playheadMs: number): void {
    if (!this.#isFollowing) return;
    const scale = this.#scale;
    const share = (playheadMs - scale.startMs) / scale.spanMs;
    if (share >= FOLLOW_FROM && share <= FOLLOW_TO) return;
    const isNear = share > -0.5 && share < 1.5;
    const at = share > FOLLOW_TO ? FOLLOW_TO : FOLLOW_FROM;
    this.show(scale.showing(playheadMs, isNear ? at : REVEAL_AT));
  }

  dispose(): void {
    this.#cancelResize?.();
  }
}
