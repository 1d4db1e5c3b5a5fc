import { type IndexedPosition, CATALOG_TIMESCALE } from '../segments/segments.ts';
import { JOIN_TICKS } from './intervals.ts';

/** The point where another node's footage continues that of one node. */
export interface HandoverCut {
  /** The first node's footage from this point is dropped, by its own times; Infinity: all of it is used. */
  readonly firstUntilTicks: number;
  /** A key frame of the second node. */
  readonly secondFromTicks: number;
}

/** From a key frame to the next; if it is truncated, up to its end. */
interface Gop {
  readonly startTicks: number;
  readonly bytes: number;
}

/** If the clocks differ by more, one camera's footage counts as two. */
const offsetMaxTicks = 10 * CATALOG_TIMESCALE;
/** Tolerance for the distances between the same key frames, whose times are rounded. */
const sameTicks = CATALOG_TIMESCALE / 50;
/** Key frames this close together are the same, even without other evidence. */
const closeTicks = JOIN_TICKS / 2;

/**
 * Two nodes recorded one camera for a while, the second past the end of the first. The first is used up to the
 * last key frame of the second in their overlap, and the second from there: nothing that either recorded is
 * dropped. Where the two certainly show the same frames, cut at the same key frames and dated by their own
 * clocks, none appears twice.
 * @param untilTicks where the first ended
 * @returns undefined if the second has no key frame before that
 */
export function handoverCut(
  first: readonly IndexedPosition[],
  second: readonly IndexedPosition[],
  untilTicks: number,
): HandoverCut | undefined {
  const [before, after] = [gopsOf(first), gopsOf(second)];
  const offsetTicks = offsetByContent(before, after);
  // If the second is much later, its footage would leave a gap in the timeline up to there: then the overlap is
  // shown twice.
  if (offsetTicks !== undefined && offsetTicks <= JOIN_TICKS) {
    const cut = after.findLast(({ startTicks }) => startTicks - offsetTicks <= untilTicks + sameTicks);
    return cut && cutAt(before, cut.startTicks, cut.startTicks - offsetTicks - sameTicks);
  }
  const cut = after.findLast(({ startTicks }) => startTicks <= untilTicks + closeTicks);
  if (!cut) return undefined;
  const { startTicks } = cut;
  const places = [...before.map((gop) => gop.startTicks), untilTicks];
  const isClose = places.some((place) => Math.abs(place - startTicks) <= closeTicks);
  return isClose ? cutAt(before, startTicks, startTicks - closeTicks) : cutAt(first, startTicks, startTicks);
}

/** The first ends with the last GOP that began before a time. */
function cutAt(
  places: readonly { readonly startTicks: number }[],
  secondFromTicks: number,
  leastTicks: number,
): HandoverCut {
  const end = places.find(({ startTicks }) => startTicks >= leastTicks);
  return { firstUntilTicks: end?.startTicks ?? Infinity, secondFromTicks };
}

function gopsOf(fragments: readonly IndexedPosition[]): Gop[] {
  const gops: { startTicks: number; bytes: number }[] = [];
  for (const { startTicks, bytes, startsWithKey } of fragments) {
    const last = gops.at(-1);
    if (startsWithKey) gops.push({ startTicks, bytes });
    else if (last) last.bytes += bytes;
  }
  return gops;
}

/**
 * By how much the second dates the same frames later: determined from GOPs with the same length in bytes, which
 * no other GOP has. The last GOP of the first may be truncated. Undefined where this is inconclusive.
 */
function offsetByContent(before: readonly Gop[], after: readonly Gop[]): number | undefined {
  const whole = before.slice(0, -1);
  const isOnly = (gops: readonly Gop[], gop: Gop) =>
    gops.filter(({ bytes }) => bytes === gop.bytes).length === 1;
  const offsets = whole
    .filter((gop) => isOnly(whole, gop) && isOnly(after, gop))
    .flatMap((gop) =>
      after.filter(({ bytes }) => bytes === gop.bytes).map(({ startTicks }) => startTicks - gop.startTicks),
    );
  return offsets
    .filter((offset) => Math.abs(offset) <= offsetMaxTicks)
    .find((offset) => {
      let [same, other] = [0, 0];
      for (const gop of whole) {
        const beside = after.find(({ startTicks }) => isSame(startTicks, gop.startTicks + offset));
        if (beside?.bytes === gop.bytes) same++;
        else if (beside) other++;
      }
      return same > 2 * other;
    });
}

function isSame(aTicks: number, bTicks: number): boolean {
  return Math.abs(aTicks - bTicks) <= sameTicks;
}
