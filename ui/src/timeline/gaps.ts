import type { GapCause } from '@vidette/contract/entities';
import { intervalAt, type Interval } from './intervals.ts';

/** Why nothing is recorded in a stretch; causes that follow each other touch. */
export interface GapSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly cause: GapCause;
}

/** Takes gaps in order; what touches and has one cause becomes one. */
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

/** The stretch of one cause that holds a moment; takes gaps in order. */
export function gapAt(gaps: readonly GapSpan[], ms: number): GapSpan | undefined {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((gaps[middle]?.endMs ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  const found = gaps[low];
  return found && found.startMs <= ms ? found : undefined;
}

/** The causes of what is missing between two moments, each once, in order; those that nobody knows are left out. */
export function causesWithin(gaps: readonly GapSpan[], startMs: number, endMs: number): GapCause[] {
  const causes = gaps.filter((gap) => gap.endMs > startMs && gap.startMs < endMs).map(({ cause }) => cause);
  return [...new Set(causes)].filter((cause) => cause !== 'none');
}

/** Shorter ones are played over without a word and not listed. */
const LISTED_MS = 1000;
/** Going to a gap means seeing what led to it, from so long before. */
const LEAD_MS = 3_000;

/** The gaps of a view that a list names, newest first; what lies before all recording is none. */
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

/** The moment from which a gap is led up to; its end, where nothing is recorded before it. */
export function leadTo(gap: GapSpan, intervals: readonly Interval[]): number {
  const holder = intervalAt(intervals, gap.startMs);
  const startMs = holder?.kind === 'gap' ? holder.startMs : gap.startMs;
  const before = intervalAt(intervals, startMs - 1);
  return before?.kind === 'fragment' ? Math.max(before.startMs, startMs - LEAD_MS) : gap.endMs;
}
