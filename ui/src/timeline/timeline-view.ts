import type { TimelineEvent } from './events.ts';
import type { GapSpan } from './gaps.ts';
import type { Interval } from './intervals.ts';
import type { SelectedSpan } from './span-selection.ts';
import type { TimeScale } from './time-scale.ts';

/** What is drawn; a new value at each change. */
export interface TimelineView {
  readonly scale: TimeScale;
  readonly intervals: readonly Interval[];
  /** Why nothing is recorded where nothing is. */
  readonly gaps: readonly GapSpan[];
  /** Up to here recording had not begun, which is no gap; undefined where that is out of sight. */
  readonly begunMs: number | undefined;
  readonly events: readonly TimelineEvent[];
  readonly nowMs: number;
  /** The moment on screen; undefined before there is a picture. */
  readonly playheadMs: number | undefined;
  /** Under the pointer. */
  readonly hoverMs: number | undefined;
  readonly isDragging: boolean;
  /** The playhead is being led to this moment, whose picture is wanted; it plays from there when it is let go. */
  readonly scrubMs: number | undefined;
  readonly bookmarks: readonly TimelineBookmark[];
  /** Chosen to be taken along; its ends can be led. */
  readonly selection: SelectedSpan | undefined;
}

/** A moment or a span that somebody marked. */
export interface TimelineBookmark {
  readonly id: number;
  readonly startMs: number;
  /** The same as the start for a moment. */
  readonly endMs: number;
  readonly note: string;
}
