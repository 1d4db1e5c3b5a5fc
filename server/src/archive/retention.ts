import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { CatalogReads, OwnedSegment } from './catalog-reads.ts';
import type { DiskRoom } from './disk-room.ts';
import { catalogTicks } from './layout.ts';
import type { Removal } from './removal.ts';

/** Hours of footage to keep of a stream; undefined or below 0: no limit. */
export type DepthOf = (uid: string) => number | undefined;

export interface RetentionRules {
  /** Bytes that all footage on the disk may take; null: as much as there is. */
  readonly quotaBytes: number | null;
  /** Bytes that all footage in the bucket may take. */
  readonly farQuotaBytes: number | null;
  /** Share of the archive's disk that stays free, 0 to 1; the oldest footage goes when it is not. */
  readonly minFreeShare: number;
}

/** Moves segments to the bucket until `untilMs` of the monotonic clock; answers how many are no longer on the disk. */
export type Relieve = (segments: readonly OwnedSegment[], untilMs: number) => Promise<number>;

/** Making room by moving may take so long a pass: a slow store must not stop recording. */
const relieveMs = 20_000;
/** So many segments are removed in one go, so that a long backlog leaves the disk time for recording. */
const passSegments = 200;
const hourMs = 3_600_000;

/**
 * Makes room: footage deeper than its stream keeps, then the oldest of all while quota or free space are overdrawn. Where
 * there is a bucket, what may go there is moved instead of removed. Closed segments with rows only.
 */
export class Retention {
  readonly #reads: CatalogReads;
  readonly #removal: Removal;
  readonly #room: DiskRoom;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #relieve: Relieve | undefined;
  readonly #startWallMs: number;
  readonly #startMonotonicMs: number;
  #rules: RetentionRules;
  #depthOf: DepthOf = () => undefined;
  #cancel: Cancel | undefined;
  #pass: Promise<void> | undefined;

  constructor(options: {
    reads: CatalogReads;
    removal: Removal;
    room: DiskRoom;
    clock: Clock;
    log: Log;
    rules: RetentionRules;
    relieve?: Relieve;
  }) {
    this.#reads = options.reads;
    this.#removal = options.removal;
    this.#room = options.room;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#rules = options.rules;
    this.#relieve = options.relieve;
    this.#startWallMs = options.clock.wallMs();
    this.#startMonotonicMs = options.clock.monotonicMs();
  }

  /** Takes other rules, or a way to know each stream's depth; holds from the next pass on. */
  configure(rules: Partial<RetentionRules> & { depthOf?: DepthOf }): void {
    this.#rules = { ...this.#rules, ...rules };
    if (rules.depthOf) this.#depthOf = rules.depthOf;
  }

  start(periodMs: number): void {
    this.#cancel ??= this.#clock.every(periodMs, () => {
      this.run().catch((error: unknown) =>
        this.#log.error({ err: error }, 'Retention failed; it will be tried again'),
      );
    });
  }

  /** One pass; while one is under way, that one. @throws what removing throws */
  run(): Promise<void> {
    this.#pass ??= this.#run().finally(() => {
      this.#pass = undefined;
    });
    return this.#pass;
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    // How the pass ended was told to whoever started it.
    await this.#pass?.catch(() => undefined);
  }

  async #run(): Promise<void> {
    for (const { uid, id } of this.#reads.streams()) {
      const hours = this.#depthOf(uid);
      if (hours === undefined || hours < 0) continue;
      const beforeTicks = catalogTicks(this.#cautiousNowMs() - hours * hourMs);
      await this.#removal.removeSegments(uid, this.#reads.closedBefore(id, beforeTicks, passSegments));
    }
    await this.#reduce(
      () => this.#farExcessBytes(),
      () => this.#reads.oldestFar(passSegments),
    );
    await this.#room.refresh();
    const relievedUntilMs = this.#clock.monotonicMs() + relieveMs;
    await this.#reduce(
      () => this.#excessBytes(),
      () => this.#reads.oldestNear(passSegments),
      async (victims) => {
        const relieved = (await this.#relieve?.(victims, relievedUntilMs)) ?? 0;
        return relieved > 0;
      },
    );
  }

  /** Removes the oldest while there is too much. `spare`: true when it made room in another way. */
  async #reduce(
    excessBytes: () => number,
    oldest: () => readonly OwnedSegment[],
    spare: (victims: readonly OwnedSegment[]) => Promise<boolean> = async () => false,
  ): Promise<void> {
    let excess = excessBytes();
    while (excess > 0) {
      const victims = victimsOf(oldest(), excess);
      if (victims.length === 0) return;
      if (!(await spare(victims))) {
        for (const [uid, segments] of Map.groupBy(victims, ({ uid: ofStream }) => ofStream)) {
          await this.#removal.removeSegments(uid, segments);
        }
      }
      await this.#room.refresh();
      excess = excessBytes();
    }
  }

  #excessBytes(): number {
    const { quotaBytes, minFreeShare } = this.#rules;
    const nearBytes = this.#reads.totalBytes() - this.#reads.farTotals().bytes;
    const overQuota = quotaBytes === null ? 0 : nearBytes - quotaBytes;
    const use = this.#room.use;
    const missingFree = use ? use.totalBytes * minFreeShare - use.availableBytes : 0;
    return Math.max(overQuota, missingFree);
  }

  #farExcessBytes(): number {
    const { farQuotaBytes } = this.#rules;
    return farQuotaBytes === null ? 0 : this.#reads.farTotals().bytes - farQuotaBytes;
  }

  /** A clock that is set forward by mistake must not delete what is not old: the lower of two clocks counts. */
  #cautiousNowMs(): number {
    const sinceStartMs = this.#clock.monotonicMs() - this.#startMonotonicMs;
    return Math.min(this.#clock.wallMs(), this.#startWallMs + sinceStartMs);
  }
}

/** The first of `oldest` that together hold `excessBytes`. */
function victimsOf(oldest: readonly OwnedSegment[], excessBytes: number): OwnedSegment[] {
  const victims: OwnedSegment[] = [];
  for (const segment of oldest) {
    if (excessBytes <= 0) break;
    excessBytes -= segment.bytes;
    victims.push(segment);
  }
  return victims;
}
