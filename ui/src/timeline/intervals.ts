/** The kind of an interval on the timeline (requirement R4.9). */
export type IntervalKind = 'live' | 'gap' | 'fragment';

/** One entry of the ranges call (R3.10): the status holds from `date`, ms since the epoch, until the next entry. */
export interface Range {
  readonly date: number;
  readonly status: IntervalKind;
}

/** An interval of one kind; `endMs` is exclusive. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: IntervalKind;
}

/**
 * The answer to a request for `startMs` to `endMs` as intervals inside that span, in order. Time before the
 * first range is a gap; unordered entries are sorted.
 */
export function intervalsOf(ranges: readonly Range[], startMs: number, endMs: number): Interval[] {
  const ordered = [...ranges].sort((a, b) => a.date - b.date);
  const found: Interval[] = [];
  let fromMs = startMs;
  let kind: IntervalKind = 'gap';
  for (const range of ordered) {
    if (range.date >= endMs) break;
    if (range.date > fromMs) {
      found.push({ startMs: fromMs, endMs: range.date, kind });
      fromMs = range.date;
    }
    kind = range.status;
  }
  if (fromMs < endMs) found.push({ startMs: fromMs, endMs, kind });
  return joined(found);
}

/** Merges adjacent intervals of one kind. Expects intervals in order, without overlaps. */
export function joined(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const interval of intervals) {
    const last = result.at(-1);
    if (last && last.kind === interval.kind && last.endMs === interval.startMs) {
      result[result.length - 1] = { ...last, endMs: interval.endMs };
    } else if (interval.endMs > interval.startMs) result.push(interval);
  }
  return result;
}

/** The interval that contains a moment, of intervals in order; undefined where nothing is known. */
export function intervalAt<Span extends Pick<Interval, 'startMs' | 'endMs'>>(
  intervals: readonly Span[],
  ms: number,
): Span | undefined {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[middle]?.endMs ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  const found = intervals[low];
  return found && found.startMs <= ms ? found : undefined;
}

/** The first playable interval that ends after a moment. */
export function playableAfter(intervals: readonly Interval[], ms: number): Interval | undefined {
  return intervals.find((interval) => interval.endMs > ms && interval.kind !== 'gap');
}

/** Going to a gap means seeing what led to it: playback starts this long before. */
const GAP_LEAD_MS = 3_000;
/** Going back from a gap that was reached less than this ago selects the previous one. */
const GAP_GRACE_MS = 2_000;

/**
 * The moment from which to play up to the gap before or after another moment; undefined where no such gap is
 * known.
 */
export function momentBeforeGap(
  intervals: readonly Interval[],
  fromMs: number,
  direction: 1 | -1,
): number | undefined {
  const moments: number[] = [];
  for (const [index, { kind, startMs }] of intervals.entries()) {
    const before = intervals[index - 1];
    if (kind !== 'gap' || before?.endMs !== startMs || before.kind !== 'fragment') continue;
    moments.push(Math.max(before.startMs, startMs - GAP_LEAD_MS));
  }
  return direction > 0
    ? moments.find((ms) => ms > fromMs + 1)
    : moments.findLast((ms) => ms < fromMs - GAP_GRACE_MS);
}

/** Going back from a recording that has played for less than this selects the previous one. */
const RECORDING_GRACE_MS = 2_000;

/** The start of the recording before or after the one that contains a moment; undefined where none is known. */
export function neighbourRecording(
  intervals: readonly Interval[],
  fromMs: number,
  direction: 1 | -1,
): number | undefined {
  const playable = intervals.filter((interval) => interval.kind !== 'gap');
  return direction > 0
    ? playable.find((interval) => interval.startMs > fromMs)?.startMs
    : playable.findLast((interval) => interval.startMs < fromMs - RECORDING_GRACE_MS)?.startMs;
}

/** The action of a click on the timeline. */
export type ClickAction =
  | { readonly type: 'none' }
  | { readonly type: 'live' }
  /** Play the archive from this moment. */
  | { readonly type: 'seek'; readonly ms: number };

/**
 * The rules of clicking (R4.9): a fragment plays from that moment, live goes live, a gap goes to the next
 * fragment (or live, if that is next), and a gap at the end, like the future, does nothing. Where nothing is
 * known yet, the moment itself is requested.
 */
export function clickAction(intervals: readonly Interval[], ms: number, nowMs: number): ClickAction {
  if (ms > nowMs) return { type: 'none' };
  const clicked = intervalAt(intervals, ms);
  if (!clicked) return { type: 'seek', ms };
  switch (clicked.kind) {
    case 'fragment':
      return { type: 'seek', ms };
    case 'live':
      return { type: 'live' };
    case 'gap': {
      const next = playableAfter(intervals, clicked.endMs);
      if (!next) return { type: 'none' };
      return next.kind === 'live' ? { type: 'live' } : { type: 'seek', ms: next.startMs };
    }
  }
}
