import type { ChangeLine, ChangeStep } from '@vidette/contract/archive-changes';
import type { ChangeOf } from './frame-change.ts';
import { momentsIn, type RecordedSpan } from './recorded-spans.ts';

/** A key frame that is compared. */
export interface ComparedFrame {
  readonly timeMs: number;
  readonly thumbnail: Uint8Array;
}

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

/** Two neighbours among the compared frames, or the neighbours of one in which someone passes. */
interface Candidate {
  readonly before: ComparedFrame;
  readonly after: ComparedFrame;
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
  const candidates = candidatesOf(overview, options.changeOf);
  const expected = Math.min(framesMax, frames.count + candidates.length * framesPerMark);
  for (const candidate of candidates) {
    tell({ type: 'progress', frames: frames.count, expected: Math.max(expected, frames.count) });
    const [last, first] = await halve(candidate, spans, options);
    const step = (one: ComparedFrame, other: ComparedFrame) => {
      if (other.timeMs > one.timeMs) tell({ type: 'step', ...stepOf(one, other, options.changeOf) });
    };
    step(candidate.before, last);
    step(last, first);
    step(first, candidate.after);
    const { change } = stepOf(candidate.before, candidate.after, options.changeOf);
    const lasts = candidate.lasting > 0;
    tell({ type: 'mark', startTime: last.timeMs, endTime: first.timeMs, change, lasts });
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
  const change = Math.round(changeOf(one.thumbnail, other.thumbnail) * 1000) / 1000;
  return { startTime: one.timeMs, endTime: other.timeMs, change };
}

/**
 * The neighbours between which most changed: what lasts first, the largest change first. What is there in two frames of
 * the overview in a row counts as lasting: where people pass as regularly as the frames are spaced, they come first.
 */
function candidatesOf(overview: readonly ComparedFrame[], changeOf: ChangeOf): Candidate[] {
  const change = (one: number, other: number) => {
    const [before, after] = [overview[one], overview[other]];
    return before && after ? changeOf(before.thumbnail, after.thumbnail) : 0;
  };
  const changes = overview.slice(1).map((_, index) => change(index, index + 1));
  const least = Math.max(changeLeast, overUsual * usualOf(changes));
  const lastingOf = (index: number, own: number) => {
    // A frame with a person in it differs from both neighbours, but these do not differ from each other.
    const common = Math.min(
      own,
      change(index - 1, index + 1),
      change(index, index + 2),
      change(index - 1, index + 2),
    );
    return common >= least ? common : 0;
  };
  const candidates: Candidate[] = [];
  for (let index = 0; index < changes.length; index++) {
    const [before, after, next] = overview.slice(index, index + 3);
    const [own = 0, following = 0] = changes.slice(index);
    if (!before || !after) continue;
    const lasting = lastingOf(index, own);
    const whole = change(index, index + 2);
    // Someone passes in the frame at the change, which seems to last on both sides of it: it is somewhere between the
    // frames around, compared without that one. Two changes one after the other add up, and stay two.
    const isBoth = lasting > 0 && lastingOf(index + 1, following) > 0 && own + following - whole >= least;
    if (isBoth && next) {
      candidates.push({ before, after: next, change: whole, lasting: whole });
      index++;
    } else if (lasting > 0 || own >= least * overPassing)
      candidates.push({ before, after, change: own, lasting });
  }
  return candidates
    .sort((one, other) => other.lasting - one.lasting || other.change - one.change)
    .slice(0, marksMax);
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
  const clipped = spans.map(({ startMs, endMs }) => ({
    startMs: Math.max(startMs, low.timeMs),
    endMs: Math.min(endMs, high.timeMs),
  }));
  const recorded = clipped.filter(({ startMs, endMs }) => endMs > startMs);
  for (const tried of [share, (share + 1) / 2, (share + 7) / 8]) {
    const [moment] = momentsIn(recorded, 1, tried);
    const frame = moment === undefined ? undefined : await frames.at(moment);
    if (frame && between(frame)) return frame;
  }
  // The GOP of `low`, or a gap behind it, reaches past those moments.
  const last = await frames.at(high.timeMs - 1);
  return last && between(last) ? last : undefined;
}
