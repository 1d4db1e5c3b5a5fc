import type { CatalogReads, StreamRow } from './catalog-reads.ts';
import { catalogMs, catalogTicks } from './layout.ts';

/** Minutes to add to UTC (180 for Moscow), or an IANA name, which knows summer time. */
export type TimeZone = number | string;

/** More days than this are not answered: the newest are left out. */
const daysMax = 4000;

/**
 * The days of the reader's calendar, YYYY-MM-DD, that have anything recorded in [startMs, endMs), oldest first.
 * Two look-ups per day that it answers with, however many segments a day has.
 * @throws RangeError for an unknown time zone
 */
export function availableDays(
  reads: CatalogReads,
  stream: StreamRow,
  startMs: number,
  endMs: number,
  zone: TimeZone,
): string[] {
  const calendar = calendarOf(zone);
  const days: string[] = [];
  const toTicks = catalogTicks(endMs);
  let atTicks = catalogTicks(startMs);
  while (atTicks < toTicks && days.length < daysMax) {
    const found = firstRecorded(reads, stream, atTicks);
    if (found === undefined || found >= toTicks) break;
    const { day, nextDayMs } = calendar(Math.max(catalogMs(found), startMs));
    days.push(day);
    atTicks = catalogTicks(nextDayMs);
  }
  return days;
}

/** The first recorded moment at or after one, catalog ticks. */
function firstRecorded(reads: CatalogReads, stream: StreamRow, atTicks: number): number | undefined {
  const before = reads.segmentAtOrBefore(stream.id, atTicks);
  if (before && before.endTicks > atTicks) return atTicks;
  return reads.segmentAfter(stream.id, atTicks)?.startTicks;
}

type Calendar = (atMs: number) => { day: string; nextDayMs: number };

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

function calendarOf(zone: TimeZone): Calendar {
  if (typeof zone === 'number') return (atMs) => dayAt(atMs, zone);
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (atMs) => {
    const day = format.format(atMs);
    return { day, nextDayMs: firstMomentAfter(atMs, (ms) => format.format(ms) === day) };
  };
}

function dayAt(atMs: number, offsetMinutes: number): { day: string; nextDayMs: number } {
  const local = atMs + offsetMinutes * minuteMs;
  const startOfDay = Math.floor(local / dayMs) * dayMs;
  return {
    day: new Date(startOfDay).toISOString().slice(0, 10),
    nextDayMs: startOfDay + dayMs - offsetMinutes * minuteMs,
  };
}

/** Days have 23 to 25 hours: looks for the moment at which the date changes, to the millisecond. */
function firstMomentAfter(atMs: number, isSameDay: (ms: number) => boolean): number {
  let same = atMs;
  let other = atMs + 26 * 60 * minuteMs;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (isSameDay(middle)) same = middle;
    else other = middle;
  }
  return other;
}
