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

/** Lengths of a range that are offered around the moment on screen, ms. */
export const spanLengths = [30_000, 60_000, 120_000, 300_000] as const;

/** The length of a new range, ms. */
export const firstLengthMs = 120_000;

/** A range of a length around a moment, on whole seconds; before the present if there is not enough after it. */
export function spanAround(ms: number, lengthMs: number, nowMs: number): SaveSpan {
  const endMs = wholeSecond(Math.min(nowMs, ms + lengthMs / 2));
  return { startMs: endMs - lengthMs, endMs };
}

const wholeSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

/** A typed name as a file name that every system accepts; undefined when nothing is left of it. */
export function fileNameOf(typed: string): string | undefined {
  const name = typed
    .replace(/[<>:"/\\|?*\p{Cc}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  return name === '' ? undefined : name;
}

/** Whole days, including the last; not beyond the present. */
export function spanOfDays({ start, end }: Period, zone: Zone, nowMs: number): SaveSpan {
  return { startMs: zone.dayStartMs(start), endMs: Math.min(nowMs, zone.dayStartMs(end, 1)) };
}

/** Whether one file is enough, or a package is needed. */
export function wayOf({ startMs, endMs }: SaveSpan, otherStreams: number, downloadMaxMs: number) {
  return otherStreams === 0 && endMs - startMs <= downloadMaxMs ? 'download' : 'export';
}
