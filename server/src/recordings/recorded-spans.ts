import { coarseResolutionSeconds, coarseStepMs } from '@vidette/contract/ranges-limit';
import type { ArchiveReader } from '../archive/read/read.ts';

/** Recorded time without gaps worth mentioning, ms since the epoch. */
export interface RecordedSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * What is recorded between two moments, in order; short gaps are left out.
 * @param rangesMaxMs longest request for ranges at a resolution of a second
 */
export async function recordedSpans(
  archive: Pick<ArchiveReader, 'coarseRanges'>,
  uid: string,
  startMs: number,
  endMs: number,
  rangesMaxMs: number,
): Promise<RecordedSpan[]> {
  const found: RecordedSpan[] = [];
  for (let fromMs = startMs; fromMs < endMs; fromMs += coarseStepMs) {
    const toMs = Math.min(endMs, fromMs + coarseStepMs);
    const resolution = coarseResolutionSeconds(toMs - fromMs, rangesMaxMs);
    const { ranges } = await archive.coarseRanges(uid, fromMs, toMs, resolution);
    for (const [index, { date, status }] of ranges.entries()) {
      if (status === 'gap') continue;
      const span = { startMs: Math.max(fromMs, date), endMs: ranges[index + 1]?.date ?? toMs };
      const last = found.at(-1);
      if (last && span.startMs <= last.endMs)
        found[found.length - 1] = { ...last, endMs: Math.max(last.endMs, span.endMs) };
      else if (span.endMs > span.startMs) found.push(span);
    }
  }
  return found;
}

/**
 * Moments that divide recorded time evenly, whatever gaps are in it: the first, the last, and others between them; of
 * one, the moment at `share` of the time.
 */
export function momentsIn(spans: readonly RecordedSpan[], count: number, share = 0.5): number[] {
  const totalMs = spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  if (totalMs <= 0) return [];
  const moments: number[] = [];
  let passedMs = 0;
  for (const { startMs, endMs } of spans) {
    const lengthMs = endMs - startMs;
    while (moments.length < count) {
      const at = count === 1 ? share : moments.length / (count - 1);
      // The end of a span is no longer in it.
      const atMs = Math.min(totalMs - 1, Math.floor(totalMs * at));
      if (atMs >= passedMs + lengthMs) break;
      moments.push(Math.max(startMs, startMs + atMs - passedMs));
    }
    passedMs += lengthMs;
  }
  return moments;
}

/** The moment at a share of the time that is recorded between two others; undefined if nothing is. */
export function momentBetween(
  spans: readonly RecordedSpan[],
  fromMs: number,
  toMs: number,
  share: number,
): number | undefined {
  const clipped = spans.map(({ startMs, endMs }) => ({
    startMs: Math.max(startMs, fromMs),
    endMs: Math.min(endMs, toMs),
  }));
  const recorded = clipped.filter(({ startMs, endMs }) => endMs > startMs);
  return momentsIn(recorded, 1, share)[0];
}
