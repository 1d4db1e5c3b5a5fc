import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RetryPause } from '../base/retry-pause.ts';
import type { CatalogReads, OwnedSegment } from './catalog-reads.ts';
import { CatalogError, type CatalogSink } from './catalog-writer.ts';
import type { DatedSpan } from './footage-clock.ts';
import { digestOf, factsOf, metadataOf } from './object-segment.ts';
import { etagFits } from './object-digest.ts';
import { ObjectStoreError } from './object-store.ts';
import type { ObjectStorageTier } from './object-storage-tier.ts';
import { openSegmentFile } from './file-bytes.ts';
import { catalogTicks, segmentPath } from './layout.ts';
import { RecordingFailure } from './recording-failure.ts';
import type { SegmentDeleter } from './segment-deleter.ts';

/** Hours after which footage of a stream moves to the bucket; undefined or below 0: never. */
export type RemoteAfterOf = (uid: string) => number | undefined;

export interface UploaderTools {
  readonly root: string;
  readonly reads: CatalogReads;
  readonly catalog: CatalogSink;
  readonly segmentDeleter: SegmentDeleter;
  readonly tier: ObjectStorageTier;
  readonly clock: Clock;
  readonly log: Log;
  /** Segments that are sent at a time. */
  readonly atOnce: number;
  /** By which clock the age of footage is known. */
  spans(): readonly DatedSpan[];
  /** @throws RecordingFailure when nothing may be deleted here now. */
  assertRightDisk(): Promise<void>;
}

/** What waits to be moved. */
export interface UploadBacklog {
  readonly segments: number;
  readonly bytes: number;
}

const hourMs = 3_600_000;
/** Between two looks while all is well. */
const periodMs = 5_000;
/** Of each stream at a time. */
const batchSize = 20;
/** Objects that are removed at a time. */
const sweepSize = 500;
/** So often a segment may fail while the store answers otherwise: then it is set aside, for the others' sake. */
const triesMax = 3;
/** A file that can't be moved, as one that somebody took away, is left alone for so long. */
const setAsideMs = hourMs;

/**
 * Moves closed segments to the bucket when their stream's age for it has come, and removes the objects of segments that are gone.
 * The order of its steps is that of design/s3-tier.md, "Moving a segment": it may die between any two.
 */
export class Uploader {
  readonly #tools: UploaderTools;
  readonly #inHand = new Map<string, Promise<void>>();
  readonly #setAside = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  /** By stream: nothing near and closed starts before. */
  readonly #fromTicks = new Map<string, number>();
  #remoteAfterOf: RemoteAfterOf = () => undefined;
  #pause: RetryPause;
  #timer: Cancel | undefined;
  #pass: Promise<void> | undefined;
  #hasAbandoned = false;
  #isStopping = false;
  #lastMovedMs: number | undefined;

  constructor(tools: UploaderTools) {
    this.#tools = tools;
    this.#pause = new RetryPause(tools.clock);
  }

  /** A way to know each stream's age; holds from the next pass on. */
  configure({ remoteAfterOf }: { remoteAfterOf: RemoteAfterOf }): void {
    this.#remoteAfterOf = remoteAfterOf;
  }

  /** When a segment last arrived in the bucket, ms since the epoch. */
  get lastMovedMs(): number | undefined {
    return this.#lastMovedMs;
  }

  /** What is old enough and still here. */
  get backlog(): UploadBacklog {
    const { reads } = this.#tools;
    const sum = { segments: 0, bytes: 0 };
    for (const { id, uid } of reads.streams()) {
      for (const { fromTicks, beforeTicks } of this.#dueSpans(uid)) {
        const part = reads.localClosedTotals(id, fromTicks, beforeTicks);
        sum.segments += part.segments;
        sum.bytes += part.bytes;
      }
    }
    return sum;
  }

  /** Looks every few seconds; after trouble with growing pauses. */
  start(): void {
    if (this.#timer || this.#isStopping) return;
    this.#timer = this.#tools.clock.after(periodMs, () => void this.#look());
  }

  /** One pass over all that is due; while one is under way, that one. @throws ObjectStoreError, CatalogError, system errors */
  run(): Promise<void> {
    this.#pass ??= this.#run().finally(() => {
      this.#pass = undefined;
    });
    return this.#pass;
  }

  /**
   * Moves what retention would remove, before its age, one after the other until one fails or `untilMs` of the monotonic clock
   * has come. @returns how many are no longer here
   */
  async relieve(segments: readonly OwnedSegment[], untilMs: number): Promise<number> {
    const { clock, log } = this.#tools;
    let moved = 0;
    try {
      for (const segment of segments) {
        if (this.#isStopping || clock.monotonicMs() >= untilMs) break;
        if ((this.#remoteAfterOf(segment.uid) ?? -1) < 0 || this.#isSetAside(segment)) continue;
        await this.#verify();
        await this.#move(segment);
        if (this.#isSetAside(segment)) continue;
        moved++;
      }
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      log.warn({ err: error }, 'The disk is full and the far archive takes nothing: footage will be removed');
    }
    return moved;
  }

  /** Ends what is under way: it is taken up again after the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#timer?.();
    this.#tools.tier.close();
    // How it ended was told to whoever started it.
    await this.#pass?.catch(() => undefined);
    await Promise.allSettled(this.#inHand.values());
  }

  async #look(): Promise<void> {
    const { clock, log } = this.#tools;
    let pauseMs = periodMs;
    try {
      await this.run();
      this.#pause = new RetryPause(clock);
    } catch (error) {
      const isRefused = error instanceof ObjectStoreError && error.trouble !== 'away';
      pauseMs = this.#pause.next({ goodMs: 0, isUnauthorized: isRefused });
      // The tier has said what is wrong with the store, the guard what is with the disk.
      const isKnown = error instanceof ObjectStoreError || error instanceof RecordingFailure;
      if (!isKnown && !this.#isStopping)
        log.error({ err: error }, 'Moving footage failed; it will be tried again');
    }
    this.#timer = undefined;
    if (!this.#isStopping) this.#timer = clock.after(pauseMs, () => void this.#look());
  }

  async #run(): Promise<void> {
    await this.#verify();
    for (;;) {
      await this.#sweep();
      const due = this.#due();
      if (due.length === 0 || this.#isStopping) return;
      await this.#moveAll(due);
    }
  }

  async #verify(): Promise<void> {
    const { tier, reads } = this.#tools;
    const isUnused = reads.remoteTotals().segments === 0;
    await tier.verify(reads.identity().archiveId, isUnused);
    if (this.#hasAbandoned) return;
    await tier.abandonSending();
    this.#hasAbandoned = true;
  }

  /** Removes the objects that no row speaks of any more. */
  async #sweep(): Promise<void> {
    const { reads, catalog, tier } = this.#tools;
    for (;;) {
      const batch = reads.remoteRemovals(sweepSize);
      if (batch.length === 0 || this.#isStopping) return;
      for (const [uid, names] of Map.groupBy(batch, ({ uid: ofStream }) => ofStream)) {
        const startsTicks = names.map(({ startTicks }) => startTicks);
        const id = reads.stream(uid)?.id;
        const isGone = (ticks: number) => id === undefined || reads.segment(id, ticks)?.isRemote !== true;
        await tier.remove(uid, startsTicks.filter(isGone));
        await catalog.commit([{ type: 'far-removed', uid, startsTicks }]);
      }
    }
  }

  /** Where footage is old enough, oldest dates first; what is known to be moved is left out. */
  #dueSpans(uid: string): { fromTicks: number; beforeTicks: number }[] {
    const hours = this.#remoteAfterOf(uid);
    if (hours === undefined || hours < 0) return [];
    return this.#tools.spans().flatMap(({ fromMs, toMs, nowMs }) => {
      const fromTicks = Math.max(this.#fromTicks.get(uid) ?? 0, catalogTicks(fromMs));
      const beforeTicks = catalogTicks(Math.min(toMs, nowMs - hours * hourMs));
      return fromTicks < beforeTicks ? [{ fromTicks, beforeTicks }] : [];
    });
  }

  #due(): OwnedSegment[] {
    const { reads } = this.#tools;
    const due: OwnedSegment[] = [];
    for (const { id, uid } of reads.streams()) {
      const limit = batchSize + this.#setAside.size;
      for (const { fromTicks, beforeTicks } of this.#dueSpans(uid)) {
        const isNext = fromTicks === (this.#fromTicks.get(uid) ?? 0);
        const rows = reads.localClosed(id, fromTicks, beforeTicks, limit);
        // What is older than the first of them is far or gone; so is all that is older than one that still grows.
        const reached = rows[0] ?? reads.segmentAtOrBefore(id, beforeTicks);
        if (reached && isNext) this.#fromTicks.set(uid, reached.startTicks);
        for (const row of rows) {
          const segment = { ...row, uid };
          if (row.endTicks <= beforeTicks && !this.#isSetAside(segment)) due.push(segment);
        }
      }
    }
    return due.sort((a, b) => a.startTicks - b.startTicks);
  }

  /** A few at a time; the first that the store fails ends them all. */
  async #moveAll(due: readonly OwnedSegment[]): Promise<void> {
    const waiting = [...due];
    let hasFailed = false;
    const work = async () => {
      for (let next = waiting.shift(); next && !hasFailed && !this.#isStopping; next = waiting.shift()) {
        try {
          await this.#move(next);
        } catch (error) {
          hasFailed = true;
          throw error;
        }
      }
    };
    const results = await Promise.allSettled(Array.from({ length: this.#tools.atOnce }, work));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Retention and the usual pass may want the same one. */
  #move(segment: OwnedSegment): Promise<void> {
    const key = keyOf(segment);
    const underWay = this.#inHand.get(key);
    if (underWay) return underWay;
    const move = this.#moveOnce(segment).finally(() => this.#inHand.delete(key));
    this.#inHand.set(key, move);
    return move;
  }

  async #moveOnce(segment: OwnedSegment): Promise<void> {
    const { reads, catalog, segmentDeleter, clock } = this.#tools;
    const { uid, startTicks } = segment;
    const present = reads.segment(segment.streamId, startTicks);
    if (!present || present.isRemote) return;
    try {
      await this.#send(segment);
    } catch (error) {
      if (error instanceof CatalogError || this.#isStopping || this.#isOfStore(segment, error)) throw error;
      this.#putAside(segment, error);
      return;
    }
    this.#failures.delete(keyOf(segment));
    await this.#tools.assertRightDisk();
    await catalog.commit([{ type: 'far', uid, startTicks }]);
    await segmentDeleter.finish(uid, [startTicks]);
    this.#lastMovedMs = clock.wallMs();
  }

  /** When this resolves the object is there, whole. */
  async #send(segment: OwnedSegment): Promise<void> {
    const { root, reads, catalog, tier } = this.#tools;
    const { uid, startTicks, bytes } = segment;
    const initBytes = reads.initLength(segment.initId);
    const facts = { startTicks, initBytes, entries: reads.fragmentEntries(segment) };
    const wasSending = reads.isRemoteSending(uid, startTicks);
    const reader = await openSegmentFile(segmentPath(root, uid, startTicks));
    try {
      const sha256 = await digestOf(reader, bytes);
      const isThere = async () => {
        const object = await tier.find(uid, startTicks);
        if (object?.bytes !== bytes || factsOf(object.metadata)?.sha256 !== sha256) return false;
        // The metadata are what was said with it: what the store holds it has to say itself, or it is read.
        if (await etagFits(object.etag, reader, bytes)) return true;
        const remote = tier.open(uid, startTicks, bytes);
        return (await digestOf(remote, bytes)) === sha256;
      };
      await catalog.commit([{ type: 'far-sending', uid, startTicks }]);
      if (wasSending && (await isThere())) return;
      await tier.send(uid, startTicks, reader, bytes, metadataOf({ ...facts, sha256 }));
      if (!(await isThere())) {
        throw new ObjectStoreError('damaged', `${tier.keys.of(uid, startTicks)} is not what was sent`);
      }
    } finally {
      await reader.close();
    }
  }

  /** While the store is away no pass comes as far as a segment: what fails again and again has a reason of its own. */
  #isOfStore(segment: OwnedSegment, error: unknown): boolean {
    if (!(error instanceof ObjectStoreError) || error.trouble === 'damaged') return false;
    const failures = (this.#failures.get(keyOf(segment)) ?? 0) + 1;
    this.#failures.set(keyOf(segment), failures);
    return failures < triesMax;
  }

  #isSetAside(segment: OwnedSegment): boolean {
    const untilMs = this.#setAside.get(keyOf(segment));
    if (untilMs === undefined) return false;
    if (this.#tools.clock.monotonicMs() < untilMs) return true;
    this.#setAside.delete(keyOf(segment));
    return false;
  }

  #putAside(segment: OwnedSegment, error: unknown): void {
    const { clock, log } = this.#tools;
    this.#failures.delete(keyOf(segment));
    this.#setAside.set(keyOf(segment), clock.monotonicMs() + setAsideMs);
    const fields = { code: 'FarArchiveDamaged', stream: segment.uid, start: segment.startTicks, err: error };
    log.error(
      fields,
      'A segment cannot be moved to the far archive; it stays here and is tried again in an hour',
    );
  }
}

function keyOf({ uid, startTicks }: OwnedSegment): string {
  return `${uid} ${startTicks}`;
}
