import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { CatalogReads, OwnedSegment } from './catalog-reads.ts';
import type { FreeSpaceMonitor } from './free-space-monitor.ts';
import { catalogMs, catalogTicks } from './layout.ts';
import type { SegmentDeleter } from './segment-deleter.ts';
import type { Undeletable } from './undeletable.ts';

export interface SpaceRules {
  /** Bytes that all footage on the disk may take; null: as much as there is. */
  readonly quotaBytes: number | null;
  /** Bytes that all footage in the bucket may take. */
  readonly remoteQuotaBytes: number | null;
  /** Share of the archive's disk that stays free, 0 to 1; the oldest footage goes when it is not. */
  readonly minFreeShare: number;
}

/** Moves segments to the bucket until `untilMs` of the monotonic clock; answers how many are no longer on the disk. */
type UploadOldest = (segments: readonly OwnedSegment[], untilMs: number) => Promise<number>;

export interface SpaceReclaimerTools {
  readonly reads: CatalogReads;
  readonly segmentDeleter: SegmentDeleter;
  readonly undeletable: Undeletable;
  readonly freeSpace: FreeSpaceMonitor;
  readonly clock: Clock;
  readonly log: Log;
  readonly relieve?: UploadOldest;
}

/** Who takes the disk of the archive, in bytes. */
export interface DiskShares {
  readonly totalBytes: number;
  readonly archiveBytes: number;
  /** All that is neither footage nor free. */
  readonly otherBytes: number;
}

/** What had to go before its time, since the start. */
export interface EarlyDeletion {
  readonly segments: number;
  readonly bytes: number;
  /** Of the monotonic clock. */
  readonly lastMs: number;
  /** How old the youngest of it was. */
  readonly youngestHours: number;
}

/** Making room by moving may take so long a pass: a slow store must not stop recording. */
const relieveMs = 20_000;
/** So many segments are removed in one go, so that a long backlog leaves the disk time for recording. */
const passSegments = 200;
/** What others' files can't push out: of each stream the footage of its last hour... */
const floorMs = 3_600_000;
/** ...as far as all footage takes no more than this of the disk. */
const floorShare = 0.1;
const hourMs = 3_600_000;

/**
 * Removes the oldest footage of all while a quota or the free space of the disk is overdrawn. Where there is a bucket, what may
 * go there is moved instead. The free space has a floor: below it others take the disk, and deleting would only make room for them.
 */
export class SpaceReclaimer {
  readonly #tools: SpaceReclaimerTools;
  #early: EarlyDeletion | undefined;

  constructor(tools: SpaceReclaimerTools) {
    this.#tools = tools;
  }

  /** Undefined while nothing had to. */
  get early(): EarlyDeletion | undefined {
    return this.#early;
  }

  /** Undefined while the disk can't be measured. */
  get shares(): DiskShares | undefined {
    const { use } = this.#tools.freeSpace;
    if (!use) return undefined;
    const archiveBytes = this.#localBytes;
    const otherBytes = Math.max(0, use.totalBytes - use.availableBytes - archiveBytes);
    return { totalBytes: use.totalBytes, archiveBytes, otherBytes };
  }

  /**
   * One pass. `nowMs` and `depthOf` say what is early: a stream's depth in hours, below 0 without a limit.
   * @throws what removing throws
   */
  async run(rules: SpaceRules, nowMs: number, depthOf: (uid: string) => number | undefined): Promise<void> {
    const { reads, freeSpace, clock } = this.#tools;
    await this.#reduce(
      () => (rules.remoteQuotaBytes === null ? 0 : reads.remoteTotals().bytes - rules.remoteQuotaBytes),
      (bytes) => victimsOf(reads.oldestRemote(passSegments), bytes),
      (victims) => this.#remove(victims, nowMs, depthOf),
    );
    await freeSpace.refresh();
    const relievedUntilMs = clock.monotonicMs() + relieveMs;
    const remove = async (victims: readonly OwnedSegment[]) => {
      const moved = (await this.#tools.relieve?.(victims, relievedUntilMs)) ?? 0;
      return moved > 0 || (await this.#remove(victims, nowMs, depthOf));
    };
    // What can't be deleted is not made up for with newer footage, unless recording would stop for it.
    const { undeletable } = this.#tools;
    await this.#reduce(
      () => (rules.quotaBytes === null ? 0 : this.#localBytes - undeletable.restingBytes - rules.quotaBytes),
      (bytes) => this.#victims(bytes, () => false),
      remove,
    );
    await this.#reduce(
      () => {
        const { use } = freeSpace;
        const missing = use ? use.totalBytes * rules.minFreeShare - use.availableBytes : 0;
        return freeSpace.isScarce ? missing : missing - undeletable.restingBytes;
      },
      (bytes) => this.#victims(bytes, this.#floor()),
      remove,
    );
  }

  get #localBytes(): number {
    const { reads } = this.#tools;
    return reads.totalBytes() - reads.remoteTotals().bytes;
  }

  /** `remove` says whether it made any room: where it made none the next pass goes on. */
  async #reduce(
    excessBytes: () => number,
    victimsFor: (bytes: number) => readonly OwnedSegment[],
    remove: (victims: readonly OwnedSegment[]) => Promise<boolean>,
  ): Promise<void> {
    for (let excess = excessBytes(); excess > 0; excess = excessBytes()) {
      const victims = victimsFor(excess);
      if (victims.length === 0 || !(await remove(victims))) return;
      await this.#tools.freeSpace.refresh();
    }
  }

  /** The oldest on the disk that together hold `bytes`, without what is spared and what can't be deleted at the moment. */
  #victims(bytes: number, isSpared: (segment: OwnedSegment, chosenBytes: number) => boolean): OwnedSegment[] {
    const { reads, undeletable } = this.#tools;
    for (let limit = passSegments + undeletable.size; ; limit *= 4) {
      const oldest = reads.oldestLocal(limit);
      const victims: OwnedSegment[] = [];
      let chosenBytes = 0;
      for (const segment of oldest) {
        if (chosenBytes >= bytes || victims.length >= passSegments) break;
        if (undeletable.isResting(segment.uid, segment) || isSpared(segment, chosenBytes)) continue;
        chosenBytes += segment.bytes;
        victims.push(segment);
      }
      if (victims.length > 0 || oldest.length < limit) return victims;
    }
  }

  /** What stays however full the disk is. */
  #floor(): (segment: OwnedSegment, chosenBytes: number) => boolean {
    const { reads, freeSpace } = this.#tools;
    const localBytes = this.#localBytes;
    const floorBytes = (freeSpace.use?.totalBytes ?? 0) * floorShare;
    const newest = new Map<number, number>();
    const newestEnd = (streamId: number) => {
      const known = newest.get(streamId) ?? reads.newestSegment(streamId)?.endTicks ?? 0;
      newest.set(streamId, known);
      return known;
    };
    const floorTicks = catalogTicks(floorMs);
    return (segment, chosenBytes) =>
      localBytes - chosenBytes <= floorBytes && segment.endTicks > newestEnd(segment.streamId) - floorTicks;
  }

  async #remove(
    victims: readonly OwnedSegment[],
    nowMs: number,
    depthOf: (uid: string) => number | undefined,
  ): Promise<boolean> {
    let hasRemoved = false;
    for (const [uid, segments] of Map.groupBy(victims, ({ uid: ofStream }) => ofStream)) {
      const removed = await this.#tools.segmentDeleter.removeSegments(uid, segments);
      if (removed.segments === 0) continue;
      hasRemoved = true;
      this.#report(uid, segments, removed, nowMs, depthOf(uid));
    }
    return hasRemoved;
  }

  /** A line for each batch: footage that its stream was to keep is a warning, a full disk's usual turn is not. */
  #report(
    uid: string,
    segments: readonly OwnedSegment[],
    removed: { readonly segments: number; readonly bytes: number },
    nowMs: number,
    depthHours = -1,
  ): void {
    const { log, clock } = this.#tools;
    const endMs = Math.max(...segments.map(({ endTicks }) => catalogMs(endTicks)));
    const ageHours = Math.max(0, (nowMs - endMs) / hourMs);
    const shares = this.shares;
    const isByOthers = shares !== undefined && shares.otherBytes > shares.archiveBytes;
    const isEarly = depthHours >= 0 ? ageHours < depthHours : isByOthers;
    const fields = {
      stream: uid,
      segments: removed.segments,
      bytes: removed.bytes,
      ageHours: Math.round(ageHours * 10) / 10,
      ...(depthHours >= 0 && { depthHours }),
      ...shares,
    };
    if (!isEarly) {
      log.info(fields, 'The oldest footage made room');
      return;
    }
    this.#early = {
      segments: (this.#early?.segments ?? 0) + removed.segments,
      bytes: (this.#early?.bytes ?? 0) + removed.bytes,
      lastMs: clock.monotonicMs(),
      youngestHours: Math.min(this.#early?.youngestHours ?? Number.POSITIVE_INFINITY, ageHours),
    };
    log.warn(
      fields,
      isByOthers
        ? 'Footage was deleted early: other files than the archive’s fill the disk'
        : 'Footage was deleted early: the disk is too small for what is to be kept',
    );
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
