import type { Cancel, Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { RetryPause } from '../../base/retry-pause.ts';
import {
  CatalogError,
  type CatalogNotes,
  type CatalogReads,
  type CatalogSink,
  type ClosedSegments,
  type OwnedSegment,
} from '../catalog/catalog.ts';
import type { DatedSpan, SegmentDeleter } from '../retention/retention.ts';
import { digestOf, factsOf, metadataOf } from './object-segment.ts';
import { etagFits } from './object-digest.ts';
import { ObjectStoreError } from './object-store.ts';
import type { ObjectStorageTier } from './object-storage-tier.ts';
import { openSegmentFile, catalogTicks, segmentPath, RecordingFailure } from '../segments/segments.ts';

/** Hours after which footage of a stream moves to the bucket; undefined or below 0: never. */
export type RemoteAfterOf = (uid: string) => number | undefined;

export interface UploaderTools {
  readonly root: string;
  readonly reads: CatalogReads;
  readonly closed: ClosedSegments;
  readonly notes: CatalogNotes;
  readonly catalog: CatalogSink;
  readonly segmentDeleter: SegmentDeleter;
  readonly tier: ObjectStorageTier;
  readonly clock: Clock;
  readonly log: Log;
  /** Concurrent segment uploads. */
  readonly atOnce: number;
  /** The clock that determines the age of footage. */
  spans(): readonly DatedSpan[];
  /** @throws RecordingFailure when nothing may be deleted here at the moment */
  assertRightDisk(): Promise<void>;
}

/** The backlog of the upload. */
export interface UploadBacklog {
  readonly segments: number;
  readonly bytes: number;
}

const hourMs = 3_600_000;
/** Interval between passes while there is no problem. */
const periodMs = 5_000;
/** Segments of a stream per batch. */
const batchSize = 20;
/** Objects removed per batch. */
const sweepSize = 500;
/**
 * After this many failures of one segment, while the store otherwise responds, the segment is skipped so that
 * the others can continue.
 */
const triesMax = 3;
/** How long a file that can't be moved, such as a deleted one, is skipped. */
const setAsideMs = hourMs;

/**
 * Moves closed segments to the bucket when they reach the age configured for their stream, and deletes the
 * objects of removed segments. The order of its steps is that of design/s3-tier.md, "Moving a segment": the
 * process may die between any two of them.
 */
export class Uploader {
  readonly #tools: UploaderTools;
  readonly #inHand = new Map<string, Promise<void>>();
  readonly #setAside = new Map<string, { readonly segment: OwnedSegment; readonly untilMs: number }>();
  readonly #failures = new Map<string, number>();
  /** By stream: no local closed segment starts before this. */
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

  /** Sets the source of each stream's upload age; applies from the next pass. */
  configure({ remoteAfterOf }: { remoteAfterOf: RemoteAfterOf }): void {
    this.#remoteAfterOf = remoteAfterOf;
  }

  /** When a segment last reached the bucket, ms since the epoch. */
  get lastMovedMs(): number | undefined {
    return this.#lastMovedMs;
  }

  /** Segments that could not be moved although the store responds; they are retried within the hour. */
  get setAsideCount(): number {
    const { reads } = this.#tools;
    for (const [key, { segment }] of this.#setAside) {
      const present = reads.segment(segment.streamId, segment.startTicks);
      if (!present || present.isRemote) this.#setAside.delete(key);
    }
    return this.#setAside.size;
  }

  /** Footage that is due for upload and still local. */
  get backlog(): UploadBacklog {
    const { reads, closed } = this.#tools;
    const sum = { segments: 0, bytes: 0 };
    for (const { id, uid } of reads.streams()) {
      for (const { fromTicks, beforeTicks } of this.#dueSpans(uid)) {
        const part = closed.localTotals(id, fromTicks, beforeTicks);
        sum.segments += part.segments;
        sum.bytes += part.bytes;
      }
    }
    return sum;
  }

  /** Runs a pass every few seconds; after a failure, with increasing pauses. */
  start(): void {
    if (this.#timer || this.#isStopping) return;
    this.#timer = this.#tools.clock.after(periodMs, () => void this.#look());
  }

  /**
   * Runs a pass over all due segments, or joins the one in progress. @throws ObjectStoreError, CatalogError,
   * system errors
   */
  run(): Promise<void> {
    this.#pass ??= this.#run().finally(() => {
      this.#pass = undefined;
    });
    return this.#pass;
  }

  /**
   * Moves segments that retention would otherwise remove, before they are due, one after the other until one
   * fails or the monotonic clock reaches `untilMs`. @returns how many segments are no longer local
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
      log.warn(
        { err: error },
        'The disk is full and object storage accepts no uploads: footage will be deleted',
      );
    }
    return moved;
  }

  /** Aborts uploads in progress: they are resumed after the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#timer?.();
    this.#tools.tier.close();
    // The caller that started it gets its error.
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
      // The tier has reported problems of the store, and the marker check problems of the disk.
      const isKnown = error instanceof ObjectStoreError || error instanceof RecordingFailure;
      if (!isKnown && !this.#isStopping)
        log.error({ err: error }, 'Moving footage to object storage failed; it will be retried');
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
    const isUnused = reads.totals().remoteSegments === 0;
    await tier.verify(reads.identity().archiveId, isUnused);
    if (this.#hasAbandoned) return;
    await tier.abandonSending();
    this.#hasAbandoned = true;
  }

  /** Deletes objects that no row refers to any more. */
  async #sweep(): Promise<void> {
    const { reads, notes, catalog, tier } = this.#tools;
    for (;;) {
      const batch = notes.remoteRemovals(sweepSize);
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

  /** The time spans in which footage is due, oldest first, without those known to be moved. */
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
    const { reads, closed } = this.#tools;
    const due: OwnedSegment[] = [];
    for (const { id, uid } of reads.streams()) {
      const limit = batchSize + this.#setAside.size;
      for (const { fromTicks, beforeTicks } of this.#dueSpans(uid)) {
        const isNext = fromTicks === (this.#fromTicks.get(uid) ?? 0);
        const rows = closed.local(id, fromTicks, beforeTicks, limit);
        // Everything older than the first of them is moved or deleted; so is everything older than a segment
        // that is still growing.
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

  /** Several in parallel; the first store error stops them all. */
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

  /** Retention and the regular pass may select the same segment. */
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

  /** Once this resolves, the object is stored completely. */
  async #send(segment: OwnedSegment): Promise<void> {
    const { root, reads, notes, catalog, tier } = this.#tools;
    const { uid, startTicks, bytes } = segment;
    const initBytes = reads.initLength(segment.initId);
    const facts = { startTicks, initBytes, entries: reads.fragmentEntries(segment) };
    const wasSending = notes.isRemoteSending(uid, startTicks);
    const reader = await openSegmentFile(segmentPath(root, uid, startTicks));
    try {
      const sha256 = await digestOf(reader, bytes);
      const isThere = async () => {
        const object = await tier.find(uid, startTicks);
        if (object?.bytes !== bytes || factsOf(object.metadata)?.sha256 !== sha256) return false;
        // The metadata only repeats what was sent: the store has to report what it stored, or the object is
        // read back.
        if (await etagFits(object.etag, reader, bytes)) return true;
        const remote = tier.open(uid, startTicks, bytes);
        return (await digestOf(remote, bytes)) === sha256;
      };
      await catalog.commit([{ type: 'far-sending', uid, startTicks }]);
      if (wasSending && (await isThere())) return;
      await tier.send(uid, startTicks, reader, bytes, metadataOf({ ...facts, sha256 }));
      if (!(await isThere())) {
        throw new ObjectStoreError('damaged', `${tier.keys.of(uid, startTicks)} is not what was uploaded`);
      }
    } finally {
      await reader.close();
    }
  }

  /**
   * While the store is unavailable no pass gets as far as a segment, so a segment that fails repeatedly has a
   * problem of its own.
   */
  #isOfStore(segment: OwnedSegment, error: unknown): boolean {
    if (!(error instanceof ObjectStoreError) || error.trouble === 'damaged') return false;
    const failures = (this.#failures.get(keyOf(segment)) ?? 0) + 1;
    this.#failures.set(keyOf(segment), failures);
    return failures < triesMax;
  }

  #isSetAside(segment: OwnedSegment): boolean {
    const aside = this.#setAside.get(keyOf(segment));
    if (!aside) return false;
    if (this.#tools.clock.monotonicMs() < aside.untilMs) return true;
    this.#setAside.delete(keyOf(segment));
    return false;
  }

  #putAside(segment: OwnedSegment, error: unknown): void {
    const { clock, log } = this.#tools;
    this.#failures.delete(keyOf(segment));
    this.#setAside.set(keyOf(segment), { segment, untilMs: clock.monotonicMs() + setAsideMs });
    const fields = { code: 'FarArchiveDamaged', stream: segment.uid, start: segment.startTicks, err: error };
    log.error(
      fields,
      'A segment cannot be moved to object storage; it stays on the disk and is retried in an hour',
    );
  }
}

function keyOf({ uid, startTicks }: OwnedSegment): string {
  return `${uid} ${startTicks}`;
}
