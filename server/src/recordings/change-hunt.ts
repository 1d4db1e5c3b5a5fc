import type { ChangeLine, ChangeStep } from '@vidette/contract/archive-changes';
import type { ChangeOf, ComparedFrame } from './frame-change.ts';
import { momentBetween, momentsIn, type RecordedSpan } from './recorded-spans.ts';
import { settle } from './settled-frames.ts';

/** The key frames that a hunt reads. Rejects when the hunt has to end. */
export interface HuntedFrames {
  /** The key frame at or before a moment; undefined if it can't be read. */
  at(ms: number): Promise<ComparedFrame | undefined>;
  /** The same for several moments, in their order. */
  each(momentsMs: readonly number[]): AsyncIterable<ComparedFrame | undefined>;
  /** How many were read so far. */
  readonly count: number;
}

export interface HuntOptions {
  readonly frames: HuntedFrames;
  /** What is recorded of the searched time, in order. */
  readonly spans: readonly RecordedSpan[];
  readonly changeOf: ChangeOf;
  readonly framesMax: number;
  readonly tell: (line: ChangeLine) => void;
}

/** Frames that are compared first, spread over the recorded time. */
const overviewFrames = 240;
/** The largest changes are followed to their key frames. */
const marksMax = 6;
/** Frames that are read to tell what lasts from what passes. */
const settleFramesMax = 200;
/** What one of them takes, frames: halving three hours of GOPs of two seconds, with doubts. */
const framesPerMark = 16;
/** A smaller change is noise, in standard deviations of brightness. */
const changeLeast = 0.2;
/** A change has to stand out from what is usual at this camera. */
const overUsual = 4;
/** A change that is undone by the next frame of the overview has to be larger: mostly a person passed. */
const overPassing = 3;
/** Fewer frames don't say what is usual. */
const usualLeastFrames = 10;
/** Where a frame between two others is looked for, until one clearly resembles either. */
const shares = [0.5, 0.35, 0.65];
/** The two differences of a frame that clearly resembles one of two others differ by this share of the larger. */
const clearShare = 0.3;

/** Two neighbours among the compared frames, between which it changed. */
interface Candidate {
  readonly before: ComparedFrame;
  readonly after: ComparedFrame;
  /** Of the overview: the span of the curve that is divided. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly change: number;
  /** The part of the change that the frames before and after these two have in common; 0: it passes. */
  readonly lasting: number;
}

/**
 * Looks for changes in a part of the frame, coarse to fine: frames spread over the whole time first, then the largest
 * changes between two of them are halved down to neighbouring key frames. What lasts is found before what passes.
 * @throws what reading frames rejects with; everything told until then is valid
 */
export async function huntChanges(options: HuntOptions): Promise<void> {
  const { frames, spans, framesMax, tell } = options;
  const overview = await compareOverview(options);
  const candidates = await candidatesOf(overview, options);
  const expected = Math.min(framesMax, frames.count + candidates.length * framesPerMark);
  for (const candidate of candidates) {
    tell({ type: 'progress', frames: frames.count, expected: Math.max(expected, frames.count) });
    const { before, after, fromMs, toMs, change, lasting } = candidate;
    const [last, first] = await halve(candidate, spans, options);
    const step = (one: ComparedFrame, other: ComparedFrame) => {
      const { change: own } = stepOf(one, other, options.changeOf);
      const [startTime, endTime] = [Math.max(fromMs, one.timeMs), Math.min(toMs, other.timeMs)];
      if (endTime > startTime) tell({ type: 'step', startTime, endTime, change: own });
    };
    step(before, last);
    step(last, first);
    step(first, after);
    tell({
      type: 'mark',
      startTime: last.timeMs,
      endTime: first.timeMs,
      change: rounded(change),
      lasts: lasting > 0,
    });
  }
}

async function compareOverview({ frames, spans, changeOf, tell }: HuntOptions): Promise<ComparedFrame[]> {
  const moments = momentsIn(spans, overviewFrames);
  const expected = moments.length + marksMax * framesPerMark;
  const compared: ComparedFrame[] = [];
  for await (const frame of frames.each(moments)) {
    tell({ type: 'progress', frames: frames.count, expected });
    const last = compared.at(-1);
    if (!frame || (last && frame.timeMs <= last.timeMs)) continue;
    compared.push(frame);
    if (last) tell({ type: 'step', ...stepOf(last, frame, changeOf) });
  }
  return compared;
}

function stepOf(one: ComparedFrame, other: ComparedFrame, changeOf: ChangeOf): ChangeStep {
  const change = rounded(changeOf(one.thumbnail, other.thumbnail));
  return { startTime: one.timeMs, endTime: other.timeMs, change };
}

function rounded(change: number): number {
  return Math.round(change * 1000) / 1000;
}

/**
 * The neighbours between which most changed: what lasts first, the largest change first. It lasts if it is seen in two
 * frames of the overview on each side, without those who only pass there.
 */
async function candidatesOf(
  overview: readonly ComparedFrame[],
  { frames, spans, changeOf, tell }: HuntOptions,
): Promise<Candidate[]> {
  const changes = overview
    .slice(1)
    .map((after, place) => ({ before: overview[place] ?? after, after }))
    .map(({ before, after }) => ({ before, after, change: changeOf(before.thumbnail, after.thumbnail) }));
  const least = Math.max(changeLeast, overUsual * usualOf(changes.map(({ change }) => change)));
  const settled = await settle(overview, {
    ...{ frames, spans, changeOf, least },
    framesMax: settleFramesMax,
    onRound: (reads) => {
      const expected = frames.count + reads + marksMax * framesPerMark;
      tell({ type: 'progress', frames: frames.count, expected });
    },
  });
  const lasting = changes.map((_, place) => {
    const common = commonChange(settled, place, changeOf);
    return common >= least ? common : 0;
  });
  const candidates = changes.flatMap(({ before, after, change }, place): Candidate[] => {
    const span = { fromMs: before.timeMs, toMs: after.timeMs };
    const [one = before, other = after] = settled.slice(place, place + 2);
    const own = lasting[place] ?? 0;
    if (own > 0) {
      const whole = changeOf(one.thumbnail, other.thumbnail);
      return [{ ...span, before: one, after: other, change: whole, lasting: own }];
    }
    // Someone in the frame beside a change that lasts is no change of their own.
    const isBeside =
      (one !== before && (lasting[place - 1] ?? 0) > 0) || (other !== after && (lasting[place + 1] ?? 0) > 0);
    return change >= least * overPassing && !isBeside ? [{ ...span, before, after, change, lasting: 0 }] : [];
  });
  return candidates
    .sort((one, other) => other.lasting - one.lasting || other.change - one.change)
    .slice(0, marksMax);
}

/** How much the two frames before a change and the two after it differ at least; at the ends of the archive there is one. */
function commonChange(settled: readonly ComparedFrame[], place: number, changeOf: ChangeOf): number {
  const [before, after] = [
    settled.slice(Math.max(0, place - 1), place + 1),
    settled.slice(place + 1, place + 3),
  ];
  return Math.min(...before.flatMap((one) => after.map((other) => changeOf(one.thumbnail, other.thumbnail))));
}

function usualOf(changes: readonly number[]): number {
  if (changes.length < usualLeastFrames) return 0;
  return changes.toSorted((a, b) => a - b)[Math.floor(changes.length / 2)] ?? 0;
}

/** The last key frame that resembles the one before the change, and the next one that was recorded. */
async function halve(
  { before, after }: Candidate,
  spans: readonly RecordedSpan[],
  { frames, changeOf }: HuntOptions,
): Promise<readonly [ComparedFrame, ComparedFrame]> {
  /** Negative: more like the one before. */
  const lean = ({ thumbnail }: ComparedFrame) =>
    changeOf(before.thumbnail, thumbnail) - changeOf(thumbnail, after.thumbnail);
  const whole = changeOf(before.thumbnail, after.thumbnail);
  /** It resembles one of the two, and not merely the other one less: a frame with a person in it may resemble neither. */
  const isClear = (frame: ComparedFrame) => {
    const differences = [
      changeOf(before.thumbnail, frame.thumbnail),
      changeOf(frame.thumbnail, after.thumbnail),
    ];
    const isLike = Math.min(...differences) <= whole / 2;
    return isLike && Math.abs(lean(frame)) >= clearShare * Math.max(...differences);
  };
  let [low, high] = [before, after];
  for (;;) {
    const between: ComparedFrame[] = [];
    for (const share of shares) {
      const frame = await frameBetween(low, high, share, spans, frames);
      if (!frame) continue;
      between.push(frame);
      if (isClear(frame)) break;
    }
    const [clearest] = between.sort(
      (a, b) => Number(isClear(b)) - Number(isClear(a)) || Math.abs(lean(b)) - Math.abs(lean(a)),
    );
    if (!clearest) return [low, high];
    if (lean(clearest) <= 0) low = clearest;
    else high = clearest;
  }
}

/** A key frame between two others, at a share of the time that is recorded between them; undefined: none can be read. */
async function frameBetween(
  low: ComparedFrame,
  high: ComparedFrame,
  share: number,
  spans: readonly RecordedSpan[],
  frames: HuntedFrames,
): Promise<ComparedFrame | undefined> {
  const between = ({ timeMs }: ComparedFrame) => timeMs > low.timeMs && timeMs < high.timeMs;
  for (const tried of [share, (share + 1) / 2, (share + 7) / 8]) {
    const moment = momentBetween(spans, low.timeMs, high.timeMs, tried);
    const frame = moment === undefined ? undefined : await frames.at(moment);
    if (frame && between(frame)) return frame;
  }
  // The GOP of `low`, or a gap behind it, reaches past those moments.
  const last = await frames.at(high.timeMs - 1);
  return last && between(last) ? last : undefined;
}
