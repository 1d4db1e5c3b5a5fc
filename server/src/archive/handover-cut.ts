import type { IndexedPosition } from './fragment-index.ts';
import { JOIN_TICKS } from './intervals.ts';
import { CATALOG_TIMESCALE } from './layout.ts';

/** Where the footage of one node gives way to that of another. */
export interface HandoverCut {
  /** What the first has from here on is left out, by the times that it put down; Infinity: all of it counts. */
  readonly firstUntilTicks: number;
  /** A key frame of the second. */
  readonly secondFromTicks: number;
}

/** From a key frame to the next; of one that is cut off, up to where it is. */
interface Gop {
  readonly startTicks: number;
  readonly bytes: number;
}

/** Clocks that are further apart make one camera's footage two. */
const offsetMaxTicks = 10 * CATALOG_TIMESCALE;
/** So much the same key frames' distances may differ: times are rounded. */
const sameTicks = CATALOG_TIMESCALE / 50;
/** Key frames this close are the same, even if nothing else tells. */
const closeTicks = JOIN_TICKS / 2;

/**
 * Two nodes recorded one camera for a while, the second beyond where the first ended. The first counts up to the last key frame
 * of the second in what they have both, and the second from there: nothing that either put down is left out. Where the two
 * certainly show the same frames, cut at the same key frames and put down by clocks of their own, none is there twice.
 * @param untilTicks where the first ended
 * @returns undefined when the second has no key frame before that
 */
export function handoverCut(
  first: readonly IndexedPosition[],
  second: readonly IndexedPosition[],
  untilTicks: number,
): HandoverCut | undefined {
  const [before, after] = [gopsOf(first), gopsOf(second)];
  const offsetTicks = offsetByContent(before, after);
  // If the second is much later, what it shows from there on is missing on the timeline up to there: then it is shown twice.
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

/** The first ends with the last that began before a moment. */
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
 * How much later the second puts the same frames down: by groups that have the same length in bytes, which no other has. The
 * last group of the first may have been cut off in the middle. Undefined where that tells nothing.
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
