import type { Cancel, Clock } from '../base/clock.ts';
import type { CatalogReads } from './catalog-reads.ts';
import { ContinuityHours, firstSign, type Continuity } from './continuity.ts';
import { CATALOG_TIMESCALE, catalogTicks } from './layout.ts';

/** How much of a window was recorded, ms; what was not wanted, or was before the stream, is in neither. */
export interface RecordedShare {
  readonly expectedMs: number;
  readonly recordedMs: number;
  /** 0 to 1; null while nothing was expected yet. */
  readonly share: number | null;
}

/** The last 24 hours and the last 30 days. */
export interface RecordedShares {
  readonly day: RecordedShare;
  readonly month: RecordedShare;
  /** It began less than 24 hours ago: too early to judge. */
  readonly isYoung: boolean;
}

export interface ContinuityWatchOptions {
  readonly reads: CatalogReads;
  readonly clock: Clock;
  /**
   * Of the streams that are to be recorded, by uid. Of one that is writing pictures now, what is not flushed yet is not
   * missing.
   */
  readonly recorders: ReadonlyMap<string, { readonly status: { readonly state: string } }>;
}

const dayMs = 86_400_000;
const turnMs = 500;
/** The event loop belongs to the pictures: at most so long in one go, and less than a twentieth of all time. */
const turnBudgetMs = 20;
const staleMs = 60_000;
/** Whoever asks for one stream hears what is no older than this. */
const askedStaleMs = 5_000;
/** Rows that were lost or removed by hand change what is remembered: it is summed anew once a day. */
const anewMs = dayMs;
/** Longer without a flush is a gap, whatever the recorder says. */
const unflushedMs = 60_000;

interface Watched {
  readonly hours: ContinuityHours;
  readonly anewAtMs: number;
  readonly shares: RecordedShares;
  readonly lookedMs: number;
}

/** Keeps the shares of all streams that are recorded, each looked at about once a minute, a few at a time. */
export class ContinuityWatch {
  readonly #options: ContinuityWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #cancel: Cancel;
  #queue: string[] = [];
  #roundMs: number;

  constructor(options: ContinuityWatchOptions) {
    this.#options = options;
    this.#roundMs = options.clock.monotonicMs() - staleMs;
    this.#cancel = options.clock.every(turnMs, () => this.#turn());
  }

  /** Of one stream, some seconds old at most; undefined for one that is not to be recorded. */
  of(uid: string): RecordedShares | undefined {
    if (!this.#options.recorders.has(uid)) return undefined;
    const known = this.#watched.get(uid);
    if (known && this.#options.clock.monotonicMs() - known.lookedMs < askedStaleMs) return known.shares;
    return this.#look(uid);
  }

  /** As last looked at; undefined before the first look. */
  known(uid: string): RecordedShares | undefined {
    return this.#watched.get(uid)?.shares;
  }

  /** Streams of whose last 24 hours less was recorded, as last looked at; those too young to judge are none. */
  below(share: number): { uid: string; share: number }[] {
    const found: { uid: string; share: number }[] = [];
    for (const [uid, { shares }] of this.#watched) {
      const recorded = shares.day.share;
      if (recorded !== null && recorded < share && !shares.isYoung) found.push({ uid, share: recorded });
    }
    return found;
  }

  /** Of all streams together, as far as they have been looked at. */
  get sum(): RecordedShares {
    let [dayExpected, dayRecorded, monthExpected, monthRecorded] = [0, 0, 0, 0];
    for (const { shares } of this.#watched.values()) {
      dayExpected += shares.day.expectedMs;
      dayRecorded += shares.day.recordedMs;
      monthExpected += shares.month.expectedMs;
      monthRecorded += shares.month.recordedMs;
    }
    return {
      day: shareOf(dayExpected, dayRecorded),
      month: shareOf(monthExpected, monthRecorded),
      isYoung: false,
    };
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

  #look(uid: string): RecordedShares {
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

  #sharesOf(uid: string, hours: ContinuityHours): RecordedShares {
    const { reads, clock, recorders } = this.#options;
    const stream = reads.stream(uid);
    if (!stream) return { day: shareOf(0, 0), month: shareOf(0, 0), isYoung: true };
    const nowTicks = catalogTicks(clock.wallMs());
    const newest =
      recorders.get(uid)?.status.state === 'recording' ? reads.newestSegment(stream.id) : undefined;
    const isFlushed = newest !== undefined && nowTicks - newest.endTicks < catalogTicks(unflushedMs);
    const toTicks = isFlushed ? newest.endTicks : nowTicks;
    const month = hours.window(reads, stream, catalogTicks(30 * dayMs), toTicks);
    const day = hours.window(reads, stream, catalogTicks(dayMs), toTicks);
    const isYoung =
      stream.removedUntilTicks === 0 &&
      (firstSign(reads, stream.id) ?? toTicks) > toTicks - catalogTicks(dayMs);
    return { day: inMs(day), month: inMs(month), isYoung };
  }
}

function inMs({ expectedTicks, recordedTicks }: Continuity): RecordedShare {
  const ms = (ticks: number) => Math.round((ticks * 1000) / CATALOG_TIMESCALE);
  return shareOf(ms(expectedTicks), ms(recordedTicks));
}

function shareOf(expectedMs: number, recordedMs: number): RecordedShare {
  return { expectedMs, recordedMs, share: expectedMs > 0 ? Math.min(1, recordedMs / expectedMs) : null };
}
