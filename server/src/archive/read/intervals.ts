import { Fault } from '../../base/fault.ts';
import type { InterruptionRow, CatalogStreamRow, RecordedGapCause } from '../catalog/catalog.ts';
import type { PlaybackCatalog } from './playback-catalog.ts';
import { catalogMs, catalogMsCeil, catalogTicks } from '../segments/segments.ts';

/** A time span of the timeline; adjacent spans are contiguous. Times in ms since the epoch. */
export type RecordedInterval =
  | { readonly kind: 'fragment'; readonly startMs: number; readonly endMs: number }
  | {
      readonly kind: 'gap';
      readonly startMs: number;
      readonly endMs: number;
      readonly cause: RecordedGapCause;
    }
  /** Being recorded now: the time after the last fragment on the disk. */
  | { readonly kind: 'live'; readonly startMs: number; readonly endMs: number };

/**
 * Requirement R3.10: applies from `date` (ms since the epoch) until the date of the next interval; the last one
 * applies to the requested end.
 */
export interface RecordedRange {
  readonly date: number;
  readonly status: 'fragment' | 'gap' | 'live';
}

/** Why a time span of the timeline has no footage; ms since the epoch. */
export interface RecordingGap {
  readonly startTime: number;
  readonly endTime: number;
  readonly cause: RecordedGapCause;
}

/**
 * Segments this close together are one range: the end of a run is an estimate within one frame
 * (design/archive.md, "Time").
 */
export const JOIN_TICKS = catalogTicks(250);

/** Catalog ticks. */
export interface TickSpan {
  readonly startTicks: number;
  readonly endTicks: number;
}

/** Contiguous recorded spans that overlap [fromTicks, toTicks), not clipped to it. */
function recordedSpans(
  reads: PlaybackCatalog,
  stream: CatalogStreamRow,
  fromTicks: number,
  toTicks: number,
): TickSpan[] {
  const spans: { startTicks: number; endTicks: number }[] = [];
  for (const { startTicks, endTicks } of reads.segments(
    stream.id,
    fromTicks,
    toTicks,
    Number.MAX_SAFE_INTEGER,
  )) {
    const last = spans.at(-1);
    if (last && startTicks - last.endTicks <= JOIN_TICKS) last.endTicks = endTicks;
    else spans.push({ startTicks, endTicks });
  }
  return spans;
}

/** Everything between two times: recorded spans, gaps with their causes, and the live edge if `isLive`. */
export function intervalsOf(
  reads: PlaybackCatalog,
  stream: CatalogStreamRow,
  startMs: number,
  endMs: number,
  isLive: boolean,
): RecordedInterval[] {
  const fromTicks = catalogTicks(startMs);
  const toTicks = catalogTicks(endMs);
  const intervals: RecordedInterval[] = [];
  const before = reads.segmentAtOrBefore(stream.id, fromTicks);
  const causes = new GapCauses(reads.interruptions(stream.id, fromTicks, toTicks), stream.removedUntilTicks);
  let at = fromTicks;
  let recordedUntil = before?.endTicks ?? 0;
  for (const span of recordedSpans(reads, stream, fromTicks, toTicks)) {
    const isGap = span.startTicks > at && span.startTicks - recordedUntil > JOIN_TICKS;
    if (isGap) intervals.push(...causes.gap(at, span.startTicks, recordedUntil));
    const end = Math.min(span.endTicks, toTicks);
    intervals.push({
      kind: 'fragment',
      startMs: catalogMs(isGap ? span.startTicks : at),
      endMs: catalogMsCeil(end),
    });
    at = end;
    recordedUntil = span.endTicks;
  }
  if (at >= toTicks) return intervals;
  const next = reads.segmentAfter(stream.id, at);
  if (next && next.startTicks - recordedUntil <= JOIN_TICKS) {
    const fragmentStartMs = intervals.pop()?.startMs ?? catalogMs(fromTicks);
    return [...intervals, { kind: 'fragment', startMs: fragmentStartMs, endMs }];
  }
  if (isLive && isGrowingAt(reads, stream, at)) {
    intervals.push({ kind: 'live', startMs: catalogMsCeil(at), endMs });
  } else {
    intervals.push(...causes.gap(at, toTicks, recordedUntil));
  }
  return intervals;
}

/** Whether the footage being recorded ends there: newer dates may exist from a clock that was ahead. */
function isGrowingAt(reads: PlaybackCatalog, stream: CatalogStreamRow, atTicks: number): boolean {
  if (reads.segmentAtOrBefore(stream.id, atTicks)?.isOpen) return true;
  const newest = reads.newestSegment(stream.id);
  return newest !== undefined && newest.endTicks <= atTicks;
}

/** The wire format. */
export function rangesOf(intervals: readonly RecordedInterval[]): RecordedRange[] {
  const ranges: RecordedRange[] = [];
  for (const { kind, startMs } of intervals) {
    if (ranges.at(-1)?.status !== kind) ranges.push({ date: startMs, status: kind });
  }
  return ranges;
}

/** The timeline response of one stream. */
export interface RecordedRanges {
  readonly ranges: RecordedRange[];
  readonly gaps: RecordingGap[];
  /**
   * The time, within the requested span, until which recording had not begun; null: it had begun before the
   * span. Ms since the epoch.
   */
  readonly begunAt: number | null;
}

/** Builds the response from intervals. */
export function rangesAnswerOf(intervals: readonly RecordedInterval[]): RecordedRanges {
  const begun = intervals.findLast(
    (interval) => interval.kind === 'gap' && interval.cause === 'before-recording',
  );
  return { ranges: rangesOf(intervals), gaps: gapsOf(intervals), begunAt: begun?.endMs ?? null };
}

/**
 * The gaps among the intervals; adjacent gaps with the same cause are merged. Time before the first recording
 * is not a gap.
 */
export function gapsOf(intervals: readonly RecordedInterval[]): RecordingGap[] {
  const gaps: RecordingGap[] = [];
  for (const interval of intervals) {
    if (interval.kind !== 'gap' || interval.cause === 'before-recording') continue;
    const { startMs: startTime, endMs: endTime, cause } = interval;
    const last = gaps.at(-1);
    if (last?.endTime === startTime && last.cause === cause) gaps[gaps.length - 1] = { ...last, endTime };
    else gaps.push({ startTime, endTime, cause });
  }
  return gaps;
}

class GapCauses {
  readonly #interruptions: readonly InterruptionRow[];
  readonly #removedUntilTicks: number;

  constructor(interruptions: readonly InterruptionRow[], removedUntilTicks: number) {
    this.#interruptions = interruptions;
    this.#removedUntilTicks = removedUntilTicks;
  }

  /** Splits a gap by its causes. Interruptions before `recordedUntilTicks` belong to gaps before this one. */
  gap(fromTicks: number, toTicks: number, recordedUntilTicks: number): RecordedInterval[] {
    const isBefore = recordedUntilTicks === 0 && this.#removedUntilTicks === 0;
    const cause = isBefore ? 'before-recording' : 'none';
    const marks: { atTicks: number; cause: RecordedGapCause }[] = [{ atTicks: fromTicks, cause }];
    if (fromTicks < this.#removedUntilTicks) {
      marks[0] = { atTicks: fromTicks, cause: 'removed' };
      if (this.#removedUntilTicks < toTicks) marks.push({ atTicks: this.#removedUntilTicks, cause: 'none' });
    }
    for (const { atTicks, cause: why } of this.#interruptions) {
      if (atTicks < recordedUntilTicks - JOIN_TICKS || atTicks >= toTicks) continue;
      if (atTicks <= fromTicks) marks[0] = { atTicks: fromTicks, cause: why };
      else marks.push({ atTicks, cause: why });
    }
    marks.sort((a, b) => a.atTicks - b.atTicks);
    return marks
      .map(({ atTicks, cause }, index): RecordedInterval => ({
        kind: 'gap',
        startMs: catalogMsCeil(atTicks),
        endMs: catalogMs(marks[index + 1]?.atTicks ?? toTicks),
        cause,
      }))
      .filter(({ startMs, endMs }) => endMs > startMs);
  }
}

/** @throws Fault TimeRangeIsTooLong, BadRequest */
export function assertSpan(startMs: number, endMs: number, maxMs: number): void {
  if (!(startMs <= endMs)) throw new Fault('BadRequest', 'The start is after the end.');
  if (endMs - startMs > maxMs) {
    throw new Fault('TimeRangeIsTooLong', `A request may cover at most ${Math.round(maxMs / 1000)} seconds.`);
  }
}
