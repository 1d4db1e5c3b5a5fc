import type { Disposer, PageClock } from '../base/clock.ts';
import { markNear, type TimelineChanges } from './changes.ts';
import { eventLeadMs } from '@vidette/contract/constants';
import { neighbourEvent } from './events.ts';
import { clickAction, intervalAt, momentBeforeGap, neighbourRecording } from './intervals.ts';
import { MomentSearch } from './moment-search.ts';
import type { KnownIntervals, RangesLoader } from './ranges-loader.ts';
import { SpanSelection, type SelectedSpan } from './span-selection.ts';
import type { TimeScale } from './time-scale.ts';
import { TimelinePointer } from './timeline-pointer.ts';
import type { TimelineBookmark, TimelineHold, TimelineView } from './timeline-view.ts';
import { TimelineWindow } from './timeline-window.ts';

export interface TimelineOptions {
  readonly clock: PageClock;
  readonly loader: RangesLoader;
  /** Play the archive from this moment, UTC ms. */
  readonly onSeek: (utcMs: number) => void;
  readonly onLive: () => void;
}

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
  readonly #search: MomentSearch;
  readonly #selection = new SpanSelection();
  readonly #window: TimelineWindow;
  /** The handler of its pointer gestures. */
  readonly pointer: TimelinePointer;
  #playheadMs: number | undefined;
  #marks: Pick<TimelineView, 'bookmarks' | 'holds' | 'changes'> = {
    bookmarks: [],
    holds: [],
    changes: undefined,
  };
  #framedMs: number;
  #view: TimelineView;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#search = new MomentSearch(options.loader);
    const { clock, loader } = options;
    this.#window = new TimelineWindow({
      clock,
      onChange: (scale, isSized) => {
        if (isSized) loader.show(scale);
        this.#changed();
      },
    });
    this.pointer = new TimelinePointer({
      clock,
      window: this.#window,
      selection: this.#selection,
      playheadMs: () => this.#playheadMs,
      onScrub: (utcMs) => {
        this.#playheadMs = utcMs;
        this.#changed();
      },
      onDrop: (utcMs) => this.#act(utcMs),
      onClick: (utcMs) => {
        this.#window.look();
        this.#search.end();
        // Playback begins before the change, because the change is within that GOP.
        this.#act(markNear(this.#marks.changes, utcMs, this.#window.scale)?.startTime ?? utcMs);
      },
      onChange: () => this.#changed(),
    });
    this.#framedMs = clock.monotonicMs();
    this.#view = this.#compose();
    this.#unsubscribe = loader.subscribe(() => this.#changed());
  }

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  readonly getView = (): TimelineView => this.#view;

  /** The moment whose frame is needed: the dragged playhead, or the pointer where something is recorded. */
  get lookMs(): number | undefined {
    const { scrubMs, hoverMs, isDragging } = this.pointer;
    if (scrubMs !== undefined) return scrubMs;
    if (hoverMs === undefined || isDragging) return undefined;
    const kind = intervalAt(this.#view.intervals, hoverMs)?.kind;
    return kind === 'fragment' || kind === 'live' ? hoverMs : undefined;
  }

  /** The width is known (applied immediately the first time) or has changed (applied when it settles, R9.6). */
  resize(widthPx: number): void {
    this.#window.resize(widthPx);
  }

  /**
   * Advances time: called before each drawing with the moment that the player shows. Keeps it in view unless
   * the viewer looks elsewhere, and lets a thrown timeline glide.
   */
  frame(playheadMs: number | undefined): void {
    const nowMs = this.#options.clock.monotonicMs();
    const elapsedMs = nowMs - this.#framedMs;
    this.#framedMs = nowMs;
    this.#playheadMs = this.pointer.scrubMs ?? playheadMs;
    if (!this.pointer.glide(elapsedMs) && !this.pointer.isHeld && playheadMs !== undefined)
      this.#window.keepInView(playheadMs);
    // Listeners are not notified: a caller at this rate draws anyway.
    this.#view = this.#compose();
  }

  /** About the playhead if it is in view, else about the middle. */
  zoomIn(): void {
    this.#window.show(this.#window.scale.zoomedIn(this.#aboutMs));
  }

  zoomOut(): void {
    this.#window.show(this.#window.scale.zoomedOut(this.#aboutMs));
  }

  /** Jumps to the start of the recordings in view. */
  toFirst(): void {
    const { startMs } = this.#window.scale;
    const first = this.#view.intervals.find(
      (interval) => interval.kind === 'fragment' && interval.endMs > startMs,
    );
    if (first) this.#seek(Math.max(first.startMs, startMs));
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
    this.#window.follow();
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
      return event && event.startMs - eventLeadMs;
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
    this.#marks = { ...this.#marks, bookmarks };
    this.#changed();
  }

  /** Sets the spans of footage that rules hold. */
  setHolds(holds: readonly TimelineHold[]): void {
    this.#marks = { ...this.#marks, holds };
    this.#changed();
  }

  /** Shows what a search for changes found, or nothing. */
  setChanges(changes: TimelineChanges | undefined): void {
    this.#marks = { ...this.#marks, changes };
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
    const { scale } = this.#window;
    const lengthMs = Math.max(1, span.endMs - span.startMs);
    const middleMs = (span.startMs + span.endMs) / 2;
    const isWide = lengthMs / scale.msPerPx >= SELECTION_LEAST_PX;
    if (isWide && scale.contains(span.startMs) && scale.contains(span.endMs)) return;
    this.#browseTo(middleMs, scale.pinched((scale.spanMs * SELECTION_SHARE) / lengthMs, middleMs));
  }

  /** Centres the view on a moment, e.g. from the overview, without seeking. */
  lookAt(utcMs: number): void {
    this.#browseTo(utcMs, this.#window.scale);
  }

  dispose(): void {
    this.#unsubscribe();
    this.#search.end();
    this.#window.dispose();
    this.#options.loader.pause();
    this.#listeners.clear();
  }

  /** Shows another part of the timeline, which the playhead need not be in. */
  #browseTo(utcMs: number, scale: TimeScale): void {
    this.#window.look();
    this.pointer.cancel();
    this.#window.centre(utcMs, scale);
  }

  #act(ms: number): void {
    const action = clickAction(this.#view.intervals, ms, this.#options.clock.wallMs());
    if (action.type === 'live') this.live();
    else if (action.type === 'seek') this.#seek(action.ms);
  }

  #seek(ms: number): void {
    this.#window.follow();
    if (!this.#window.scale.contains(ms)) this.#window.centre(ms);
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

  /** The fixed point of zooming by keys and buttons. */
  get #aboutMs(): number {
    const { scale } = this.#window;
    if (this.#playheadMs !== undefined && scale.contains(this.#playheadMs)) return this.#playheadMs;
    return scale.startMs + scale.spanMs / 2;
  }

  #compose(): TimelineView {
    return {
      scale: this.#window.scale,
      intervals: this.#options.loader.intervals,
      gaps: this.#options.loader.gaps,
      begunMs: this.#options.loader.begunMs,
      events: this.#options.loader.events,
      nowMs: this.#options.clock.wallMs(),
      playheadMs: this.#playheadMs,
      hoverMs: this.pointer.hoverMs,
      isDragging: this.pointer.isDragging,
      scrubMs: this.pointer.scrubMs,
      ...this.#marks,
      selection: this.#selection.span,
    };
  }

  #changed(): void {
    this.#view = this.#compose();
    for (const listener of this.#listeners) listener();
  }
}
