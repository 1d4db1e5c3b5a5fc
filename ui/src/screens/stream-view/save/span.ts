import type { Period } from '../../../components/calendar/calendar.ts';
import type { Zone } from '../../../timeline/zone.ts';

/** From one moment until another, ms since the epoch. */
export interface SaveSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** What keeps a span from being saved; undefined when nothing does. */
export type SpanProblem = 'order' | 'future' | 'tooLong';

export function problemOf({ startMs, endMs }: SaveSpan, nowMs: number, longestMs: number): SpanProblem | undefined {
  if (endMs <= startMs) return 'order';
  if (startMs > nowMs) return 'future';
  return endMs - startMs > longestMs ? 'tooLong' : undefined;
}

/** Whole days, the last one too; not beyond the present. */
export function spanOfDays({ start, end }: Period, zone: Zone, nowMs: number): SaveSpan {
  return { startMs: zone.dayStartMs(start), endMs: Math.min(nowMs, zone.dayStartMs(end, 1)) };
}

/** One file is enough, or it takes a package. */
export function wayOf({ startMs, endMs }: SaveSpan, otherStreams: number, downloadMaxMs: number) {
  return otherStreams === 0 && endMs - startMs <= downloadMaxMs ? 'download' : 'export';
}
