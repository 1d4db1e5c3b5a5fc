import { pageTimes } from '@vidette/contract/constants';
import type { Disposer, PageClock } from '../base/clock.ts';
import { EVENT_LEAD_MS, neighbourEvent } from './events.ts';
import { clickAction, intervalAt, momentBeforeGap, neighbourRecording } from './intervals.ts';
import { MomentSearch } from './moment-search.ts';
import { PanGesture } from './pan-gesture.ts';
import type { KnownIntervals, RangesLoader } from './ranges-loader.ts';
import { SpanSelection, type SelectedSpan } from './span-selection.ts';
import { TimeScale } from './time-scale.ts';
import type { TimelineBookmark, TimelineView } from './timeline-view.ts';

export interface TimelineOptions {
  readonly clock: PageClock;
  readonly loader: RangesLoader;
  /** Play the archive from this moment, UTC ms. */
  readonly onSeek: (utcMs: number) => void;
  readonly onLive: () => void;
}

/** A moving playhead is kept within these fractions of the width. */
const FOLLOW_FROM = 0.08;
const FOLLOW_TO = 0.92;
/** Position of the playhead after a jump that leaves the view. */
const REVEAL_AT = 0.5;
/** Wheel delta of one zoom step. */
const WHEEL_STEP = 90;
/** A press this near the playhead grabs it. */
const GRIP_PX = 9;
/** A selection too narrow to grab is zoomed to this fraction of the width. */
const SELECTION_SHARE = 0.3;
const SELECTION_LEAST_PX = 48;

/**
 * The timeline of one stream without its pixels: the visible span, how pointer, wheel and keys change it, and
 * what they request from the player. The renderer calls `frame` before each drawing and reads `view`.
 */
export class Timeline {
  readonly #options: TimelineOptions;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: Disposer;
  #scale: TimeScale;
  #view: TimelineView;
  #playheadMs: number | undefined;
  #hoverMs: number | undefined;
  #scrubMs: number | undefined;
  #bookmarks: readonly TimelineBookmark[] = [];
  readonly #search: MomentSearch;
  readonly #selection = new SpanSelection();
  readonly #pan = new PanGesture();
  #framedMs: number;
  #wheel = 0;
  #isFollowing = true;
  #isSized = false;
  #cancelResize: Disposer | undefined;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#search = new MomentSearch(options.loader);
    this.#scale = TimeScale.opening(options.clock.wallMs(), 1000);
    this.#framedMs = options.clock.monotonicMs();
    this.#view = this.#compose();
    this.#unsubscribe = options.loader.subscribe(() => this.#changed());
  }

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  readonly getView = (): TimelineView => this.#view;

  /** The moment whose frame is needed: the dragged playhead, or the pointer where something is recorded. */
  get lookMs(): number | undefined {
    if (this.#scrubMs !== undefined) return this.#scrubMs;
    if (this.#hoverMs === undefined || this.#pan.isDragging) return undefined;
    const kind = intervalAt(this.#view.intervals, this.#hoverMs)?.kind;
    return kind === 'fragment' || kind === 'live' ? this.#hoverMs : undefined;
  }

  /** The width is known (applied immediately the first time) or has changed (applied when it settles, R9.6). */
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
   * Advances time: called before each drawing with the moment that the player shows. Keeps it in view unless
   * the viewer looks elsewhere, and lets a thrown timeline glide.
   */
  frame(playheadMs: number | undefined): void {
    const nowMs = this.#options.clock.monotonicMs();
    const elapsedMs = nowMs - this.#framedMs;
    this.#framedMs = nowMs;
    this.#playheadMs = this.#scrubMs ?? playheadMs;
    if (this.#pan.isGliding) this.#panByPx(this.#pan.glide(elapsedMs));
    else if (
      this.#isFollowing &&
      !this.#pan.isPressed &&
      this.#scrubMs === undefined &&
      playheadMs !== undefined
    )
      this.#follow(playheadMs);
    // Listeners are not notified: a caller at this rate draws anyway.
    this.#view = this.#compose();
  }

  zoomIn(aboutPx?: number): void {
    this.#show(this.#scale.zoomedIn(this.#about(aboutPx)));
  }

  zoomOut(aboutPx?: number): void {
    this.#show(this.#scale.zoomedOut(this.#about(aboutPx)));
  }

  /** A wheel or a trackpad: vertical movement zooms about the pointer, horizontal pans. Deltas in px. */
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

  /** A pinch: the distance of two fingers grew by `ratio` about `px`. */
  pinch(ratio: number, px: number): void {
    this.#pan.cancel();
    this.#show(this.#scale.pinched(ratio, this.#scale.toMs(px)));
  }

  /**
   * Pointer down: on the playhead, the rail or an end of the selection it drags that; elsewhere it clicks or
   * pans.
   */
  press(px: number, isOnRail = false, reachPx = GRIP_PX): void {
    if (!isOnRail && this.#selection.press(px, this.#scale, reachPx)) this.#pan.cancel();
    else if (isOnRail || this.isAtPlayhead(px)) {
      this.#pan.cancel();
      this.#scrub(px);
    } else this.#pan.press(px, this.#options.clock.monotonicMs());
  }

  /** Whether a press here would grab the playhead. */
  isAtPlayhead(px: number): boolean {
    return this.#playheadMs !== undefined && Math.abs(this.#scale.toPx(this.#playheadMs) - px) <= GRIP_PX;
  }

  /** Whether a press on the band would grab an end of the selection. */
  isAtSelection(px: number): boolean {
    return this.#selection.isHeld || this.#selection.isAtEnd(px, this.#scale, GRIP_PX);
  }

  /** Pointer move to `px`; drags while pressed. */
  move(px: number): void {
    if (this.#selection.isHeld) {
      this.#selection.move(px, this.#scale, this.#options.clock.wallMs());
      this.#hoverMs = this.#scale.toMs(px);
      this.#changed();
      return;
    }
    if (this.#scrubMs !== undefined) {
      this.#scrub(px);
      return;
    }
    this.#hoverMs = this.#scale.toMs(px);
    const byPx = this.#pan.move(px, this.#options.clock.monotonicMs());
    if (byPx === undefined) this.#changed();
    else {
      this.#look();
      this.#panByPx(byPx);
    }
  }

  /** End of a press: a click, or a drag that may glide on. */
  release(px: number): void {
    if (this.#selection.isHeld) {
      this.#selection.release();
      this.#changed();
      return;
    }
    if (this.#scrubMs !== undefined) {
      const ms = this.#scrubMs;
      this.#scrubMs = undefined;
      this.#act(ms);
      this.#changed();
      return;
    }
    const pressed = this.#pan.release(this.#options.clock.monotonicMs());
    if (pressed === 'click') this.#click(this.#scale.toMs(px));
    else if (pressed === 'drag') this.#changed();
  }

  /** The pointer left; cancels a press. */
  leave(): void {
    this.#pan.cancel();
    this.#selection.release();
    this.#scrubMs = undefined;
    this.#hoverMs = undefined;
    this.#changed();
  }

  /** Jumps to the start of the recordings in view. */
  toFirst(): void {
    const first = this.#view.intervals.find(
      (interval) => interval.kind === 'fragment' && interval.endMs > this.#scale.startMs,
    );
    if (first) this.#seek(Math.max(first.startMs, this.#scale.startMs));
  }

  /** Steps from the current moment by some time; over a gap in the direction of the step. */
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

  /** Goes live and brings the present into view. */
  live(): void {
    this.#isFollowing = true;
    this.#search.end();
    this.#options.onLive();
  }

  /** Jumps to a given moment (a typed time, a link) and brings it into view. */
  goTo(utcMs: number): void {
    this.#act(utcMs);
  }

  /**
   * Plays the event before or after the current moment, from shortly before it; does nothing if there is none.
   */
  toEvent(direction: 1 | -1): void {
    this.#seekFound(direction, (fromMs, { events }) => {
      const event = neighbourEvent(events, fromMs, direction);
      return event && event.startMs - EVENT_LEAD_MS;
    });
  }

  /** Plays up to the gap before or after the current moment, from shortly before it. */
  toGap(direction: 1 | -1): void {
    this.#seekFound(direction, (fromMs, { intervals }) => momentBeforeGap(intervals, fromMs, direction));
  }

  /** Jumps to the start of the recording before or after the current one. */
  toRecording(direction: 1 | -1): void {
    this.#seekFound(direction, (fromMs, { intervals }) => neighbourRecording(intervals, fromMs, direction));
  }

  /** Sets the bookmarks, by start time. */
  setBookmarks(bookmarks: readonly TimelineBookmark[]): void {
    this.#bookmarks = bookmarks;
    this.#changed();
  }

  /** Selects a span, or none. */
  select(span: SelectedSpan | undefined): void {
    this.#selection.set(span);
    this.#changed();
  }

  /** Brings the selection into view, wide enough to grab its ends. */
  revealSelection(): void {
    const { span } = this.#selection;
    if (!span) return;
    const scale = this.#scale;
    const lengthMs = Math.max(1, span.endMs - span.startMs);
    const middleMs = (span.startMs + span.endMs) / 2;
    const isWide = lengthMs / scale.msPerPx >= SELECTION_LEAST_PX;
    if (isWide && scale.contains(span.startMs) && scale.contains(span.endMs)) return;
    this.#look();
    this.#pan.cancel();
    const zoomed = scale.pinched((scale.spanMs * SELECTION_SHARE) / lengthMs, middleMs);
    this.#show(zoomed.showing(middleMs, REVEAL_AT));
  }

  /** Centres the view on a moment, e.g. from the overview, without seeking. */
  lookAt(utcMs: number): void {
    this.#look();
    this.#pan.cancel();
    this.#show(this.#scale.showing(utcMs, REVEAL_AT));
  }

  dispose(): void {
    this.#unsubscribe();
    this.#search.end();
    this.#cancelResize?.();
    this.#options.loader.pause();
    this.#listeners.clear();
  }

  #scrub(px: number): void {
    const { clock } = this.#options;
    this.#scrubMs = Math.min(this.#scale.toMs(px), clock.wallMs());
    this.#playheadMs = this.#scrubMs;
    this.#hoverMs = undefined;
    this.#changed();
  }

  #click(ms: number): void {
    this.#look();
    this.#search.end();
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
    // Keys pressed in quick succession add up, whether or not the player has finished seeking.
    this.#playheadMs = ms;
    this.#options.onSeek(ms);
    this.#changed();
  }

  /** Plays the nearest moment of some kind from the current one. */
  #seekFound(
    direction: 1 | -1,
    momentIn: (fromMs: number, known: KnownIntervals) => number | undefined,
  ): void {
    const fromMs = () => this.#playheadMs ?? this.#options.clock.wallMs();
    this.#search.begin(direction, fromMs, momentIn, (ms) => this.#act(ms));
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

  #panByPx(byPx: number): void {
    this.#show(this.#scale.pannedByMs(-byPx * this.#scale.msPerPx));
  }

  /** The fixed point of zooming: the pointer, else the playhead if it is in view, else the middle. */
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
      gaps: this.#options.loader.gaps,
      begunMs: this.#options.loader.begunMs,
      events: this.#options.loader.events,
      nowMs: this.#options.clock.wallMs(),
      playheadMs: this.#playheadMs,
      hoverMs: this.#hoverMs,
      isDragging: this.#pan.isDragging,
      scrubMs: this.#scrubMs,
      bookmarks: this.#bookmarks,
      selection: this.#selection.span,
    };
  }

  #changed(): void {
    this.#view = this.#compose();
    for (const listener of this.#listeners) listener();
  }
}
