import type { Period } from '../../../components/calendar/calendar.ts';
import type { Day } from '../../../components/calendar/days.ts';
import type { Zone } from '../../../timeline/zone.ts';

/** From one moment until another, ms since the epoch. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** What keeps a span from being saved; undefined when nothing does. */
export type SpanProblem = 'order' | 'future' | 'tooLong';

export function problemOf({ startMs, endMs }: Span, nowMs: number, longestMs: number): SpanProblem | undefined {
  if (endMs <= startMs) return 'order';
  if (startMs > nowMs) return 'future';
  return endMs - startMs > longestMs ? 'tooLong' : undefined;
}

/** The day on which a moment falls by the zone's clocks. */
export function dayOf(ms: number, zone: Zone): Day {
  return new Date(ms + zone.offsetMs(ms)).toISOString().slice(0, 10);
}

/** When a day begins by the zone's clocks, as long as 23 or 25 hours of it may be. */
export function dayStartMs(day: Day, zone: Zone): number {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number);
  return zone.fromLocal(year, month, date);
}

/** Whole days, the last one too; not beyond the present. */
export function spanOfDays({ start, end }: Period, zone: Zone, nowMs: number): Span {
  const [year = 1970, month = 1, date = 1] = end.split('-').map(Number);
  const after = new Date(Date.UTC(year, month - 1, date + 1)).toISOString().slice(0, 10);
  return { startMs: dayStartMs(start, zone), endMs: Math.min(nowMs, dayStartMs(after, zone)) };
}

/** One file is enough, or it takes a package. */
export function wayOf({ startMs, endMs }: Span, otherStreams: number, downloadMaxMs: number) {
  return otherStreams === 0 && endMs - startMs <= downloadMaxMs ? 'download' : 'export';
}
