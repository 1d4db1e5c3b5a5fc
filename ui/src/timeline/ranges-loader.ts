import { polls } from '@vidette/contract/constants';
import type { Disposer, PageClock } from '../base/clock.ts';
import { inOrder, type TimelineEvent } from './events.ts';
import { joinedGaps, type GapSpan } from './gaps.ts';
import { intervalsOf, joined, type Interval, type Range } from './intervals.ts';
import type { TimeScale } from './time-scale.ts';

/** The server's answer about a span. */
export interface RangesAnswer {
  readonly ranges: readonly Range[];
  readonly gaps: readonly GapSpan[];
  /** Start of the whole archive; undefined while nothing is recorded. */
  readonly beginsMs: number | undefined;
  /** Recording had not started before this moment, in this span; undefined: it had before. */
  readonly begunMs?: number | undefined;
}

/** Requests the ranges of at most `fragmentMs`; rejects with whatever the call rejects with. */
type RangesCall = (startMs: number, endMs: number, signal: AbortSignal) => Promise<RangesAnswer>;

/** The known data about a span. */
export interface KnownIntervals {
  readonly intervals: readonly Interval[];
  readonly events: readonly TimelineEvent[];
}

/** Requests the events that begin in the same span. */
type EventsCall = (startMs: number, endMs: number, signal: AbortSignal) => Promise<readonly TimelineEvent[]>;

/**
 * Requests ranges in which gaps up to `resolutionSeconds` don't count; the span may be that many times as long as a
 * piece, at most `COARSE_MAX_MS`.
 */
type CoarseCall = (
  startMs: number,
  endMs: number,
  resolutionSeconds: number,
  signal: AbortSignal,
) => Promise<readonly Range[]>;

export interface RangesLoaderOptions {
  readonly call: RangesCall;
  /** Without it, a search for the next recording requests every piece on its way. */
  readonly coarseCall?: CoarseCall;
  readonly eventsCall: EventsCall;
  readonly clock: PageClock;
  /** The server's `rangesMaxSeconds` (R9.3): no request covers more. */
  readonly pieceMs: number;
  /** Called with each failed request; the loader retries by itself at the next refresh. */
  readonly onError: (error: unknown) => void;
}

interface LoadedStretch extends KnownIntervals {
  readonly gaps: readonly GapSpan[];
  /** Known up to here: the time of the answer for a piece that contains the present. */
  readonly untilMs: number;
  /** On the wall clock. */
  readonly askedMs: number;
}

/** An answer about a time at least this long ago changes only by retention. */
const SETTLED_MS = 5 * 60_000;
/** Even settled pieces are refetched after this long: retention deletes the oldest recordings. */
const STALE_MS = 10 * 60_000;
/**
 * For this long a search treats an earlier live answer as still live, so that the next request about the same
 * moment gets the same answer.
 */
const LIVE_STALE_MS = 2000;
const EDGE_LOOKS = 4;
const PIECES_LIMIT = 400;
const QUESTIONS_LIMIT = 4;
/** The number of pieces that a search for the next recording covers: four weeks of three-hour pieces. */
const SEARCH_LIMIT = 224;
const COARSE_MAX_MS = 30 * 86_400_000;

/**
 * The ranges and events of one stream, requested in pieces on a fixed grid, so that panning finds them in the
 * cache, and joined again for readers. The newest piece is refreshed while it is in view.
 */
export class RangesLoader {
  readonly #options: RangesLoaderOptions;
  readonly #pieces = new Map<number, LoadedStretch>();
  readonly #asking = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  #wanted: number[] = [];
  #scale: TimeScale | undefined;
  #cancelRefresh: Disposer | undefined;
  #joined: Interval[] | undefined;
  #ordered: TimelineEvent[] | undefined;
  #gaps: GapSpan[] | undefined;
  #beginsMs: number | undefined;
  #begunMs: number | undefined;

  constructor(options: RangesLoaderOptions) {
    this.#options = options;
  }

  /** All known intervals, in order, without overlaps; a live interval extends to the present. */
  get intervals(): readonly Interval[] {
    this.#joined ??= this.#join();
    return this.#joined;
  }

  /** All known events, by start time. */
  get events(): readonly TimelineEvent[] {
    this.#ordered ??= inOrder([...this.#pieces.values()].flatMap((piece) => piece.events));
    return this.#ordered;
  }

  /** Calls back after every change of `intervals` or `events`; the returned function unsubscribes. */
  subscribe(listener: () => void): Disposer {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Start of the whole archive, as far as known. */
  get beginsMs(): number | undefined {
    return this.#beginsMs;
  }

  /** Recording was not expected before this moment, as far as known: that time is no gap. */
  get begunMs(): number | undefined {
    return this.#begunMs;
  }

  /** The causes of gaps, as far as known: in order, one entry for each cause. */
  get gaps(): readonly GapSpan[] {
    this.#gaps ??= joinedGaps(this.#inOrder().flatMap(({ gaps }) => gaps));
    return this.#gaps;
  }

  /** Sets the visible span. Requests for spans no longer in view are aborted; the latest view wins. */
  show(scale: TimeScale): void {
    this.#scale = scale;
    const wanted = this.#indexes(scale.startMs, Math.min(scale.endMs, this.#options.clock.wallMs()));
    // Newest first: users look there first.
    this.#wanted = wanted.reverse();
    for (const [index, controller] of this.#asking) {
      if (!this.#wanted.includes(index)) controller.abort();
    }
    this.#ask();
    this.#schedule();
  }

  /** Stops the requests, e.g. in a hidden tab; the known data stays. `show` resumes. */
  pause(): void {
    this.#cancelRefresh?.();
    this.#cancelRefresh = undefined;
    this.#wanted = [];
    for (const controller of this.#asking.values()) controller.abort();
  }

  /**
   * The first playable interval that ends after a moment; asks the server where nothing is known. Undefined
   * when there is none up to the present.
   */
  async nextPlayable(fromMs: number, signal: AbortSignal): Promise<Interval | undefined> {
    const nowMs = this.#options.clock.wallMs();
    const indexes = this.#indexes(fromMs, nowMs).slice(0, SEARCH_LIMIT);
    let skipTo: number | undefined;
    for (const [place, index] of indexes.entries()) {
      const known = this.#fresh(index, true);
      // Nothing was found in the first piece: one request finds the next that has a recording.
      if (place > 0 && !known) skipTo ??= await this.#pieceAfter(index, indexes.at(-1) ?? index, signal);
      if (skipTo !== undefined && index < skipTo) continue;
      const cached = known?.intervals.find((interval) => interval.endMs > fromMs && interval.kind !== 'gap');
      // A live interval may be recorded by now, and an answer some seconds old may end before the moment.
      const isSure =
        known && known.untilMs > fromMs && (cached?.kind !== 'live' || nowMs - known.askedMs < LIVE_STALE_MS);
      const piece = isSure ? known : await this.#load(index, signal);
      const last = piece.intervals.at(-1);
      const found =
        piece.intervals.find((interval) => interval.endMs > fromMs && interval.kind !== 'gap') ??
        // If the server's clock is ahead of this browser's, the present is later than any requested span.
        (last?.kind === 'live' ? last : undefined);
      if (found)
        return this.intervals.find((interval) => interval.endMs > fromMs && interval.kind !== 'gap') ?? found;
    }
    return undefined;
  }

  /**
   * The interval played at a moment, or the next: like `nextPlayable`, but a growing recording counts as live
   * video when no more than `withinMs` of it is left.
   */
  async nextOrLive(fromMs: number, withinMs: number, signal: AbortSignal): Promise<Interval | undefined> {
    const first = await this.nextPlayable(fromMs, signal);
    let next = first;
    // It may have grown between two answers.
    for (let looks = 0; looks < EDGE_LOOKS && next?.kind === 'fragment'; looks++) {
      if (next.startMs > fromMs || next.endMs - fromMs > withinMs) return first;
      next = await this.nextPlayable(next.endMs, signal);
    }
    return next?.kind === 'live' ? next : first;
  }

  /**
   * Searches for a moment forwards or backwards from another, piece by piece, asking the server where nothing
   * is known.
   * @param momentIn finds the moment in the pieces searched so far
   */
  async search(
    fromMs: number,
    direction: 1 | -1,
    momentIn: (known: KnownIntervals) => number | undefined,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { pieceMs, clock, onError } = this.#options;
    const walked: LoadedStretch[] = [];
    let index = Math.floor(fromMs / pieceMs);
    for (let count = 0; count < SEARCH_LIMIT; count++, index += direction) {
      if (index * pieceMs > clock.wallMs() || (index + 1) * pieceMs <= (this.#beginsMs ?? 0)) break;
      try {
        const piece = this.#fresh(index, true) ?? (await this.#load(index, signal));
        if (direction > 0) walked.push(piece);
        else walked.unshift(piece);
      } catch (error) {
        if (!signal.aborted) onError(error);
        return undefined;
      }
      const found = momentIn({
        intervals: joined(walked.flatMap((piece) => piece.intervals)),
        events: inOrder(walked.flatMap((piece) => piece.events)),
      });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * The last playable interval that begins before a moment; asks the server where nothing is known. Undefined
   * when there is none.
   */
  async previousPlayable(beforeMs: number, signal: AbortSignal): Promise<Interval | undefined> {
    const last = Math.floor((beforeMs - 1) / this.#options.pieceMs);
    for (let index = last; index > last - SEARCH_LIMIT; index--) {
      const piece = this.#fresh(index, true) ?? (await this.#load(index, signal));
      const found = piece.intervals.findLast(
        (interval) => interval.startMs < beforeMs && interval.kind !== 'gap',
      );
      if (found) return found;
    }
    return undefined;
  }

  /** The first of some pieces in which something is recorded; the one after them if there is none. */
  async #pieceAfter(first: number, last: number, signal: AbortSignal): Promise<number> {
    const { pieceMs, coarseCall, clock } = this.#options;
    const startMs = first * pieceMs;
    const endMs = Math.min((last + 1) * pieceMs, startMs + COARSE_MAX_MS, clock.wallMs());
    if (!coarseCall || last === first || endMs <= startMs) return first;
    const resolutionSeconds = Math.ceil((endMs - startMs) / pieceMs);
    const ranges = await coarseCall(startMs, endMs, resolutionSeconds, signal);
    signal.throwIfAborted();
    // Footage is never left out of coarse ranges: where they have none, there is none.
    const found = intervalsOf(ranges, startMs, endMs).find(({ kind }) => kind !== 'gap');
    return found ? Math.floor(found.startMs / pieceMs) : Math.ceil(endMs / pieceMs);
  }

  #indexes(startMs: number, endMs: number): number[] {
    const indexes: number[] = [];
    const { pieceMs } = this.#options;
    for (let index = Math.floor(startMs / pieceMs); index * pieceMs < endMs; index++) indexes.push(index);
    return indexes;
  }

  /** The piece, if it is fresh enough. */
  #fresh(index: number, isSearch: boolean): LoadedStretch | undefined {
    const piece = this.#pieces.get(index);
    if (!piece) return undefined;
    const nowMs = this.#options.clock.wallMs();
    const isSettled = piece.askedMs - (index + 1) * this.#options.pieceMs > SETTLED_MS;
    if (isSettled) return nowMs - piece.askedMs < STALE_MS ? piece : undefined;
    const refreshMs = (isSearch ? undefined : this.#scale?.refreshMs) ?? polls.archiveMinimumMs;
    return nowMs - piece.askedMs < refreshMs ? piece : undefined;
  }

  #ask(): void {
    for (const index of this.#wanted) {
      if (this.#asking.size >= QUESTIONS_LIMIT) return;
      if (this.#asking.has(index) || this.#fresh(index, false)) continue;
      const controller = new AbortController();
      this.#asking.set(index, controller);
      this.#load(index, controller.signal).then(
        () => {
          this.#asking.delete(index);
          this.#ask();
        },
        (error: unknown) => {
          this.#asking.delete(index);
          if (!controller.signal.aborted) {
            // The refresh requests it again; an immediate retry of this piece would only fail again.
            this.#wanted = this.#wanted.filter((other) => other !== index);
            this.#options.onError(error);
          }
          this.#ask();
        },
      );
    }
  }

  async #load(index: number, signal: AbortSignal): Promise<LoadedStretch> {
    const { pieceMs, clock, call, eventsCall } = this.#options;
    const startMs = index * pieceMs;
    const askedMs = clock.wallMs();
    const untilMs = Math.min(startMs + pieceMs, Math.max(startMs + 1, askedMs));
    const [answer, events] = await Promise.all([
      call(startMs, untilMs, signal),
      eventsCall(startMs, untilMs, signal),
    ]);
    signal.throwIfAborted();
    const { ranges, gaps, beginsMs, begunMs } = answer;
    if (begunMs !== undefined) this.#begunMs = Math.max(begunMs, this.#begunMs ?? begunMs);
    if (beginsMs !== undefined) this.#beginsMs = beginsMs;
    const piece = { intervals: intervalsOf(ranges, startMs, untilMs), gaps, events, untilMs, askedMs };
    this.#pieces.delete(index);
    this.#pieces.set(index, piece);
    this.#forget();
    this.#joined = undefined;
    this.#ordered = undefined;
    this.#gaps = undefined;
    for (const listener of this.#listeners) listener();
    return piece;
  }

  /** Keeps the newest answers; a Map keeps insertion order. */
  #forget(): void {
    for (const index of this.#pieces.keys()) {
      if (this.#pieces.size <= PIECES_LIMIT) return;
      if (!this.#wanted.includes(index)) this.#pieces.delete(index);
    }
  }

  #join(): Interval[] {
    return joined(this.#inOrder().flatMap(({ intervals }) => intervals));
  }

  #inOrder(): LoadedStretch[] {
    return [...this.#pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece);
  }

  #schedule(): void {
    this.#cancelRefresh?.();
    const scale = this.#scale;
    if (!scale) return;
    this.#cancelRefresh = this.#options.clock.after(scale.refreshMs, () => {
      if (this.#scale) this.show(this.#scale);
    });
  }
}
