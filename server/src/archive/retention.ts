import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { CatalogReads, SegmentRow } from './catalog-reads.ts';
import type { DiskRoom } from './disk-room.ts';
import { catalogTicks } from './layout.ts';
import type { Removal } from './removal.ts';

/** Hours of footage to keep of a stream; undefined or below 0: no limit. */
export type DepthOf = (uid: string) => number | undefined;

export interface RetentionRules {
  /** Bytes that all footage may take; undefined: as much as there is. */
  readonly quotaBytes: number | undefined;
  /** Share of the archive's disk that stays free, 0 to 1; the oldest footage goes when it is not. */
  readonly minFreeShare: number;
}

/** So many segments are removed in one go, so that a long backlog leaves the disk time for recording. */
const passSegments = 200;
const hourMs = 3_600_000;

/**
 * Makes room: footage deeper than its stream keeps, then the oldest of all while quota or free space are overdrawn.
 * Closed segments with rows only.
 */
export class Retention {
  readonly #reads: CatalogReads;
  readonly #removal: Removal;
  readonly #room: DiskRoom;
  readonly #clock: Clock;
  readonly #log: Log;
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
  }) {
    this.#reads = options.reads;
    this.#removal = options.removal;
    this.#room = options.room;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#rules = options.rules;
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
    await this.#room.refresh();
    let excess = this.#excessBytes();
    while (excess > 0) {
      const victims = victimsOf(this.#reads.oldestClosed(passSegments), excess);
      if (victims.size === 0) return;
      for (const [uid, segments] of victims) await this.#removal.removeSegments(uid, segments);
      await this.#room.refresh();
      excess = this.#excessBytes();
    }
  }

  #excessBytes(): number {
    const { quotaBytes, minFreeShare } = this.#rules;
    const overQuota = quotaBytes === undefined ? 0 : this.#reads.totalBytes() - quotaBytes;
    const use = this.#room.use;
    const missingFree = use ? use.totalBytes * minFreeShare - use.availableBytes : 0;
    return Math.max(overQuota, missingFree);
  }

  /** A clock that is set forward by mistake must not delete what is not old: the lower of two clocks counts. */
  #cautiousNowMs(): number {
    const sinceStartMs = this.#clock.monotonicMs() - this.#startMonotonicMs;
    return Math.min(this.#clock.wallMs(), this.#startWallMs + sinceStartMs);
  }
}

/** The first of `oldest` that together hold `excessBytes`, by stream. */
function victimsOf(
  oldest: readonly (SegmentRow & { uid: string })[],
  excessBytes: number,
): Map<string, SegmentRow[]> {
  const victims = new Map<string, SegmentRow[]>();
  for (const segment of oldest) {
    if (excessBytes <= 0) break;
    excessBytes -= segment.bytes;
    const ofStream = victims.get(segment.uid);
    if (ofStream) ofStream.push(segment);
    else victims.set(segment.uid, [segment]);
  }
  return victims;
}
