import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { CatalogReads, ClosedSegments, OwnedSegment } from '../catalog/catalog.ts';
import type { FreeSpaceMonitor } from './free-space-monitor.ts';
import type { HeldBytes } from './held-footage.ts';
import type { KeptFootage } from './kept-footage.ts';
import { catalogMs, catalogTicks } from '../segments/segments.ts';
import type { SegmentDeleter } from './segment-deleter.ts';

export interface SpaceRules {
  /** Quota of all footage on the disk, bytes; null: no quota. */
  readonly quotaBytes: number | null;
  /** Quota of all footage in the bucket, bytes. */
  readonly remoteQuotaBytes: number | null;
  /** Share of the archive's disk to keep free, 0 to 1; the oldest footage is deleted to reach it. */
  readonly minFreeShare: number;
  /** Share of the footage's space that held footage may take, 0 to 1. */
  readonly holdShare: number;
}

export interface SpaceReclaimerTools {
  readonly reads: CatalogReads;
  readonly closed: ClosedSegments;
  readonly segmentDeleter: SegmentDeleter;
  readonly kept: KeptFootage;
  readonly freeSpace: FreeSpaceMonitor;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Moves segments to the bucket until `untilMs` of the monotonic clock; resolves with how many are no longer on
 * the disk.
 */
export type Relieve = (segments: readonly OwnedSegment[], untilMs: number) => Promise<number>;

/** Usage of the archive's disk, in bytes. */
export interface DiskShares {
  readonly totalBytes: number;
  readonly archiveBytes: number;
  /** Everything that is neither footage nor free space. */
  readonly otherBytes: number;
}

/** Footage deleted early since the start. */
export interface EarlyDeletion {
  readonly segments: number;
  readonly bytes: number;
  /** On the monotonic clock. */
  readonly lastMs: number;
  /** Age of the newest of it. */
  readonly youngestHours: number;
  /** Space taken by other files that displaced it; 0 if the archive fills the disk itself. */
  readonly othersBytes: number;
}

/** Time per pass for freeing space by uploads: a slow store must not stop recording. */
const relieveMs = 20_000;
/** Segments deleted per batch, so that a long backlog leaves the disk time for recording. */
const passSegments = 200;
/** Footage that other files on the disk can't displace: the last hour of each stream... */
const floorMs = 3_600_000;
/** ...while all footage uses no more than this share of the disk. */
const floorShare = 0.1;
const hourMs = 3_600_000;

/**
 * Deletes the oldest footage of all while a quota is exceeded or too little space is free. If there is a
 * bucket, footage that may be moved is moved instead. A minimum of footage is protected: once only that is
 * left, other files fill the disk, and deleting would only make room for them.
 */
export class SpaceReclaimer {
  readonly #tools: SpaceReclaimerTools;
  #relieve: Relieve = () => Promise.resolve(0);
  #early: EarlyDeletion | undefined;

  constructor(tools: SpaceReclaimerTools) {
    this.#tools = tools;
  }

  /** From now on footage is moved before any is deleted for space. */
  relieveBy(relieve: Relieve): void {
    this.#relieve = relieve;
  }

  /** Undefined if there was none. */
  get early(): EarlyDeletion | undefined {
    return this.#early;
  }

  /** Undefined while the disk cannot be measured. */
  get shares(): DiskShares | undefined {
    const { use } = this.#tools.freeSpace;
    if (!use) return undefined;
    const archiveBytes = this.#localBytes;
    const otherBytes = Math.max(0, use.totalBytes - use.availableBytes - archiveBytes);
    return { totalBytes: use.totalBytes, archiveBytes, otherBytes };
  }

  /**
   * Runs one pass. `nowMs` and `depthOf` define what is early: a stream's retention in hours, below 0 without a
   * limit. @throws what deleting throws
   */
  async run(rules: SpaceRules, nowMs: number, depthOf: (uid: string) => number | undefined): Promise<void> {
    const { reads, closed, freeSpace, kept, clock } = this.#tools;
    await this.#reduce(
      () => (rules.remoteQuotaBytes === null ? 0 : reads.totals().remoteBytes - rules.remoteQuotaBytes),
      (bytes) => {
        const oldest = closed.oldestRemote(passSegments + kept.segments);
        return victimsOf(
          oldest.filter((segment) => !kept.includes(segment.uid, segment)),
          bytes,
        );
      },
      (victims) => this.#remove(victims, nowMs, depthOf),
    );
    await freeSpace.refresh();
    const relievedUntilMs = clock.monotonicMs() + relieveMs;
    const remove = async (victims: readonly OwnedSegment[]) => {
      const moved = await this.#relieve(victims, relievedUntilMs);
      return moved > 0 || (await this.#remove(victims, nowMs, depthOf));
    };
    // Newer footage is not deleted in place of undeletable footage, unless recording would stop otherwise.
    const { undeletable } = kept;
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

  /**
   * What held footage may take: a share of what the quota and the other files on the disk leave to footage. A limit that is
   * not known does not count.
   */
  heldBytesMax({ quotaBytes, remoteQuotaBytes, minFreeShare, holdShare }: SpaceRules): HeldBytes {
    const { shares } = this;
    const ofDisk = shares && shares.totalBytes * (1 - minFreeShare) - shares.otherBytes;
    const spaceBytes = Math.max(
      0,
      Math.min(quotaBytes ?? Number.POSITIVE_INFINITY, ofDisk ?? Number.POSITIVE_INFINITY),
    );
    const share = (bytes: number | null) =>
      holdShare === 0 ? 0 : holdShare * (bytes ?? Number.POSITIVE_INFINITY);
    return { local: share(spaceBytes), remote: share(remoteQuotaBytes) };
  }

  get #localBytes(): number {
    const { bytes, remoteBytes } = this.#tools.reads.totals();
    return bytes - remoteBytes;
  }

  /** `remove` returns whether it freed any space; if not, the next pass continues. */
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

  /**
   * The oldest segments on the disk with a total of `bytes`, without protected and held ones and those that cannot
   * be deleted at the moment.
   */
  #victims(bytes: number, isSpared: (segment: OwnedSegment, chosenBytes: number) => boolean): OwnedSegment[] {
    const { closed, kept } = this.#tools;
    for (let limit = passSegments + kept.segments; ; limit *= 4) {
      const oldest = closed.oldestLocal(limit);
      const victims: OwnedSegment[] = [];
      let chosenBytes = 0;
      for (const segment of oldest) {
        if (chosenBytes >= bytes || victims.length >= passSegments) break;
        if (kept.includes(segment.uid, segment) || isSpared(segment, chosenBytes)) continue;
        chosenBytes += segment.bytes;
        victims.push(segment);
      }
      if (victims.length > 0 || oldest.length < limit) return victims;
    }
  }

  /** Footage that stays however full the disk is. */
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

  /**
   * Logs each batch: deleting footage within its stream's retention is a warning, the usual rotation of a full
   * disk is not.
   */
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
      log.info(fields, 'The oldest footage was deleted to free space');
      return;
    }
    this.#early = {
      segments: (this.#early?.segments ?? 0) + removed.segments,
      bytes: (this.#early?.bytes ?? 0) + removed.bytes,
      lastMs: clock.monotonicMs(),
      youngestHours: Math.min(this.#early?.youngestHours ?? Number.POSITIVE_INFINITY, ageHours),
      othersBytes: isByOthers ? shares.otherBytes : 0,
    };
    log.warn(
      fields,
      isByOthers
        ? 'Footage was deleted early: files of other programs fill the disk'
        : 'Footage was deleted early: the disk is too small for the configured archive depth',
    );
  }
}

/** The first segments of `oldest` that have a total of `excessBytes`, at most as many as are deleted at a time. */
function victimsOf(oldest: readonly OwnedSegment[], excessBytes: number): OwnedSegment[] {
  const victims: OwnedSegment[] = [];
  for (const segment of oldest) {
    if (excessBytes <= 0 || victims.length >= passSegments) break;
    excessBytes -= segment.bytes;
    victims.push(segment);
  }
  return victims;
}
