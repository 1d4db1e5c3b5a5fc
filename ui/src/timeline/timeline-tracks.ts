import type { GapCause } from '@vidette/contract/entities';
import { intervalAt, intervalsOf, joined, type Interval, type Range } from './intervals.ts';
import type { GapSpan } from './gaps.ts';
import type { RangesAnswer } from './ranges-loader.ts';

/** The server's answer about a span of one stream's archive. */
export interface TimelineTrackAnswer {
  readonly ranges: readonly Range[];
  readonly gaps: readonly GapSpan[];
  /** Start of the stream's whole archive; undefined while nothing is recorded. */
  readonly beginsMs: number | undefined;
  /** Its recording had not started before this moment, in this span; undefined: it had before. */
  readonly begunMs?: number | undefined;
}

export type TimelineTrackCall = (
  uid: string,
  startMs: number,
  endMs: number,
  signal: AbortSignal,
) => Promise<TimelineTrackAnswer>;

interface LoadedTrackSpan {
  readonly intervals: readonly Interval[];
  readonly gaps: readonly GapSpan[];
}

interface TimelineTrack {
  /** By start time, as requested. */
  readonly pieces: Map<number, LoadedTrackSpan>;
  joined: Interval[] | undefined;
  /** Its recording had not started before this moment, as far as known. */
  begunMs: number;
}

/** Concurrent requests, for all tracks together: the video needs the same few connections. */
const QUESTIONS_LIMIT = 3;

/**
 * The recordings of each of several streams, and of all of them together. Requests the same span of every
 * stream together and caches the answers by stream; the caller decides which spans.
 */
export class TimelineTracks {
  readonly #call: TimelineTrackCall;
  readonly #tracks: ReadonlyMap<string, TimelineTrack>;
  #asking = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(uids: readonly string[], call: TimelineTrackCall) {
    this.#call = call;
    const track = (): TimelineTrack => ({
      pieces: new Map(),
      joined: undefined,
      begunMs: Number.NEGATIVE_INFINITY,
    });
    this.#tracks = new Map(uids.map((uid) => [uid, track()]));
  }

  /**
   * Requests a span of every stream. @returns where any stream is recorded, in the form of an answer about one
   * stream
   */
  async load(startMs: number, endMs: number, signal: AbortSignal): Promise<RangesAnswer> {
    const answers = await Promise.all(
      [...this.#tracks.keys()].map(async (uid) => ({
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
      // A gap of all streams has as many causes as there are streams: each track shows its own.
      gaps: [],
      beginsMs: begins.length > 0 ? Math.min(...begins) : undefined,
      begunMs: Number.isFinite(begunMs) ? begunMs : undefined,
    };
  }

  /** The known intervals of a stream, in order. */
  intervals(uid: string): readonly Interval[] {
    const track = this.#tracks.get(uid);
    if (!track) return [];
    track.joined ??= joined(
      [...track.pieces].sort(([a], [b]) => a - b).flatMap(([, { intervals }]) => intervals),
    );
    return track.joined;
  }

  intervalAt(uid: string, ms: number): Interval | undefined {
    return intervalAt(this.intervals(uid), ms);
  }

  /** Why nothing is recorded at a moment; undefined when something is, or it is unknown. */
  causeAt(uid: string, ms: number): GapCause | undefined {
    const track = this.#tracks.get(uid);
    // The server lists no gap for this one: nothing is missing there.
    if (track && ms < track.begunMs) return 'before-recording';
    for (const { gaps } of track?.pieces.values() ?? []) {
      const gap = gaps.find(({ startMs, endMs }) => startMs <= ms && ms < endMs);
      if (gap) return gap.cause;
    }
    return undefined;
  }

  #keep(uid: string, startMs: number, endMs: number, answer: TimelineTrackAnswer): LoadedTrackSpan {
    const piece = { intervals: intervalsOf(answer.ranges, startMs, endMs), gaps: answer.gaps };
    const track = this.#tracks.get(uid);
    if (track) {
      track.pieces.set(startMs, piece);
      track.joined = undefined;
      track.begunMs = Math.max(track.begunMs, answer.begunMs ?? track.begunMs);
    }
    return piece;
  }

  async #ask(uid: string, startMs: number, endMs: number, signal: AbortSignal): Promise<TimelineTrackAnswer> {
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
export function together(tracks: readonly (readonly Interval[])[]): Interval[] {
  const edges = new Set<number>();
  for (const { startMs, endMs } of tracks.flat()) edges.add(startMs).add(endMs);
  const moments = [...edges].sort((a, b) => a - b);
  const found = moments.slice(0, -1).map((startMs, at): Interval => {
    const kinds = new Set(tracks.map((intervals) => intervalAt(intervals, startMs)?.kind));
    const kind = kinds.has('fragment') ? 'fragment' : kinds.has('live') ? 'live' : 'gap';
    return { startMs, endMs: moments[at + 1] ?? startMs, kind };
  });
  return joined(found);
}
