import type { ChangeOf, ComparedFrame } from './frame-change.ts';
import { momentBetween, type RecordedSpan } from './recorded-spans.ts';

export interface SettleOptions {
  readonly frames: {
    /** The key frame at or before each moment; undefined if it can't be read. */
    each(momentsMs: readonly number[]): AsyncIterable<ComparedFrame | undefined>;
  };
  readonly spans: readonly RecordedSpan[];
  readonly changeOf: ChangeOf;
  /** The frames at both sides of a change of this size are looked at more closely. */
  readonly least: number;
  /** Frames that may be read. */
  readonly framesMax: number;
  /** Called before frames are read, with how many. */
  readonly onRound: (frames: number) => void;
}

/** A frame of the overview with its neighbours there. */
interface View {
  readonly frame: ComparedFrame;
  readonly before: ComparedFrame | undefined;
  readonly after: ComparedFrame | undefined;
  /** The frame, and those read around it. */
  readonly seen: ComparedFrame[];
  settled: ComparedFrame;
}

/**
 * Where frames around one of the overview are taken, as shares of the recorded time to the one before and to the one
 * after it: uneven, so that they don't meet what passes regularly. The second pair only where a change remains.
 */
const rounds = [
  [0.085, 0.131],
  [0.213, 0.172],
] as const;

/**
 * What each frame of the overview shows without those who pass: of the frame and some around it, the one that resembles
 * the others most. Frames beside which nothing changed stand for themselves.
 * @throws what reading frames rejects with
 */
export async function settle(
  overview: readonly ComparedFrame[],
  { frames, spans, changeOf, least, framesMax, onRound }: SettleOptions,
): Promise<ComparedFrame[]> {
  const views = overview.map((frame, place): View => {
    const [before, after] = [overview[place - 1], overview[place + 1]];
    return { frame, before, after, seen: [frame], settled: frame };
  });
  let left = framesMax;
  for (const shares of rounds) {
    const reads = viewsAtChanges(views, changeOf, least)
      .flatMap((view) => momentsAround(view, shares, spans).map((ms) => ({ view, ms })))
      .slice(0, left);
    if (reads.length === 0) break;
    left -= reads.length;
    onRound(reads.length);
    const found = frames.each(reads.map(({ ms }) => ms))[Symbol.asyncIterator]();
    for (const { view } of reads) {
      const { value } = await found.next();
      if (value && isBeside(view, value)) view.seen.push(value);
    }
    for (const { view } of reads) view.settled = mostCommon(view.seen, changeOf) ?? view.frame;
  }
  return views.map(({ settled }) => settled);
}

/** The views at both sides of each change, those of the largest change first, each once. */
function viewsAtChanges(views: readonly View[], changeOf: ChangeOf, least: number): readonly View[] {
  const changes = views.flatMap((view, place) => {
    const next = views[place + 1];
    return next ? [{ view, next, change: changeOf(view.settled.thumbnail, next.settled.thumbnail) }] : [];
  });
  const large = changes
    .filter(({ change }) => change >= least)
    .sort((one, other) => other.change - one.change);
  return [...new Set(large.flatMap(({ view, next }) => [view, next]))];
}

function momentsAround(
  { frame, before, after }: View,
  [shareBefore, shareAfter]: readonly [number, number],
  spans: readonly RecordedSpan[],
): number[] {
  const behind = (share: number) => before && momentBetween(spans, before.timeMs, frame.timeMs, 1 - share);
  const ahead = (share: number) => after && momentBetween(spans, frame.timeMs, after.timeMs, share);
  // The first and the last frame have both on one side.
  return [
    before ? behind(shareBefore) : ahead(shareBefore),
    after ? ahead(shareAfter) : behind(shareAfter),
  ].filter((ms) => ms !== undefined);
}

/** Whether it is another frame of a view, between its neighbours: a long GOP or a gap leads to one of those. */
function isBeside({ before, after, seen }: View, { timeMs }: ComparedFrame): boolean {
  return (
    timeMs > (before?.timeMs ?? -Infinity) &&
    timeMs < (after?.timeMs ?? Infinity) &&
    seen.every((other) => other.timeMs !== timeMs)
  );
}

/** The frame that differs least from all others; of equals the first. */
function mostCommon(frames: readonly ComparedFrame[], changeOf: ChangeOf): ComparedFrame | undefined {
  const differences = frames.map(({ thumbnail }) =>
    frames.reduce((sum, other) => sum + changeOf(thumbnail, other.thumbnail), 0),
  );
  return frames[differences.indexOf(Math.min(...differences))];
}
