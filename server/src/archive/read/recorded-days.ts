import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { TimelineReads, CatalogStreamRow } from '../catalog/catalog.ts';
import { firstSign } from './continuity.ts';
import { CATALOG_TIMESCALE, catalogMs, catalogTicks } from '../segments/segments.ts';

/** Minutes to add to UTC (180 for Moscow), or an IANA name, which includes daylight saving time. */
export type TimeZone = number | string;

/** One day in the reader's calendar with footage. */
export interface RecordedDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** The requested part of the day, ms: its duration, and how much of it is recorded. */
  readonly spanMs: number;
  readonly recordedMs: number;
}

/** Maximum number of days in a response: the newest are omitted. */
const daysMax = 4000;
/** Longest uninterrupted computation: the event loop must stay free for live media. */
const turnBudgetMs = 5;
/** Footage that ended this long ago no longer grows. */
const settledTicks = catalogTicks(3_600_000);
const calendarsKept = 64;
/** Past rows may change without notice, so the cache is recomputed once a day. */
const anewMs = 86_400_000;

/** A complete day in the past; catalog ticks. */
interface PastDay {
  readonly day: string;
  readonly toTicks: number;
  readonly recordedTicks: number;
}

/** The cached days of one stream in one time zone. */
interface PastDays {
  readonly anewAtMs: number;
  /** By start, catalog ticks. */
  readonly byFrom: Map<number, PastDay>;
}

/**
 * How much of each day is recorded. A year of one-minute segments is half a million rows: they are added up a
 * day at a time, yielding to the event loop in between, and complete past days are cached for the streams
 * queried last.
 */
export class RecordedDayReader {
  readonly #reads: TimelineReads;
  readonly #clock: Clock;
  readonly #past = new Map<string, PastDays>();

  constructor(reads: TimelineReads, clock: Clock) {
    this.#reads = reads;
    this.#clock = clock;
  }

  /**
   * The days with footage in [startMs, endMs), oldest first. Consecutive days without footage cost one look-up.
   * @throws RangeError for an unknown time zone
   */
  async of(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]> {
    const stream = this.#reads.stream(uid);
    if (!stream) return [];
    const { byFrom } = this.#pastOf(`${stream.id} ${zone}`);
    const dayAt = calendarOf(zone);
    const days: RecordedDay[] = [];
    const endTicks = catalogTicks(endMs);
    const firstTicks = stream.removedUntilTicks === 0 ? (firstSign(this.#reads, stream.id) ?? 0) : 0;
    const settledToTicks = catalogTicks(this.#clock.wallMs()) - settledTicks;
    let atTicks = catalogTicks(startMs);
    let turnMs = this.#clock.monotonicMs();
    while (atTicks < endTicks && days.length < daysMax) {
      const past = atTicks >= stream.removedUntilTicks ? byFrom.get(atTicks) : undefined;
      if (past && past.toTicks <= endTicks) {
        days.push(recordedDay(past.day, past.toTicks - atTicks, past.recordedTicks));
        atTicks = past.toTicks;
        continue;
      }
      const found = firstRecorded(this.#reads, stream, atTicks);
      if (found === undefined || found >= endTicks) break;
      const { day, fromMs, toMs } = dayAt(Math.max(catalogMs(found), startMs));
      const fromTicks = catalogTicks(Math.max(fromMs, startMs));
      // Nothing counts as missing before recording began.
      const begunTicks = Math.max(fromTicks, firstTicks);
      const toTicks = catalogTicks(Math.min(toMs, endMs));
      const recordedTicks = this.#sum(stream, fromTicks, toTicks);
      days.push(recordedDay(day, toTicks - begunTicks, recordedTicks));
      const isWhole = fromMs >= startMs && toMs <= endMs && begunTicks === fromTicks;
      if (isWhole && fromTicks >= stream.removedUntilTicks && toTicks < settledToTicks)
        byFrom.set(fromTicks, { day, toTicks, recordedTicks });
      atTicks = toTicks;
      if (this.#clock.monotonicMs() - turnMs < turnBudgetMs) continue;
      await nextTurn();
      turnMs = this.#clock.monotonicMs();
    }
    return days;
  }

  /** Called when past footage has been deleted or restored. */
  forget(): void {
    this.#past.clear();
  }

  #sum(stream: CatalogStreamRow, fromTicks: number, toTicks: number): number {
    const before = this.#reads.segmentAtOrBefore(stream.id, fromTicks - 1);
    return (
      Math.max(0, Math.min(before?.endTicks ?? 0, toTicks) - fromTicks) +
      this.#reads.recordedTicks(stream.id, fromTicks, toTicks, toTicks)
    );
  }

  #pastOf(calendar: string): PastDays {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#past.get(calendar);
    const past = known && nowMs < known.anewAtMs ? known : { anewAtMs: nowMs + anewMs, byFrom: new Map() };
    this.#past.delete(calendar);
    this.#past.set(calendar, past);
    const [oldest] = this.#past.keys();
    if (this.#past.size > calendarsKept && oldest !== undefined) this.#past.delete(oldest);
    return past;
  }
}

function recordedDay(day: string, spanTicks: number, recordedTicks: number): RecordedDay {
  return { day, spanMs: msOf(spanTicks), recordedMs: msOf(recordedTicks) };
}

/** The first recorded time at or after a time, catalog ticks. */
function firstRecorded(reads: TimelineReads, stream: CatalogStreamRow, atTicks: number): number | undefined {
  const before = reads.segmentAtOrBefore(stream.id, atTicks);
  if (before && before.endTicks > atTicks) return atTicks;
  return reads.segmentAfter(stream.id, atTicks)?.startTicks;
}

function msOf(ticks: number): number {
  return Math.round((ticks * 1000) / CATALOG_TIMESCALE);
}

/** A day and when it begins and ends, ms since the epoch. */
interface CalendarDay {
  readonly day: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Time zones change their offset, and days begin, on UTC quarter hours. */
const quarterMs = 15 * minuteMs;
/** Longer than the longest day. */
const searchMs = 26 * 60 * minuteMs;

/** The calendar day of a time. */
function calendarOf(zone: TimeZone): (atMs: number) => CalendarDay {
  if (typeof zone === 'number') return (atMs) => offsetDay(atMs, zone);
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  let beforeToMs = Number.NaN;
  return (atMs) => {
    const day = format.format(atMs);
    const quarter = Math.floor(atMs / quarterMs) * quarterMs;
    const isThatDay = (ms: number) => format.format(ms) === day;
    const fromMs = atMs === beforeToMs ? atMs : boundary(quarter, -searchMs, isThatDay);
    // Nearly every day has 24 hours and starts when the previous one ends.
    const usualMs = fromMs + dayMs;
    const isUsual = isThatDay(usualMs - quarterMs) && !isThatDay(usualMs);
    beforeToMs = isUsual ? usualMs : boundary(quarter, searchMs, isThatDay) + quarterMs;
    return { day, fromMs, toMs: beforeToMs };
  };
}

function offsetDay(atMs: number, offsetMinutes: number): CalendarDay {
  const startOfDay = Math.floor((atMs + offsetMinutes * minuteMs) / dayMs) * dayMs;
  const fromMs = startOfDay - offsetMinutes * minuteMs;
  return { day: new Date(startOfDay).toISOString().slice(0, 10), fromMs, toMs: fromMs + dayMs };
}

/**
 * The furthest quarter hour from `quarter`, forwards or backwards, for which `holds` is true; it must be false
 * `byMs` away.
 */
function boundary(quarter: number, byMs: number, holds: (ms: number) => boolean): number {
  let inside = 0;
  let outside = byMs / quarterMs;
  while (Math.abs(outside - inside) > 1) {
    const middle = Math.trunc((inside + outside) / 2);
    if (holds(quarter + middle * quarterMs)) inside = middle;
    else outside = middle;
  }
  return quarter + inside * quarterMs;
}
