import type { TimeScale } from './time-scale.ts';

/** Something that was noticed on the stream (an annotation, R3.10): motion, or what a detector outside found. */
export interface TimelineEvent {
  readonly id: number;
  /** What was seen, as in `motion`. */
  readonly kind: string;
  readonly startMs: number;
  /** The same as the start for a moment. */
  readonly endMs: number;
}

/** Playing an event begins so much before it, so that one sees it begin. */
export const EVENT_LEAD_MS = 2_000;
/** Going back from an event that plays for less than this goes to the one before. */
const BACK_GRACE_MS = 3_000;

/** All of them once, by their beginnings. */
export function inOrder(events: readonly TimelineEvent[]): TimelineEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => a.startMs - b.startMs || a.id - b.id);
}

/** The event that holds a moment. */
export function eventAt(events: readonly TimelineEvent[], ms: number): TimelineEvent | undefined {
  return events.find((event) => event.startMs <= ms && ms <= event.endMs);
}

/** The event before or after a moment, as somebody who plays from `EVENT_LEAD_MS` before each means it. */
export function neighbourEvent(
  events: readonly TimelineEvent[],
  fromMs: number,
  direction: 1 | -1,
): TimelineEvent | undefined {
  return direction > 0
    ? events.find((event) => event.startMs - EVENT_LEAD_MS > fromMs + 1)
    : events.findLast((event) => event.startMs - EVENT_LEAD_MS < fromMs - BACK_GRACE_MS);
}

/** A stretch of the lane, CSS px. */
export interface EventMark {
  readonly fromPx: number;
  readonly toPx: number;
}

/** Narrower ones could not be seen. */
const LEAST_PX = 3;

/** The lane's marks for what a scale shows: at least some pixels wide, neighbours without a gap between them as one. */
export function eventMarks(events: readonly TimelineEvent[], scale: TimeScale): EventMark[] {
  const marks: EventMark[] = [];
  for (const { startMs, endMs } of events) {
    if (endMs < scale.startMs) continue;
    if (startMs > scale.endMs) break;
    const fromPx = Math.max(0, scale.toPx(startMs));
    const toPx = Math.min(scale.widthPx, Math.max(scale.toPx(endMs), fromPx + LEAST_PX));
    const last = marks.at(-1);
    if (last && fromPx <= last.toPx + 1)
      marks[marks.length - 1] = { ...last, toPx: Math.max(last.toPx, toPx) };
    else marks.push({ fromPx, toPx });
  }
  return marks;
}
