import type { Interval } from '../../../timeline/intervals.ts';

/** What a search needs to know about the recordings of one stream. Rejections are passed on. */
export interface RecordedMoments {
  /** The recorded ranges that intersect a span, in order; short gaps may be missing. */
  ranges(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly Interval[]>;
  /** The start of the GOP that is shown at a moment, or of the last one before it; undefined: nothing is that old. */
  gopAt(utcMs: number, signal: AbortSignal): Promise<number | undefined>;
  /** The starts of all GOPs that intersect a span, in order. */
  gops(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly number[]>;
}

/** Key frames between two others: one where it had not happened yet, and one where it had. */
export interface FindRound {
  /** UTC ms, the start of a GOP. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Starts of GOPs between them, in order; empty: the two are neighbours, and the search is over. */
  readonly momentsMs: readonly number[];
  /** The recorded ranges between them. */
  readonly ranges: readonly Interval[];
}

/** Number of key frames to choose from: with the two known ones, each choice leaves a seventeenth. */
export const FIND_FRAMES = 16;
/** Up to this much recorded time all GOPs are listed; in more, moments are chosen by time. */
const LISTED_MS = 20 * 60_000;
/** One list of GOPs covers at most this span; days with little in them take several. */
const LIST_SPAN_MS = 6 * 3_600_000;

/** The first round of a span; undefined when nothing is recorded in it. @throws what the recordings reject with */
export async function firstRound(
  recorded: RecordedMoments,
  startMs: number,
  endMs: number,
  signal: AbortSignal,
): Promise<FindRound | undefined> {
  const ranges = within(await recorded.ranges(startMs, endMs, signal), startMs, endMs);
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (!first || !last) return undefined;
  const [firstGop] = await recorded.gops(
    first.startMs,
    Math.min(first.endMs, first.startMs + 60_000),
    signal,
  );
  const lastGop = await recorded.gopAt(last.endMs - 1, signal);
  if (firstGop === undefined || lastGop === undefined || lastGop < firstGop) return undefined;
  return round(recorded, firstGop, lastGop, ranges, signal);
}

/**
 * The round between the chosen frame and the one before it.
 * @param place of the first frame that is different, from 0; the number of moments for the one after them
 */
export async function nextRound(
  recorded: RecordedMoments,
  { beforeMs, afterMs, momentsMs }: FindRound,
  place: number,
  signal: AbortSignal,
): Promise<FindRound> {
  const nextBeforeMs = place === 0 ? beforeMs : (momentsMs[place - 1] ?? beforeMs);
  const nextAfterMs = momentsMs[place] ?? afterMs;
  const ranges = within(await recorded.ranges(nextBeforeMs, nextAfterMs, signal), nextBeforeMs, nextAfterMs);
  return round(recorded, nextBeforeMs, nextAfterMs, ranges, signal);
}

async function round(
  recorded: RecordedMoments,
  beforeMs: number,
  afterMs: number,
  ranges: readonly Interval[],
  signal: AbortSignal,
): Promise<FindRound> {
  const recordedMs = ranges.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const isBetween = (ms: number) => ms > beforeMs && ms < afterMs;
  if (recordedMs > LISTED_MS) {
    const found = await Promise.all(spread(ranges, FIND_FRAMES).map((ms) => recorded.gopAt(ms, signal)));
    const momentsMs = [...new Set(found.filter((ms) => ms !== undefined))]
      .filter(isBetween)
      .sort((a, b) => a - b);
    // None only if the ranges conceal gaps of days: then the recordings before the last frame remain.
    if (momentsMs.length > 0) return { beforeMs, afterMs, momentsMs, ranges };
  }
  const listed = await listedGops(recorded, ranges, signal);
  return { beforeMs, afterMs, momentsMs: evenly(listed.filter(isBetween), FIND_FRAMES), ranges };
}

/** The GOPs of all ranges, each once, in order. */
async function listedGops(
  recorded: RecordedMoments,
  ranges: readonly Interval[],
  signal: AbortSignal,
): Promise<number[]> {
  const found = new Set<number>();
  let fromMs = -Infinity;
  for (const range of ranges) {
    for (let startMs = Math.max(range.startMs, fromMs); startMs < range.endMs; startMs = fromMs) {
      // Ranges close together are one request.
      fromMs = startMs + LIST_SPAN_MS;
      const endMs = ranges.findLast((one) => one.startMs < fromMs)?.endMs ?? range.endMs;
      for (const ms of await recorded.gops(startMs, Math.min(fromMs, endMs), signal)) found.add(ms);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** The ranges that are recorded, clipped to a span. */
function within(ranges: readonly Interval[], startMs: number, endMs: number): Interval[] {
  return ranges
    .filter((range) => range.kind !== 'gap' && range.endMs > startMs && range.startMs < endMs)
    .map((range) => ({
      ...range,
      startMs: Math.max(range.startMs, startMs),
      endMs: Math.min(range.endMs, endMs),
    }));
}

/** Moments that divide the recorded time evenly, whatever gaps are in it; none at its ends. */
export function spread(ranges: readonly Interval[], count: number): number[] {
  const totalMs = ranges.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const moments: number[] = [];
  let passedMs = 0;
  for (const { startMs, endMs } of ranges) {
    const lengthMs = endMs - startMs;
    while (moments.length < count) {
      const atMs = (totalMs * (moments.length + 1)) / (count + 1);
      if (atMs > passedMs + lengthMs) break;
      moments.push(startMs + atMs - passedMs);
    }
    passedMs += lengthMs;
  }
  return moments;
}

/** At most `count` values, evenly spread over all; all if there are no more. */
function evenly(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, index) => {
    const place = Math.round(((index + 1) * (values.length + 1)) / (count + 1)) - 1;
    return values[place] ?? 0;
  });
}

/** How much between two moments is not recorded, ms; whole seconds only. */
export function missingMs(ranges: readonly Interval[], startMs: number, endMs: number): number {
  const recordedMs = within(ranges, startMs, endMs).reduce((sum, one) => sum + one.endMs - one.startMs, 0);
  return Math.floor(Math.max(0, endMs - startMs - recordedMs) / 1000) * 1000;
}
