import type { Disposer } from '../../../base/clock.ts';
import type { FindSession, FoundFrame } from './find-session.ts';
import { firstRound, nextRound, type FindRound, type RecordedMoments } from './moment-finder.ts';
import type { Region } from './region.ts';

/** What a search shows; a new value on each change. */
export interface FindState {
  /** Each round so far; the last one is on screen. Empty before the search. */
  readonly rounds: readonly FindRound[];
  /** The frames of the last round that have been loaded, by moment. */
  readonly frames: ReadonlyMap<number, FoundFrame>;
  readonly isLoading: boolean;
  /** Too little is recorded in the span for a search. */
  readonly isEmpty: boolean;
  readonly error: Error | undefined;
  /** The round without moments: its two frames are neighbours, and the change is between them. */
  readonly found: FindRound | undefined;
}

const idle: FindState = {
  rounds: [],
  frames: new Map(),
  isLoading: false,
  isEmpty: false,
  error: undefined,
  found: undefined,
};

/** What a search needs of a session. */
type FindSource = RecordedMoments & Pick<FindSession, 'load' | 'dispose'>;

/** A search in the archive of one stream: its rounds, and the frames of the last one. Disposes of its session. */
export class Find {
  readonly #session: FindSource;
  readonly #listeners = new Set<() => void>();
  #abort = new AbortController();
  #region: Region | undefined;
  #state = idle;

  constructor(session: FindSource) {
    this.#session = session;
  }

  /** The same object until something changes. */
  readonly getState = (): FindState => this.#state;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Starts a search in a span; without a region whole frames are shown. */
  begin(startMs: number, endMs: number, region: Region | undefined): void {
    this.#region = region;
    void this.#run([], (signal) => firstRound(this.#session, startMs, endMs, signal));
  }

  /** The first frame that differs, by its place among the moments of the round; behind them, the one after. */
  choose(place: number): void {
    const { rounds } = this.#state;
    const last = rounds.at(-1);
    if (last) void this.#run(rounds, (signal) => nextRound(this.#session, last, place, signal));
  }

  /** Shows the round before this one; from the first one it leaves the search. */
  back(): void {
    this.#abort.abort();
    const { rounds } = this.#state;
    const shown = rounds.at(-2);
    if (shown) void this.#run(rounds.slice(0, -2), () => Promise.resolve(shown));
    else this.#change(idle);
  }

  /** Idempotent. */
  dispose(): void {
    this.#abort.abort();
    this.#listeners.clear();
    this.#session.dispose();
  }

  /** Shows the round that `next` resolves to; an earlier request is abandoned. */
  async #run(
    before: readonly FindRound[],
    next: (signal: AbortSignal) => Promise<FindRound | undefined>,
  ): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#change({ ...this.#state, isLoading: true, isEmpty: false, error: undefined });
    try {
      const round = await next(signal);
      signal.throwIfAborted();
      if (round && round.momentsMs.length > 0) await this.#show([...before, round], round, signal);
      else if (round && before.length > 0) this.#change({ ...this.#state, isLoading: false, found: round });
      else this.#change({ ...idle, isEmpty: true });
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#change({ ...this.#state, isLoading: false, error: failure });
    }
  }

  async #show(rounds: readonly FindRound[], round: FindRound, signal: AbortSignal): Promise<void> {
    const moments = [round.beforeMs, ...round.momentsMs, round.afterMs];
    const known = rounds.length > 1 ? this.#state.frames : idle.frames;
    const frames = new Map(
      moments.flatMap((utcMs) => {
        const frame = known.get(utcMs);
        return frame?.image ? [[utcMs, frame]] : [];
      }),
    );
    this.#change({ ...idle, rounds, frames, isLoading: true });
    const missing = moments.filter((utcMs) => !frames.has(utcMs));
    await this.#session.load(missing, this.#region, signal, (frame) => {
      if (signal.aborted) return;
      this.#change({ ...this.#state, frames: new Map(this.#state.frames).set(frame.utcMs, frame) });
    });
    signal.throwIfAborted();
    this.#change({ ...this.#state, isLoading: false });
  }

  #change(state: FindState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
