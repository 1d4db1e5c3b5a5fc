import { pageTimes } from '@vidette/contract/constants';
import type { Cancel, Clock } from '../player/clock.ts';
import { EVENT_LEAD_MS, neighbourEvent, type TimelineEvent } from './events.ts';
import { clickAction, intervalAt, type Interval } from './intervals.ts';
import type { RangesLoader } from './ranges-loader.ts';
import { TimeScale } from './time-scale.ts';

export interface TimelineOptions {
  readonly clock: Clock;
  readonly loader: RangesLoader;
  /** Play the archive from this moment, UTC ms. */
  readonly onSeek: (utcMs: number) => void;
  readonly onLive: () => void;
}

/** What is drawn; a new value at each change. */
export interface TimelineView {
  readonly scale: TimeScale;
  readonly intervals: readonly Interval[];
  readonly events: readonly TimelineEvent[];
  readonly nowMs: number;
  /** The moment on screen; undefined before there is a picture. */
  readonly playheadMs: number | undefined;
  /** Under the pointer. */
  readonly hoverMs: number | undefined;
  readonly isDragging: boolean;
}

/** A press that moves less than this is a click. */
const CLICK_SLOP_PX = 5;
/** A playing playhead is held inside these shares of the width. */
const FOLLOW_FROM = 0.08;
const FOLLOW_TO = 0.92;
/** Where a jump that leaves the view puts the playhead. */
const REVEAL_AT = 0.5;
/** So much turning of a wheel is one step of zoom. */
const WHEEL_STEP = 90;
/** Speed of a thrown timeline falls to a third in this time, and is over below so many pixels a second. */
const GLIDE_MS = 250;
const GLIDE_OVER_PX_PER_S = 20;
const TEN_SECONDS_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Press {
  readonly startPx: number;
  lastPx: number;
  lastMs: number;
  /** Of the pointer, px per second. */
  speed: number;
  hasMoved: boolean;
}

/**
 * The timeline of one stream without its pixels: what is in view, how pointer, wheel and keys change it, and what they
 * ask of the player. Whoever shows it calls `frame` before each drawing and reads `view`.
 */
export class Timeline {
  readonly #options: TimelineOptions;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: Cancel;
  #scale: TimeScale;
  #view: TimelineView;
  #playheadMs: number | undefined;
  #hoverMs: number | undefined;
  #press: Press | undefined;
  #glide: { speed: number } | undefined;
  #framedMs: number;
  #wheel = 0;
  #isFollowing = true;
  #isSized = false;
  #cancelResize: Cancel | undefined;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#scale = TimeScale.opening(options.clock.wallMs(), 1000);
    this.#framedMs = options.clock.monotonicMs();
    this.#view = this.#compose();
    this.#unsubscribe = options.loader.subscribe(() => this.#changed());
  }

  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changed. */
  readonly getView = (): TimelineView => this.#view;

  /** The width is known (at once the first time) or has changed (when it rests, R9.6). */
  resize(widthPx: number): void {
    this.#cancelResize?.();
    const apply = () => {
      this.#isSized = true;
      this.#show(this.#scale.withWidth(widthPx));
    };
    if (this.#isSized) this.#cancelResize = this.#options.clock.after(pageTimes.resizeDebounceMs, apply);
    else apply();
  }

  /**
   * Time went on: called before each drawing with the moment that the player shows. Keeps it in view unless the viewer
   * looks elsewhere, and lets a thrown timeline glide.
   */
  frame(playheadMs: number | undefined): void {
    const nowMs = this.#options.clock.monotonicMs();
    const elapsedMs = nowMs - this.#framedMs;
    this.#framedMs = nowMs;
    this.#playheadMs = playheadMs;
    if (this.#glide) this.#glideOn(this.#glide, elapsedMs);
    else if (this.#isFollowing && !this.#press && playheadMs !== undefined) this.#follow(playheadMs);
    // No word to the listeners: whoever calls this many times a second draws anyway.
    this.#view = this.#compose();
  }

  zoomIn(aboutPx?: number): void {
    this.#show(this.#scale.zoomedIn(this.#about(aboutPx)));
  }

  zoomOut(aboutPx?: number): void {
    this.#show(this.#scale.zoomedOut(this.#about(aboutPx)));
  }

  /** A wheel or a trackpad: up and down zooms about the pointer, sideways pans. Deltas in px. */
  wheel(px: number, deltaX: number, deltaY: number): void {
    if (Math.abs(deltaX) > Math.abs(deltaY)) {
      this.#look();
      this.#show(this.#scale.pannedByMs(deltaX * this.#scale.msPerPx));
      return;
    }
    if (Math.sign(deltaY) !== Math.sign(this.#wheel)) this.#wheel = 0;
    this.#wheel += deltaY;
    while (Math.abs(this.#wheel) >= WHEEL_STEP) {
      const isIn = this.#wheel < 0;
      this.#wheel += isIn ? WHEEL_STEP : -WHEEL_STEP;
      if (isIn) this.zoomIn(px);
      else this.zoomOut(px);
    }
  }

  /** Two fingers: their distance grew by `ratio` about `px`. */
  pinch(ratio: number, px: number): void {
    this.#press = undefined;
    this.#show(this.#scale.pinched(ratio, this.#scale.toMs(px)));
  }

  press(px: number): void {
    this.#glide = undefined;
    this.#press = {
      startPx: px,
      lastPx: px,
      lastMs: this.#options.clock.monotonicMs(),
      speed: 0,
      hasMoved: false,
    };
  }

  /** The pointer is at `px`; drags while pressed. */
  move(px: number): void {
    const press = this.#press;
    this.#hoverMs = this.#scale.toMs(px);
    if (press && (press.hasMoved || Math.abs(px - press.startPx) >= CLICK_SLOP_PX)) {
      const nowMs = this.#options.clock.monotonicMs();
      const elapsedMs = Math.max(1, nowMs - press.lastMs);
      press.hasMoved = true;
      press.speed = 0.6 * press.speed + 0.4 * (((px - press.lastPx) / elapsedMs) * 1000);
      this.#look();
      const byPx = px - press.lastPx;
      press.lastPx = px;
      press.lastMs = nowMs;
      this.#show(this.#scale.pannedByMs(-byPx * this.#scale.msPerPx));
      return;
    }
    this.#changed();
  }

  /** A press ends: a click, or a drag that may glide on. */
  release(px: number): void {
    const press = this.#press;
    this.#press = undefined;
    if (!press) return;
    if (!press.hasMoved) {
      this.#click(this.#scale.toMs(px));
      return;
    }
    const restedMs = this.#options.clock.monotonicMs() - press.lastMs;
    if (restedMs < 60 && Math.abs(press.speed) > 200) this.#glide = { speed: press.speed };
    this.#changed();
  }

  /** The pointer is gone; a press is given up. */
  leave(): void {
    this.#press = undefined;
    this.#hoverMs = undefined;
    this.#changed();
  }

  /**
   * A key of the slider; true when it meant something here. Arrows 10 s (with shift a minute), page keys an hour,
   * Home to the beginning of what is recorded in view, End live, plus and minus zoom, brackets to the previous and
   * next recording, comma and full stop to the previous and next event.
   */
  key(key: string, isShifted: boolean): boolean {
    const stepMs = isShifted ? MINUTE_MS : TEN_SECONDS_MS;
    switch (key) {
      case 'ArrowLeft':
      case 'ArrowDown':
        this.step(-stepMs);
        return true;
      case 'ArrowRight':
      case 'ArrowUp':
        this.step(stepMs);
        return true;
      case 'PageDown':
        this.step(-HOUR_MS);
        return true;
      case 'PageUp':
        this.step(HOUR_MS);
        return true;
      case 'Home': {
        const first = this.#view.intervals.find(
          (interval) => interval.kind === 'fragment' && interval.endMs > this.#scale.startMs,
        );
        if (first) this.#seek(Math.max(first.startMs, this.#scale.startMs));
        return true;
      }
      case 'End':
        this.live();
        return true;
      case '[':
        this.#toNeighbour(-1);
        return true;
      case ']':
        this.#toNeighbour(1);
        return true;
      case ',':
        this.toEvent(-1);
        return true;
      case '.':
        this.toEvent(1);
        return true;
      case '+':
      case '=':
        this.zoomIn();
        return true;
      case '-':
      case '_':
        this.zoomOut();
        return true;
      default:
        return false;
    }
  }

  /** From what is shown by some time; over a gap in the direction of the step. */
  step(byMs: number): void {
    const { clock } = this.#options;
    const fromMs = this.#playheadMs ?? clock.wallMs();
    const toMs = fromMs + byMs;
    if (toMs >= clock.wallMs()) {
      this.live();
      return;
    }
    const landed = intervalAt(this.#view.intervals, toMs);
    if (byMs < 0 && landed?.kind === 'gap') {
      const before = this.#view.intervals.findLast(
        (interval) => interval.kind !== 'gap' && interval.endMs <= landed.startMs,
      );
      if (before) this.#seek(Math.max(before.startMs, before.endMs + byMs));
      return;
    }
    this.#act(toMs);
  }

  /** Goes to what the camera sees now and brings it into view. */
  live(): void {
    this.#isFollowing = true;
    this.#options.onLive();
  }

  /** Goes to a moment by name (a typed time, a link) and brings it into view. */
  goTo(utcMs: number): void {
    this.#act(utcMs);
  }

  /** Plays the known event before or after what is shown, from shortly before it; nothing where there is none. */
  toEvent(direction: 1 | -1): void {
    const event = neighbourEvent(
      this.#view.events,
      this.#playheadMs ?? this.#options.clock.wallMs(),
      direction,
    );
    if (event) this.#act(event.startMs - EVENT_LEAD_MS);
  }

  dispose(): void {
    this.#unsubscribe();
    this.#cancelResize?.();
    this.#options.loader.pause();
    this.#listeners.clear();
  }

  #click(ms: number): void {
    this.#look();
    this.#act(ms);
  }

  #act(ms: number): void {
    const action = clickAction(this.#view.intervals, ms, this.#options.clock.wallMs());
    if (action.type === 'live') this.live();
    else if (action.type === 'seek') this.#seek(action.ms);
  }

  #seek(ms: number): void {
    this.#isFollowing = true;
    if (!this.#scale.contains(ms)) this.#show(this.#scale.showing(ms, REVEAL_AT));
    // Keys pressed quickly add up, whether or not the player is there yet.
    this.#playheadMs = ms;
    this.#options.onSeek(ms);
    this.#changed();
  }

  /** The start of the recording before or after the one that is shown. */
  #toNeighbour(direction: 1 | -1): void {
    const fromMs = this.#playheadMs ?? this.#options.clock.wallMs();
    const playable = this.#view.intervals.filter((interval) => interval.kind !== 'gap');
    const target =
      direction > 0
        ? playable.find((interval) => interval.startMs > fromMs)
        : playable.findLast((interval) => interval.startMs < fromMs - 2000);
    if (!target) return;
    if (target.kind === 'live') this.live();
    else this.#seek(target.startMs);
  }

  /** The viewer looks around: the playhead may leave the view. */
  #look(): void {
    this.#isFollowing = false;
  }

  #follow(playheadMs: number): void {
    const scale = this.#scale;
    const share = (playheadMs - scale.startMs) / scale.spanMs;
    if (share >= FOLLOW_FROM && share <= FOLLOW_TO) return;
    const isNear = share > -0.5 && share < 1.5;
    const at = share > FOLLOW_TO ? FOLLOW_TO : FOLLOW_FROM;
    this.#show(scale.showing(playheadMs, isNear ? at : REVEAL_AT));
  }

  #glideOn(glide: { speed: number }, elapsedMs: number): void {
    this.#show(this.#scale.pannedByMs((-glide.speed * elapsedMs * this.#scale.msPerPx) / 1000));
    glide.speed *= Math.exp((-1.1 * elapsedMs) / GLIDE_MS);
    if (Math.abs(glide.speed) < GLIDE_OVER_PX_PER_S) this.#glide = undefined;
  }

  /** What zooming keeps in place: the pointer, else the playhead if it is in view, else the middle. */
  #about(px: number | undefined): number {
    if (px !== undefined) return this.#scale.toMs(px);
    const { scale } = this.#view;
    if (this.#playheadMs !== undefined && scale.contains(this.#playheadMs)) return this.#playheadMs;
    return scale.startMs + scale.spanMs / 2;
  }

  #show(scale: TimeScale): void {
    this.#scale = scale;
    if (this.#isSized) this.#options.loader.show(scale);
    this.#changed();
  }

  #compose(): TimelineView {
    return {
      scale: this.#scale,
      intervals: this.#options.loader.intervals,
      events: this.#options.loader.events,
      nowMs: this.#options.clock.wallMs(),
      playheadMs: this.#playheadMs,
      hoverMs: this.#hoverMs,
      isDragging: this.#press?.hasMoved ?? false,
    };
  }

  #changed(): void {
    this.#view = this.#compose();
    for (const listener of this.#listeners) listener();
  }
}
