import type { Disposer, PageClock } from '../base/clock.ts';
import { depthOf, type ArchiveDepth, type RecordedDays } from './archive-depth.ts';
import { TimeScale } from './time-scale.ts';
import type { Timeline } from './timeline.ts';
import type { Zone } from './zone.ts';

export interface OverviewOptions {
  readonly clock: Pick<PageClock, 'wallMs'>;
  /** Whose view the overview shows and moves. */
  readonly timeline: Timeline;
  readonly zone: Zone;
}

/** What is drawn; a new value at each change. */
export interface OverviewView {
  readonly depth: ArchiveDepth;
  /** The whole depth over the width. */
  readonly scale: TimeScale;
  /** What the timeline shows, UTC ms. */
  readonly shownFromMs: number;
  readonly shownToMs: number;
  readonly playheadMs: number | undefined;
  readonly nowMs: number;
  readonly hoverMs: number | undefined;
  /** The window is being dragged. */
  readonly isDragging: boolean;
}

/** A press that moves less than this is a click. */
const CLICK_SLOP_PX = 5;
/** The window of a deep archive is thinner than a finger; it is taken hold of from so far. */
const REACH_PX = 12;

interface OverviewPress {
  readonly px: number;
  /** From the pointer to the middle of the window, ms. */
  readonly holdMs: number;
  hasMoved: boolean;
}

/**
 * The whole depth of an archive, day by day, with the span that a timeline shows as a window on it. A click plays from
 * there, dragging moves the window, and so do keys.
 */
export class Overview {
  readonly #options: OverviewOptions;
  readonly #listeners = new Set<() => void>();
  #unsubscribe: Disposer | undefined;
  #recorded: RecordedDays = { days: [], shares: [] };
  #depth: ArchiveDepth;
  #widthPx = 1;
  #hoverMs: number | undefined;
  #press: OverviewPress | undefined;
  #view: OverviewView;

  constructor(options: OverviewOptions) {
    this.#options = options;
    this.#depth = depthOf(this.#recorded, options.zone, options.clock.wallMs());
    this.#view = this.#compose();
  }

  /** It follows its timeline for as long as anybody listens: there is nothing to dispose of. */
  readonly subscribe = (listener: () => void): Disposer => {
    this.#unsubscribe ??= this.#options.timeline.subscribe(() => this.#changed());
    this.#view = this.#compose();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  };

  /** The same object until something changed. */
  readonly getView = (): OverviewView => this.#view;

  /** What is recorded, as the server tells it from time to time. */
  setRecorded(recorded: RecordedDays): void {
    const { zone, clock } = this.#options;
    this.#recorded = recorded;
    this.#depth = depthOf(recorded, zone, clock.wallMs());
    this.#changed();
  }

  resize(widthPx: number): void {
    this.#widthPx = widthPx;
    this.#changed();
  }

  /** Whether a press here would take hold of the window. */
  isAtWindow(px: number): boolean {
    const { scale, shownFromMs, shownToMs } = this.#view;
    const middlePx = scale.toPx((shownFromMs + shownToMs) / 2);
    const halfPx = Math.max(REACH_PX, (shownToMs - shownFromMs) / scale.msPerPx / 2);
    return Math.abs(px - middlePx) <= halfPx;
  }

  press(px: number): void {
    const { scale, shownFromMs, shownToMs } = this.#view;
    const middleMs = (shownFromMs + shownToMs) / 2;
    const holdMs = this.isAtWindow(px) ? middleMs - scale.toMs(px) : 0;
    this.#press = { px, holdMs, hasMoved: false };
  }

  move(px: number): void {
    this.#hoverMs = this.#view.scale.toMs(px);
    if (this.#press) {
      this.#press.hasMoved ||= Math.abs(px - this.#press.px) >= CLICK_SLOP_PX;
      if (this.#press.hasMoved) this.lookAt(this.#hoverMs + this.#press.holdMs);
    }
    this.#changed();
  }

  /** A press ends: a click plays from there. */
  release(px: number): void {
    const press = this.#press;
    this.#press = undefined;
    if (press && !press.hasMoved) this.#play(this.#view.scale.toMs(px));
    this.#changed();
  }

  leave(): void {
    this.#press = undefined;
    this.#hoverMs = undefined;
    this.#changed();
  }

  /** Moves the window by days of the zone, each as long as it is: the time of day stays. */
  turn(days: number): void {
    this.lookAt(this.#options.zone.daysLater(this.#middleMs(), days));
  }

  /** Moves the window to the middle of a moment, no further than the archive reaches. */
  lookAt(utcMs: number): void {
    const { startMs, endMs } = this.#depth;
    this.#options.timeline.lookAt(Math.min(endMs, Math.max(startMs, utcMs)));
  }

  /** Moves the window to the first recorded day. */
  toFirst(): void {
    const first = this.#depth.days.find(({ share }) => share > 0) ?? this.#depth.days[0];
    this.lookAt((first.startMs + first.endMs) / 2);
  }

  /** Moves the window to the present. */
  toNow(): void {
    this.lookAt(this.#options.clock.wallMs());
  }

  /** Plays from the middle of the window. */
  play(): void {
    this.#play(this.#middleMs());
  }

  #middleMs(): number {
    return (this.#view.shownFromMs + this.#view.shownToMs) / 2;
  }

  #play(utcMs: number): void {
    const { timeline, clock } = this.#options;
    if (utcMs >= clock.wallMs()) timeline.live();
    else timeline.goTo(utcMs);
  }

  #compose(): OverviewView {
    const { timeline, clock, zone } = this.#options;
    const { scale, playheadMs } = timeline.getView();
    const nowMs = clock.wallMs();
    if (nowMs >= this.#depth.endMs) this.#depth = depthOf(this.#recorded, zone, nowMs);
    const { startMs, endMs } = this.#depth;
    return {
      depth: this.#depth,
      scale: new TimeScale(startMs, endMs - startMs, this.#widthPx),
      shownFromMs: scale.startMs,
      shownToMs: scale.endMs,
      playheadMs,
      nowMs,
      hoverMs: this.#hoverMs,
      isDragging: this.#press?.hasMoved ?? false,
    };
  }

  #changed(): void {
    this.#view = this.#compose();
    for (const listener of this.#listeners) listener();
  }
}
