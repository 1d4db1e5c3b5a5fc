import { eventLeadMs } from '@vidette/contract/constants';
import type { TimeScale } from './time-scale.ts';

/** An event on the stream (an annotation, R3.10): motion, or a detection by an external detector. */
export interface TimelineEvent {
  readonly id: number;
  /** The kind of event, e.g. `motion`. */
  readonly kind: string;
  readonly startMs: number;
  /** Equal to the start for a single moment. */
  readonly endMs: number;
}

/** Going back from an event that has played for less than this selects the previous one. */
const BACK_GRACE_MS = 3_000;

/** All events without duplicates, by start time. */
export function inOrder(events: readonly TimelineEvent[]): TimelineEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => a.startMs - b.startMs || a.id - b.id);
}

/** The event that contains a moment. */
export function eventAt(events: readonly TimelineEvent[], ms: number): TimelineEvent | undefined {
  return events.find((event) => event.startMs <= ms && ms <= event.endMs);
}

/** The event before or after a moment, for a viewer whose playback starts `eventLeadMs` before each. */
export function neighbourEvent(
  events: readonly TimelineEvent[],
  fromMs: number,
  direction: 1 | -1,
): TimelineEvent | undefined {
  return direction > 0
    ? events.find((event) => event.startMs - eventLeadMs > fromMs + 1)
    : events.findLast((event) => event.startMs - eventLeadMs < fromMs - BACK_GRACE_MS);
}

/** A horizontal range of the lane, CSS px. */
export interface EventMark {
  readonly fromPx: number;
  readonly toPx: number;
}

/** Narrower marks would be invisible. */
const LEAST_PX = 3;

/** The lane's marks in a scale: at least some pixels wide, adjacent ones merged. */
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
