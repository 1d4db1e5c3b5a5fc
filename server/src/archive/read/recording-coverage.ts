import type { Cancel, Clock } from '../../base/clock.ts';
import type { TimelineReads, CatalogStreamRow } from '../catalog/catalog.ts';
import { ContinuityHours, continuityOf, firstSign, type Continuity } from './continuity.ts';
import { CATALOG_TIMESCALE, catalogTicks } from '../segments/segments.ts';

/**
 * How much of a window was recorded, ms. Time when recording was off, or before the stream existed, is in
 * neither figure.
 */
interface Coverage {
  readonly expectedMs: number;
  readonly recordedMs: number;
  /** 0 to 1; null while nothing was expected yet. */
  readonly share: number | null;
}

/** For the last 24 hours and the last 30 days. */
export interface StreamCoverage {
  readonly day: Coverage;
  readonly month: Coverage;
  /** Recording started less than 24 hours ago: too early to judge. */
  readonly isYoung: boolean;
}

/** A time during which a stream was assigned to this node alone, ms since the epoch. */
export interface RecordingSpan {
  readonly startMs: number;
  /** Null: it still is. */
  readonly endMs: number | null;
  /** The stream was assigned to no node before. */
  readonly isFirst: boolean;
}

/** For the last 24 hours and the last 30 days, limited to certain times within them. */
export type CoverageWindows = Pick<StreamCoverage, 'day' | 'month'>;

/** The total over several nodes or streams. */
export function sumOfParts(parts: Iterable<CoverageWindows>): CoverageWindows {
  const [day, month] = [
    { expectedMs: 0, recordedMs: 0 },
    { expectedMs: 0, recordedMs: 0 },
  ];
  for (const part of parts) {
    day.expectedMs += part.day.expectedMs;
    day.recordedMs += part.day.recordedMs;
    month.expectedMs += part.month.expectedMs;
    month.recordedMs += part.month.recordedMs;
  }
  return {
    day: shareOf(day.expectedMs, day.recordedMs),
    month: shareOf(month.expectedMs, month.recordedMs),
  };
}

export interface RecordingCoverageOptions {
  readonly reads: TimelineReads;
  readonly clock: Clock;
  /**
   * The streams that should be recorded, by uid. For one that is being written now, unflushed footage does not
   * count as missing.
   */
  readonly recorders: ReadonlyMap<string, { readonly status: { readonly state: string } }>;
}

const dayMs = 86_400_000;
const turnMs = 500;
/**
 * Longest uninterrupted computation: the event loop must stay free for live media. It takes less than a
 * twentieth of the time in total.
 */
const turnBudgetMs = 20;
const staleMs = 60_000;
/** Maximum age of the answer for a single stream. */
const askedStaleMs = 5_000;
/** Past rows may change without notice, so the cache is recomputed once a day. */
const anewMs = dayMs;
/** A longer time without a flush is a gap, whatever the recorder reports. */
const unflushedMs = 60_000;

interface CoverageState {
  readonly hours: ContinuityHours;
  readonly anewAtMs: number;
  readonly shares: StreamCoverage;
  readonly lookedMs: number;
}

/** Computes the coverage of all recorded streams, each about once a minute, a few at a time. */
export class RecordingCoverage {
  readonly #options: RecordingCoverageOptions;
  readonly #watched = new Map<string, CoverageState>();
  readonly #cancel: Cancel;
  #queue: string[] = [];
  #roundMs: number;

  constructor(options: RecordingCoverageOptions) {
    this.#options = options;
    this.#roundMs = options.clock.monotonicMs() - staleMs;
    this.#cancel = options.clock.every(turnMs, () => this.#turn());
  }

  /** For one stream, at most a few seconds old; undefined for a stream that should not be recorded. */
  of(uid: string): StreamCoverage | undefined {
    if (!this.#options.recorders.has(uid)) return undefined;
    const known = this.#watched.get(uid);
    if (known && this.#options.clock.monotonicMs() - known.lookedMs < askedStaleMs) return known.shares;
    return this.#look(uid);
  }

  /** The last result; undefined before the first. */
  known(uid: string): StreamCoverage | undefined {
    return this.#watched.get(uid)?.shares;
  }

  /**
   * Streams with a lower coverage of the last 24 hours, according to the last results; those too young to judge
   * are excluded.
   */
  below(share: number): { uid: string; share: number }[] {
    const found: { uid: string; share: number }[] = [];
    for (const [uid, { shares }] of this.#watched) {
      const recorded = shares.day.share;
      if (recorded !== null && recorded < share && !shares.isYoung) found.push({ uid, share: recorded });
    }
    return found;
  }

  /** For all streams together, as far as they have results. */
  get sum(): StreamCoverage {
    const shares = Array.from(this.#watched.values(), (watched) => watched.shares);
    return { ...sumOfParts(shares), isYoung: false };
  }

  /** For a stream that was also assigned to other nodes: the times of this node only. */
  over(uid: string, spans: readonly RecordingSpan[]): CoverageWindows {
    const { reads, clock } = this.#options;
    const nowTicks = catalogTicks(clock.wallMs());
    const sumOver = (windowTicks: number): Coverage => {
      let [expectedTicks, recordedTicks] = [0, 0];
      for (const { startMs, endMs, isFirst } of spans) {
        const stream = reads.stream(uid);
        const toTicks = Math.min(
          endMs === null ? this.#presentOf(uid, stream) : catalogTicks(endMs),
          nowTicks,
        );
        const begunTicks = catalogTicks(startMs);
        const fromTicks = Math.max(begunTicks, nowTicks - windowTicks);
        if (fromTicks >= toTicks) continue;
        const span = { fromTicks, toTicks, isFirst: isFirst && fromTicks === begunTicks };
        const part = stream
          ? continuityOf(reads, stream, span)
          : { expectedTicks: isFirst ? 0 : toTicks - fromTicks, recordedTicks: 0 };
        expectedTicks += part.expectedTicks;
        recordedTicks += part.recordedTicks;
      }
      return inMs({ expectedTicks, recordedTicks });
    };
    return reads.snapshot(() => ({
      day: sumOver(catalogTicks(dayMs)),
      month: sumOver(catalogTicks(30 * dayMs)),
    }));
  }

  /** Past footage of one stream, or of all, was deleted or restored: they are recomputed in the next turn. */
  forget(uid?: string): void {
    for (const of of uid === undefined ? [...this.#watched.keys()] : [uid]) {
      const known = this.#watched.get(of);
      if (!known) continue;
      known.hours.forget();
      this.#watched.set(of, { ...known, lookedMs: Number.NEGATIVE_INFINITY });
      if (!this.#queue.includes(of)) this.#queue.push(of);
    }
  }

  close(): void {
    this.#cancel();
  }

  #turn(): void {
    const { clock, recorders } = this.#options;
    const startMs = clock.monotonicMs();
    if (this.#queue.length === 0 && startMs - this.#roundMs >= staleMs) {
      this.#roundMs = startMs;
      this.#queue = [...recorders.keys()];
      for (const uid of this.#watched.keys()) if (!recorders.has(uid)) this.#watched.delete(uid);
    }
    while (this.#queue.length > 0 && clock.monotonicMs() - startMs < turnBudgetMs) {
      const uid = this.#queue.pop();
      if (uid !== undefined) this.#look(uid);
    }
  }

  #look(uid: string): StreamCoverage {
    const { reads, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const known = this.#watched.get(uid);
    const hours = known?.hours ?? new ContinuityHours();
    let anewAtMs = known?.anewAtMs ?? nowMs + anewMs;
    if (nowMs >= anewAtMs) {
      hours.forget();
      anewAtMs = nowMs + anewMs;
    }
    const shares = reads.snapshot(() => this.#sharesOf(uid, hours));
    this.#watched.set(uid, { hours, anewAtMs, shares, lookedMs: nowMs });
    return shares;
  }

  #sharesOf(uid: string, hours: ContinuityHours): StreamCoverage {
    const { reads } = this.#options;
    const stream = reads.stream(uid);
    if (!stream) return { day: shareOf(0, 0), month: shareOf(0, 0), isYoung: true };
    const toTicks = this.#presentOf(uid, stream);
    const month = hours.window(reads, stream, catalogTicks(30 * dayMs), toTicks);
    const day = hours.window(reads, stream, catalogTicks(dayMs), toTicks);
    const isYoung =
      stream.removedUntilTicks === 0 &&
      (firstSign(reads, stream.id) ?? toTicks) > toTicks - catalogTicks(dayMs);
    return { day: inMs(day), month: inMs(month), isYoung };
  }

  /** The end of a stream's window: for one that is being written now, the end of the flushed footage. */
  #presentOf(uid: string, stream: CatalogStreamRow | undefined): number {
    const { reads, clock, recorders } = this.#options;
    const nowTicks = catalogTicks(clock.wallMs());
    const isWriting = stream && recorders.get(uid)?.status.state === 'recording';
    const newest = isWriting ? reads.newestSegment(stream.id) : undefined;
    const isFlushed = newest !== undefined && nowTicks - newest.endTicks < catalogTicks(unflushedMs);
    return isFlushed ? newest.endTicks : nowTicks;
  }
}

function inMs({ expectedTicks, recordedTicks }: Continuity): Coverage {
  const ms = (ticks: number) => Math.round((ticks * 1000) / CATALOG_TIMESCALE);
  return shareOf(ms(expectedTicks), ms(recordedTicks));
}

function shareOf(expectedMs: number, recordedMs: number): Coverage {
  return { expectedMs, recordedMs, share: expectedMs > 0 ? Math.min(1, recordedMs / expectedMs) : null };
}
