import type { Period } from '../../../components/calendar/calendar.ts';
import type { Zone } from '../../../timeline/zone.ts';

/** A time range, ms since the epoch. */
export interface SaveSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** Why a range can't be saved; undefined when it can. */
export type SpanProblem = 'order' | 'future' | 'tooLong';

export function problemOf(
  { startMs, endMs }: SaveSpan,
  nowMs: number,
  longestMs: number,
): SpanProblem | undefined {
  if (endMs <= startMs) return 'order';
  if (startMs > nowMs) return 'future';
  return endMs - startMs > longestMs ? 'tooLong' : undefined;
}

/** Whole days, including the last; not beyond the present. */
export function spanOfDays({ start, end }: Period, zone: Zone, nowMs: number): SaveSpan {
  return { startMs: zone.dayStartMs(start), endMs: Math.min(nowMs, zone.dayStartMs(end, 1)) };
}

/** Whether one file is enough, or a package is needed. */
export function wayOf({ startMs, endMs }: SaveSpan, otherStreams: number, downloadMaxMs: number) {
  return otherStreams === 0 && endMs - startMs <= downloadMaxMs ? 'download' : 'export';
}
