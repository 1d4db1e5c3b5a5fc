import type { GapCause } from '@vidette/contract/entities';
import { intervalAt, intervalsOf, joined, type Interval, type Range } from '../timeline/intervals.ts';
import type { GapSpan } from '../timeline/gaps.ts';
import type { RangesAnswer } from '../timeline/ranges-loader.ts';

/** What the server says about a stretch of one stream's archive. */
export interface LaneAnswer {
  readonly ranges: readonly Range[];
  readonly gaps: readonly GapSpan[];
  /** Where the whole archive of the stream begins; undefined while nothing is recorded. */
  readonly beginsMs: number | undefined;
  /** Up to here its recording had not begun, in this span; undefined: it had before. */
  readonly begunMs?: number | undefined;
}

export type LaneCall = (
  uid: string,
  startMs: number,
  endMs: number,
  signal: AbortSignal,
) => Promise<LaneAnswer>;

interface LoadedTrackSpan {
  readonly intervals: readonly Interval[];
  readonly gaps: readonly GapSpan[];
}

interface Lane {
  /** By their beginnings, as they were asked for. */
  readonly pieces: Map<number, LoadedTrackSpan>;
  joined: Interval[] | undefined;
  /** Up to here its recording had not begun, as far as it has been heard. */
  begunMs: number;
}

/** Questions that go on at once, for all lanes together: the pictures need the same few connections. */
const QUESTIONS_LIMIT = 3;

/**
 * What is recorded of each of several streams, and of all of them together. It asks for the same stretch of every
 * stream at once and remembers the answers by stream; whoever shows a timeline decides which stretches.
 */
export class Lanes {
  readonly #call: LaneCall;
  readonly #lanes: ReadonlyMap<string, Lane>;
  #asking = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(uids: readonly string[], call: LaneCall) {
    this.#call = call;
    const lane = (): Lane => ({ pieces: new Map(), joined: undefined, begunMs: Number.NEGATIVE_INFINITY });
    this.#lanes = new Map(uids.map((uid) => [uid, lane()]));
  }

  /** Asks for a stretch of every stream. @returns where anything is recorded, as the answer about one stream would say it */
  async load(startMs: number, endMs: number, signal: AbortSignal): Promise<RangesAnswer> {
    const answers = await Promise.all(
      [...this.#lanes.keys()].map(async (uid) => ({
        uid,
        answer: await this.#ask(uid, startMs, endMs, signal),
      })),
    );
    const pieces = answers.map(({ uid, answer }) => this.#keep(uid, startMs, endMs, answer));
    const ranges = together(pieces.map(({ intervals }) => intervals)).map(
      ({ startMs: date, kind: status }) => ({ date, status }),
    );
    const begins = answers.flatMap(({ answer }) => answer.beginsMs ?? []);
    const begun = answers.map(({ answer }) => answer.begunMs ?? Number.NEGATIVE_INFINITY);
    const begunMs = Math.min(...begun);
    return {
      ranges,
      // A gap of all of them has as many causes as there are streams: each lane tells its own.
      gaps: [],
      beginsMs: begins.length > 0 ? Math.min(...begins) : undefined,
      begunMs: Number.isFinite(begunMs) ? begunMs : undefined,
    };
  }

  /** What is known of a stream, in order. */
  intervals(uid: string): readonly Interval[] {
    const lane = this.#lanes.get(uid);
    if (!lane) return [];
    lane.joined ??= joined(
      [...lane.pieces].sort(([a], [b]) => a - b).flatMap(([, { intervals }]) => intervals),
    );
    return lane.joined;
  }

  intervalAt(uid: string, ms: number): Interval | undefined {
    return intervalAt(this.intervals(uid), ms);
  }

  /** Why nothing is recorded at a moment; undefined when something is, or nobody knows. */
  causeAt(uid: string, ms: number): GapCause | undefined {
    const lane = this.#lanes.get(uid);
    // The server lists this one with no gap: nothing is missing there.
    if (lane && ms < lane.begunMs) return 'before-recording';
    for (const { gaps } of lane?.pieces.values() ?? []) {
      const gap = gaps.find(({ startMs, endMs }) => startMs <= ms && ms < endMs);
      if (gap) return gap.cause;
    }
    return undefined;
  }

  #keep(uid: string, startMs: number, endMs: number, answer: LaneAnswer): LoadedTrackSpan {
    const piece = { intervals: intervalsOf(answer.ranges, startMs, endMs), gaps: answer.gaps };
    const lane = this.#lanes.get(uid);
    if (lane) {
      lane.pieces.set(startMs, piece);
      lane.joined = undefined;
      lane.begunMs = Math.max(lane.begunMs, answer.begunMs ?? lane.begunMs);
    }
    return piece;
  }

  async #ask(uid: string, startMs: number, endMs: number, signal: AbortSignal): Promise<LaneAnswer> {
    while (this.#asking >= QUESTIONS_LIMIT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#asking += 1;
    try {
      signal.throwIfAborted();
      return await this.#call(uid, startMs, endMs, signal);
    } finally {
      this.#asking -= 1;
      this.#waiting.shift()?.();
    }
  }
}

/** The intervals of several streams as one: recorded where any is, else live where any is. */
export function together(lanes: readonly (readonly Interval[])[]): Interval[] {
  const edges = new Set<number>();
  for (const { startMs, endMs } of lanes.flat()) edges.add(startMs).add(endMs);
  const moments = [...edges].sort((a, b) => a - b);
  const found = moments.slice(0, -1).map((startMs, at): Interval => {
    const kinds = new Set(lanes.map((intervals) => intervalAt(intervals, startMs)?.kind));
    const kind = kinds.has('fragment') ? 'fragment' : kinds.has('live') ? 'live' : 'gap';
    return { startMs, endMs: moments[at + 1] ?? startMs, kind };
  });
  return joined(found);
}
