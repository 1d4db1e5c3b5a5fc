import type { FragmentPosition } from './fragment-index.ts';

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
  readonly endTicks: number;
  readonly bytes: number;
}

/** Clocks that are further apart make one camera's footage two. */
const offsetMaxTicks = 10 * 90_000;
/** So much the same key frames' distances may differ: times are rounded. */
const sameTicks = 90 * 20;
/** Key frames this close to each other, of the distance to the next one, are the same even if nothing else tells. */
const phaseShare = 0.3;

/**
 * Two nodes recorded one camera for a while, the second beyond where the first ended. They cut it at the same key frames but put
 * these down by clocks of their own. The first counts up to the last key frame of the second in what they have both, and the
 * second from there: so every picture is there, and there once.
 * @param untilTicks where the first ended
 * @returns undefined when the second has no key frame before that
 */
export function handoverCut(
  first: readonly FragmentPosition[],
  second: readonly FragmentPosition[],
  untilTicks: number,
): HandoverCut | undefined {
  const [before, after] = [gopsOf(first), gopsOf(second)];
  const byContent = offsetByContent(before, after);
  const reachTicks = untilTicks + (byContent ?? 0) + (byContent === undefined ? 0 : sameTicks);
  const cut = after.findLast(({ startTicks }) => startTicks <= reachTicks);
  if (!cut) return undefined;
  const secondFromTicks = cut.startTicks;
  const offsetTicks = byContent ?? offsetByPhase(before, cut);
  // Without it rather something twice than not at all.
  const leastTicks = secondFromTicks - (offsetTicks ?? 0) - (offsetTicks === undefined ? 0 : sameTicks);
  const firstUntilTicks = before.find(({ startTicks }) => startTicks >= leastTicks)?.startTicks ?? Infinity;
  return { firstUntilTicks, secondFromTicks };
}

function gopsOf(fragments: readonly FragmentPosition[]): Gop[] {
  const gops: { startTicks: number; endTicks: number; bytes: number }[] = [];
  for (const { startTicks, durationTicks, bytes, startsWithKey } of fragments) {
    const endTicks = startTicks + durationTicks;
    const last = gops.at(-1);
    if (startsWithKey) {
      gops.push({ startTicks, endTicks, bytes });
    } else if (last) {
      last.endTicks = endTicks;
      last.bytes += bytes;
    }
  }
  return gops;
}

/**
 * How much later the second puts the same pictures down: the least offset by which what lies at the same time has the same
 * length in bytes. The last group of the first may have been cut off in the middle.
 */
function offsetByContent(before: readonly Gop[], after: readonly Gop[]): number | undefined {
  const offsets = before.flatMap((gop) =>
    after.filter(({ bytes }) => bytes === gop.bytes).map(({ startTicks }) => startTicks - gop.startTicks),
  );
  return offsets
    .filter((offset) => Math.abs(offset) <= offsetMaxTicks)
    .toSorted((a, b) => Math.abs(a) - Math.abs(b))
    .find((offset) => {
      let [same, other] = [0, 0];
      for (const gop of before.slice(0, -1)) {
        const place = gop.startTicks + offset;
        const beside = after.find(({ startTicks }) => Math.abs(startTicks - place) <= sameTicks);
        if (beside?.bytes === gop.bytes) same++;
        else if (beside) other++;
      }
      return same > 2 * other;
    });
}

/** The same by the nearest key frame of the first, where that can't be another one. */
function offsetByPhase(before: readonly Gop[], cut: Gop): number | undefined {
  const offsets = before.map(({ startTicks }) => cut.startTicks - startTicks);
  const nearest = offsets.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
  const whole = before.length > 1 ? before.slice(0, -1) : before;
  const lengthTicks = Math.min(...whole.map(({ startTicks, endTicks }) => endTicks - startTicks));
  return nearest !== undefined && Math.abs(nearest) <= phaseShare * lengthTicks ? nearest : undefined;
}
