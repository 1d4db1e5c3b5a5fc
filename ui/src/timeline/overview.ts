import type { Disposer, PageClock } from '../base/clock.ts';
import { depthOf, type ArchiveDepth, type RecordedDays } from './archive-depth.ts';
import { TimeScale } from './time-scale.ts';
import type { Timeline } from './timeline.ts';
import type { Zone } from './zone.ts';

export interface OverviewOptions {
  readonly clock: Pick<PageClock, 'wallMs'>;
  /** The timeline whose view the overview shows and moves. */
  readonly timeline: Timeline;
  readonly zone: Zone;
}

/** The state to draw; a new value on each change. */
export interface OverviewView {
  readonly depth: ArchiveDepth;
  /** The whole depth across the width. */
  readonly scale: TimeScale;
  /** The span that the timeline shows, UTC ms. */
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
/** The window of a deep archive is narrower than a finger; it can be grabbed from this distance. */
const REACH_PX = 12;

interface OverviewPress {
  readonly px: number;
  /** From the pointer to the middle of the window, ms. */
  readonly holdMs: number;
  hasMoved: boolean;
}

/**
 * The whole depth of an archive, day by day, with the span that a timeline shows as a window on it. A click
 * plays from there; dragging or keys move the window.
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

  /** It subscribes to its timeline only while it has listeners, so it needs no disposal. */
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

  /** The same object until something changes. */
  readonly getView = (): OverviewView => this.#view;

  /** Sets the recorded days, which the server reports from time to time. */
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

  /** Whether a press here would grab the window. */
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

  /** End of a press: a click plays from there. */
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

  /** Moves the window by days of the zone, whatever their length: the time of day stays. */
  turn(days: number): void {
    this.lookAt(this.#options.zone.daysLater(this.#middleMs(), days));
  }

  /** Centres the window on a moment, within the archive. */
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
