import { rangesLimitSeconds } from '@vidette/contract/ranges-limit';
import { Fault } from '../../base/fault.ts';
import type { CatalogStreamRow, RecordedGapCause } from '../catalog/catalog.ts';
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

/** Appends spans in order; those `joinTicks` or less apart are one. */
export function joinSpans(spans: TickSpan[], added: Iterable<TickSpan>, joinTicks: number): TickSpan[] {
  for (const { startTicks, endTicks } of added) {
    const last = spans.at(-1);
    if (last && startTicks - last.endTicks <= joinTicks) {
      spans[spans.length - 1] = { startTicks: last.startTicks, endTicks: Math.max(last.endTicks, endTicks) };
    } else spans.push({ startTicks, endTicks });
  }
  return spans;
}

/** What counts as contiguous. */
export interface Resolution {
  /** Gaps of this length or less don't count. */
  readonly joinTicks: number;
  /** What is recorded, joined in the same way; undefined: it is read from the catalog. */
  readonly spans?: readonly TickSpan[];
}

/** The shortest gap that a coarse answer leaves out is one that every answer leaves out. */
export function joinTicksAt(resolutionSeconds: number): number {
  return Math.max(JOIN_TICKS, catalogTicks(resolutionSeconds * 1000));
}

/** Everything between two times: recorded spans, gaps with their causes, and the live edge if `isLive`. */
export function intervalsOf(
  reads: PlaybackCatalog,
  stream: CatalogStreamRow,
  startMs: number,
  endMs: number,
  isLive: boolean,
  { joinTicks, spans }: Resolution = { joinTicks: JOIN_TICKS },
): RecordedInterval[] {
  const fromTicks = catalogTicks(startMs);
  const toTicks = catalogTicks(endMs);
  const intervals: RecordedInterval[] = [];
  const before = reads.segmentAtOrBefore(stream.id, fromTicks);
  const causes = new GapCauses(reads, stream, joinTicks);
  let at = fromTicks;
  let recordedUntil = before?.endTicks ?? 0;
  const segments = () => reads.segments(stream.id, fromTicks, toTicks, Number.MAX_SAFE_INTEGER);
  for (const span of spans ?? joinSpans([], segments(), joinTicks)) {
    const isGap = span.startTicks > at && span.startTicks - recordedUntil > joinTicks;
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
  if (next && next.startTicks - recordedUntil <= joinTicks) {
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

/** The intervals of a span of a stream that was never recorded. */
export function nothingRecorded(startMs: number, endMs: number): RecordedInterval[] {
  return startMs === endMs ? [] : [{ kind: 'gap', startMs, endMs, cause: 'before-recording' }];
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

/** The interruptions are read for each gap: those where the footage goes on don't matter. */
class GapCauses {
  readonly #reads: Pick<PlaybackCatalog, 'interruptions'>;
  readonly #streamId: number;
  readonly #removedUntilTicks: number;
  readonly #joinTicks: number;

  constructor(
    reads: Pick<PlaybackCatalog, 'interruptions'>,
    { id, removedUntilTicks }: CatalogStreamRow,
    joinTicks: number,
  ) {
    this.#reads = reads;
    this.#streamId = id;
    this.#removedUntilTicks = removedUntilTicks;
    this.#joinTicks = joinTicks;
  }

  /** Splits a gap by its causes. Interruptions before `recordedUntilTicks` belong to gaps before this one. */
  gap(fromTicks: number, toTicks: number, recordedUntilTicks: number): RecordedInterval[] {
    const isBefore = recordedUntilTicks === 0 && this.#removedUntilTicks === 0;
    const cause = isBefore ? 'before-recording' : 'none';
    const marks: CauseMark[] = [{ atTicks: fromTicks, cause }];
    if (fromTicks < this.#removedUntilTicks) {
      marks[0] = { atTicks: fromTicks, cause: 'removed' };
      if (this.#removedUntilTicks < toTicks) marks.push({ atTicks: this.#removedUntilTicks, cause: 'none' });
    }
    for (const { atTicks, cause: why } of this.#reads.interruptions(this.#streamId, fromTicks, toTicks)) {
      if (atTicks < recordedUntilTicks - JOIN_TICKS || atTicks >= toTicks) continue;
      if (atTicks <= fromTicks) marks[0] = { atTicks: fromTicks, cause: why };
      else marks.push({ atTicks, cause: why });
    }
    marks.sort((a, b) => a.atTicks - b.atTicks);
    const parts = this.#longEnough(marks, toTicks);
    return parts
      .map(({ atTicks, cause }, index): RecordedInterval => ({
        kind: 'gap',
        startMs: catalogMsCeil(atTicks),
        endMs: catalogMs(parts[index + 1]?.atTicks ?? toTicks),
        cause,
      }))
      .filter(({ startMs, endMs }) => endMs > startMs);
  }

  /**
   * A cause that applied for less than the resolution is part of the one before it, or of the next one if it is the
   * first. The time before recording began stays as it is, because the answer names its end.
   */
  #longEnough(marks: readonly CauseMark[], toTicks: number): readonly CauseMark[] {
    if (this.#joinTicks <= JOIN_TICKS) return marks;
    const long: CauseMark[] = [];
    for (const [index, mark] of marks.entries()) {
      const ticks = (marks[index + 1]?.atTicks ?? toTicks) - mark.atTicks;
      const before = long.at(-1);
      const isShort = ticks <= this.#joinTicks && mark.cause !== 'before-recording';
      if (isShort && before && before.cause !== 'before-recording') continue;
      if (before?.isShort) long[long.length - 1] = { ...mark, atTicks: before.atTicks };
      else long.push({ ...mark, isShort });
    }
    return long;
  }
}

/** From here on a cause applies. */
interface CauseMark {
  readonly atTicks: number;
  readonly cause: RecordedGapCause;
  /** For less than the resolution. */
  readonly isShort?: boolean;
}

/** @throws Fault TimeRangeIsTooLong, BadRequest */
export function assertCoarseSpan(
  startMs: number,
  endMs: number,
  rangesMaxMs: number,
  resolutionSeconds: number,
): void {
  assertSpan(startMs, endMs, rangesLimitSeconds(rangesMaxMs / 1000, resolutionSeconds) * 1000);
}

/** @throws Fault TimeRangeIsTooLong, BadRequest */
export function assertSpan(startMs: number, endMs: number, maxMs: number): void {
  if (!(startMs <= endMs)) throw new Fault('BadRequest', 'The start is after the end.');
  if (endMs - startMs > maxMs) {
    throw new Fault('TimeRangeIsTooLong', `A request may cover at most ${Math.round(maxMs / 1000)} seconds.`);
  }
}
