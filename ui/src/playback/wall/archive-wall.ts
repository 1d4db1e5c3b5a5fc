import type { ErrorCode } from '@vidette/contract/errors';
import { ApiError } from '@vidette/contract/client';
import type { Disposer, PageClock } from '../../base/clock.ts';
import { ArchiveAccess } from '../archive-access.ts';
import { transcodedSource } from '../transcoded-source.ts';
import type { PlayerSource } from '../player-source.ts';
import { RangesLoader, type RangesAnswer } from '../../timeline/ranges-loader.ts';
import { Timeline } from '../../timeline/timeline.ts';
import { TimelineTracks, type TimelineTrackCall } from '../../timeline/timeline-tracks.ts';
import { SharedClock } from './shared-clock.ts';
import type { SyncedArchiveSource } from './synced-archive.ts';

export interface ArchiveWallOptions {
  readonly clock: PageClock;
  /** The streams whose archive may be watched. */
  readonly uids: readonly string[];
  readonly call: TimelineTrackCall;
  /** Longest request for ranges, ms. */
  readonly rangesMaxMs: number;
  /** The media of one stream; the given ranges determine where it continues. */
  readonly sourceOf: (
    uid: string,
    ranges: Pick<RangesLoader, 'nextPlayable' | 'previousPlayable'>,
  ) => PlayerSource;
  readonly startMs: number;
  /** The viewer, or the end of the recordings, requests the live video. */
  readonly onLive: () => void;
}

/** What a screen shows in addition to the shared clock; a new value on each change. */
export interface ArchiveWallSnapshot {
  /** Why the archive can't be shown; undefined while it can. */
  readonly problem: ErrorCode | undefined;
  /** A stretch without recordings of any stream was skipped; `id` differs for each. */
  readonly skipped: { readonly id: number; readonly startMs: number; readonly endMs: number } | undefined;
  /** There are no later recordings. */
  readonly isOver: boolean;
}

const LOOK_MS = 250;
/** Being this many looks away from the edge of the archive counts as having reached it. */
const EDGE_LOOKS = 2;

/**
 * The archive of all streams of a wall at one moment: their shared clock, their tracks, and the timeline above
 * them. Where no stream is recorded, the clock jumps to the next recording.
 */
export class ArchiveWall {
  readonly shared: SharedClock;
  readonly timeline: Timeline;
  readonly tracks: TimelineTracks;
  readonly #options: ArchiveWallOptions;
  readonly #loader: RangesLoader;
  readonly #sources: ReadonlyMap<string, SyncedArchiveSource>;
  readonly #listeners = new Set<() => void>();
  readonly #cancelLook: Disposer;
  #search: AbortController | undefined;
  /** Pending requests of all callers. */
  #asking = 0;
  #snapshot: ArchiveWallSnapshot = { problem: undefined, skipped: undefined, isOver: false };

  constructor(options: ArchiveWallOptions) {
    const { clock, uids, call, rangesMaxMs, startMs, sourceOf, onLive } = options;
    this.#options = options;
    this.shared = new SharedClock(clock, startMs);
    this.tracks = new TimelineTracks(uids, call);
    this.#loader = new RangesLoader({
      clock,
      pieceMs: rangesMaxMs,
      call: (fromMs, toMs, signal) => this.#ask(fromMs, toMs, signal),
      // Events belong to one stream; a track is too thin to show whose they are.
      eventsCall: () => Promise.resolve([]),
      onError: (error) =>
        this.#update({ problem: error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR' }),
    });
    this.timeline = new Timeline({
      clock,
      loader: this.#loader,
      onSeek: (utcMs) => this.seek(utcMs),
      onLive,
    });
    this.#sources = new Map(
      uids.map((uid) => {
        const source = sourceOf(uid, {
          nextPlayable: (fromMs, signal) => this.#nextOf(uid, fromMs, signal),
          previousPlayable: (beforeMs, signal) => this.#loader.previousPlayable(beforeMs, signal),
        });
        return [uid, this.#syncedSource(uid, source)];
      }),
    );
    this.timeline.goTo(startMs);
    this.#cancelLook = clock.every(LOOK_MS, () => this.#look());
  }

  readonly getSnapshot = (): ArchiveWallSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The archive of one tile's stream; undefined if the viewer may not watch it. */
  sourceOf(uid: string): SyncedArchiveSource | undefined {
    return this.#sources.get(uid);
  }

  /** Moves all tiles to a moment. */
  seek(utcMs: number): void {
    this.#search?.abort();
    this.#search = undefined;
    this.#update({ isOver: false, skipped: undefined });
    this.shared.jumpTo(utcMs);
  }

  /** The page is visible or hidden. */
  setVisible(isVisible: boolean): void {
    if (isVisible) this.#loader.show(this.timeline.getView().scale);
    else this.#loader.pause();
  }

  /** Idempotent. */
  dispose(): void {
    this.#cancelLook();
    this.#search?.abort();
    this.timeline.dispose();
    this.#listeners.clear();
  }

  async #ask(fromMs: number, toMs: number, signal: AbortSignal): Promise<RangesAnswer> {
    this.#asking += 1;
    try {
      const answer = await this.tracks.load(fromMs, toMs, signal);
      this.#update({ problem: undefined });
      return answer;
    } finally {
      this.#asking -= 1;
    }
  }

  #syncedSource(uid: string, source: PlayerSource): SyncedArchiveSource {
    const { clock } = this.#options;
    const { loadTranscoded } = source;
    return {
      reader: new ArchiveAccess(source, clock),
      converted: loadTranscoded && new ArchiveAccess(transcodedSource(source, loadTranscoded), clock),
      intervalAt: (utcMs) => this.tracks.intervalAt(uid, utcMs),
    };
  }

  /** Where one stream continues after a moment, from what is known of all of them together. */
  async #nextOf(uid: string, fromMs: number, signal: AbortSignal) {
    const find = () => this.tracks.intervals(uid).find(({ kind, endMs }) => kind !== 'gap' && endMs > fromMs);
    for (let askMs = fromMs; ;) {
      const known = find();
      if (known) return known;
      // Asks further where nothing is known yet, one recording of any of the streams at a time.
      const next = await this.#loader.nextPlayable(askMs, signal);
      if (!next || next.kind === 'live') return find();
      askMs = next.endMs;
    }
  }

  /**
   * Checks whether the clock has reached a moment at which no stream is recorded, or the end of what is known.
   * A stretch that was live when requested is recorded by now: a viewer some way behind the present is not
   * moved to live.
   */
  #look(): void {
    const { shared } = this;
    if (!shared.isRunning || this.#search || this.#asking > 0 || this.#snapshot.isOver) return;
    const atMs = shared.utcMs;
    const kinds = this.#options.uids.map((uid) => this.tracks.intervalAt(uid, atMs)?.kind);
    const isSettled = kinds.every((kind) => kind === 'fragment' || kind === 'gap');
    if (!isSettled || !kinds.includes('fragment') || this.#isNearEdge(atMs)) this.#goOn(atMs);
  }

  /** How much of the archive passes until the next look is certain to have happened, ms. */
  get #edgeMs(): number {
    return EDGE_LOOKS * LOOK_MS * Math.max(1, this.shared.speed);
  }

  /** A clock faster than the archive grows would pass its edge between two looks. */
  #isNearEdge(atMs: number): boolean {
    if (this.shared.speed <= 1) return false;
    const kinds = this.#options.uids.map((uid) => this.tracks.intervalAt(uid, atMs + this.#edgeMs)?.kind);
    return kinds.every((kind) => kind === undefined || kind === 'live');
  }

  /** Requests the recordings at a moment without a reliable answer, and jumps to the next recording. */
  #goOn(atMs: number): void {
    const search = new AbortController();
    this.#search = search;
    this.#loader.nextOrLive(atMs, this.#edgeMs, search.signal).then(
      (next) => {
        if (search.signal.aborted) return;
        this.#search = undefined;
        if (!next) this.#end();
        else if (next.kind === 'live') this.#options.onLive();
        else if (next.startMs > atMs) {
          this.#noteSkipped(Math.max(atMs, this.#loader.begunMs ?? atMs), next.startMs);
          this.shared.jumpTo(next.startMs);
        }
      },
      (error: unknown) => {
        if (search.signal.aborted) return;
        this.#search = undefined;
        this.#update({ problem: error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR' });
      },
    );
  }

  /** Reports a skipped stretch, unless it was before the first recording. */
  #noteSkipped(startMs: number, endMs: number): void {
    if (startMs >= endMs) return;
    const id = (this.#snapshot.skipped?.id ?? 0) + 1;
    this.#update({ skipped: { id, startMs, endMs } });
  }

  #end(): void {
    this.shared.setPaused(true);
    this.#update({ isOver: true });
  }

  #update(change: Partial<ArchiveWallSnapshot>): void {
    const next = { ...this.#snapshot, ...change };
    const { problem, skipped, isOver } = this.#snapshot;
    if (next.problem === problem && next.skipped === skipped && next.isOver === isOver) return;
    this.#snapshot = next;
    for (const listener of this.#listeners) listener();
  }
}
