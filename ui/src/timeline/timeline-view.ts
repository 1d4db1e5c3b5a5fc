import type { TimelineChanges } from './changes.ts';
import type { TimelineEvent } from './events.ts';
import type { GapSpan } from './gaps.ts';
import type { Interval } from './intervals.ts';
import type { SelectedSpan } from './span-selection.ts';
import type { TimeScale } from './time-scale.ts';

/** The state to draw; a new value on each change. */
export interface TimelineView {
  readonly scale: TimeScale;
  readonly intervals: readonly Interval[];
  /** The causes of gaps. */
  readonly gaps: readonly GapSpan[];
  /**
   * Recording had not started before this moment, so that time is no gap; undefined where that is out of view.
   */
  readonly begunMs: number | undefined;
  readonly events: readonly TimelineEvent[];
  readonly nowMs: number;
  /** The moment on screen; undefined before the first frame. */
  readonly playheadMs: number | undefined;
  /** The moment under the pointer. */
  readonly hoverMs: number | undefined;
  readonly isDragging: boolean;
  /**
   * The moment to which the playhead is being dragged; its frame is needed, and playback starts there on
   * release.
   */
  readonly scrubMs: number | undefined;
  readonly bookmarks: readonly TimelineBookmark[];
  readonly holds: readonly TimelineHold[];
  /** What a search for changes found. */
  readonly changes: TimelineChanges | undefined;
  /** The selection to save; its ends can be dragged. */
  readonly selection: SelectedSpan | undefined;
}

/** Footage that is not deleted although its time has come. */
export interface TimelineHold {
  readonly startMs: number;
  readonly endMs: number;
  readonly untilMs: number;
  /** Name of the rule that holds it. */
  readonly rule: string;
}

/** A bookmarked moment or span. */
export interface TimelineBookmark {
  readonly id: number;
  readonly startMs: number;
  /** Equal to the start for a single moment. */
  readonly endMs: number;
  readonly note: string;
}
