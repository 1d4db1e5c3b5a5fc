import type { GapCause } from '@vidette/contract/entities';
import { intervalAt, type Interval } from './intervals.ts';

/** The cause of a gap; gaps with different causes can be adjacent. */
export interface GapSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly cause: GapCause;
}

/** Expects gaps in order; merges adjacent ones with the same cause. */
export function joinedGaps(gaps: readonly GapSpan[]): GapSpan[] {
  const result: GapSpan[] = [];
  for (const gap of gaps) {
    const last = result.at(-1);
    if (last?.cause === gap.cause && last.endMs >= gap.startMs)
      result[result.length - 1] = { ...last, endMs: Math.max(last.endMs, gap.endMs) };
    else if (gap.endMs > gap.startMs) result.push(gap);
  }
  return result;
}

/** The causes of gaps between two moments, each once, in order; unknown causes are omitted. */
export function causesWithin(gaps: readonly GapSpan[], startMs: number, endMs: number): GapCause[] {
  const causes = gaps.filter((gap) => gap.endMs > startMs && gap.startMs < endMs).map(({ cause }) => cause);
  return [...new Set(causes)].filter((cause) => cause !== 'none');
}

/** Shorter gaps are skipped without a notice and not listed. */
const LISTED_MS = 1000;
/** Going to a gap means seeing what led to it: playback starts this long before. */
const LEAD_MS = 3_000;

/** The gaps of a view that a list shows, newest first; the time before the first recording is not a gap. */
export function listedGaps(
  gaps: readonly GapSpan[],
  intervals: readonly Interval[],
  startMs: number,
  endMs: number,
): GapSpan[] {
  const firstMs = intervals.find(({ kind }) => kind !== 'gap')?.startMs ?? Number.POSITIVE_INFINITY;
  return gaps
    .filter((gap) => gap.endMs > startMs && gap.startMs < endMs)
    .filter((gap) => gap.endMs - gap.startMs >= LISTED_MS && (gap.cause !== 'none' || gap.startMs > firstMs))
    .reverse();
}

/** The moment from which to play up to a gap; the gap's end, if nothing is recorded before it. */
export function leadTo(gap: GapSpan, intervals: readonly Interval[]): number {
  const holder = intervalAt(intervals, gap.startMs);
  const startMs = holder?.kind === 'gap' ? holder.startMs : gap.startMs;
  const before = intervalAt(intervals, startMs - 1);
  return before?.kind === 'fragment' ? Math.max(before.startMs, startMs - LEAD_MS) : gap.endMs;
}
