import { dirname } from 'node:path';
import type {
  ActiveFolders,
  CatalogNotes,
  CatalogReads,
  SegmentRow,
  CatalogSink,
  CatalogChange,
} from '../catalog/catalog.ts';
import {
  namesIn,
  systemCode,
  type ArchiveFiles,
  dayFolder,
  dayOf,
  isDay,
  segmentPath,
  streamFolder,
} from '../segments/segments.ts';
import type { Undeletable } from './undeletable.ts';
import { Semaphore } from '../../base/semaphore.ts';

/** Rows per transaction, and files between two marker checks. */
const batchSize = 100;
/**
 * After this many consecutive files that cannot be deleted the rest is not tried: each may take seconds on a
 * failing disk.
 */
const failuresInARow = 10;

export interface SegmentDeleterTools {
  readonly root: string;
  readonly files: ArchiveFiles;
  readonly catalog: CatalogSink;
  readonly reads: CatalogReads;
  readonly notes: CatalogNotes;
  readonly folders: ActiveFolders;
  readonly undeletable: Undeletable;
  /** @throws RecordingFailure if nothing may be deleted here now */
  assertRightDisk(): Promise<void>;
}

/** The result of a deletion. */
export interface DeletionResult {
  readonly segments: number;
  readonly bytes: number;
  /** Why the last remaining file could not be deleted; undefined if all are deleted. */
  readonly failure: Error | undefined;
}

/**
 * Deletes footage: the rows first, noting that the files are to be deleted, then the files, then the notes. A
 * crash in between leaves notes, which the next start processes. A file that can't be deleted gets its row
 * back. Only files with a row are ever deleted.
 */
export class SegmentDeleter {
  readonly #tools: SegmentDeleterTools;
  /** An emptied folder is deleted; this must not happen while another operation flushes it. */
  readonly #oneAtATime = new Semaphore(1);

  constructor(tools: SegmentDeleterTools) {
    this.#tools = tools;
  }

  /**
   * Deletes these closed segments of one stream; one that cannot be deleted is noted, stays, and doesn't stop
   * the others.
   * @throws RecordingFailure, CatalogError, system errors of flushing a folder, and EROFS before a row is
   * touched
   */
  async removeSegments(uid: string, segments: readonly SegmentRow[]): Promise<DeletionResult> {
    const sum = { segments: 0, bytes: 0, failure: undefined as Error | undefined };
    for (let at = 0; at < segments.length; at += batchSize) {
      await this.#tools.assertRightDisk();
      const batch = segments.slice(at, at + batchSize);
      const { gone, failure, isHopeless } = await this.#oneAtATime.run(() => this.#removeBatch(uid, batch));
      sum.segments += gone.length;
      sum.bytes += gone.reduce((bytes, segment) => bytes + segment.bytes, 0);
      sum.failure = failure ?? sum.failure;
      if (isHopeless) break;
    }
    return sum;
  }

  /**
   * Deletes the files of segments whose deletion is pending; segments in object storage have none. A file that
   * cannot be deleted keeps its pending deletion and is noted as undeletable. @throws CatalogError, system
   * errors of flushing a folder
   */
  async finish(uid: string, startsTicks: readonly number[]): Promise<void> {
    await this.#oneAtATime.run(async () => {
      const gone: number[] = [];
      for (const startTicks of startsTicks) {
        const failure = await this.#removeFile(uid, startTicks);
        if (failure === undefined) gone.push(startTicks);
        else this.#noteKept(uid, startTicks, 0, failure);
      }
      await this.#flush(uid, gone);
      if (gone.length > 0) await this.#tools.catalog.commit([{ type: 'removed', uid, startsTicks: gone }]);
      for (const startTicks of gone) this.#tools.undeletable.forget(uid, startTicks);
    });
  }

  /** Retries deletions that are still pending. @throws like `finish` */
  async finishPending(): Promise<void> {
    const { notes, undeletable } = this.#tools;
    const pending = notes.pendingRemovals().filter((name) => !undeletable.isResting(name.uid, name));
    if (pending.length === 0) return;
    await this.#tools.assertRightDisk();
    for (const [uid, names] of Map.groupBy(pending.slice(0, batchSize), (name) => name.uid)) {
      await this.finish(
        uid,
        names.map(({ startTicks }) => startTicks),
      );
    }
  }

  /**
   * Deletes all footage of a stream, and the stream from the catalog. The stream must not be recording. Files
   * without rows stay.
   * @returns whether the stream's folder is deleted
   * @throws RecordingFailure, CatalogError, and the system error for a file that cannot be deleted: then it can
   * be retried
   */
  async removeStream(uid: string): Promise<boolean> {
    const { reads, catalog, folders, files, root } = this.#tools;
    const stream = reads.stream(uid);
    if (!stream) return true;
    folders.forget(uid);
    let failure: Error | undefined;
    let fromTicks = 0;
    for (;;) {
      // The one that includes this time was already tried.
      const segments = reads
        .segments(stream.id, fromTicks, Number.MAX_SAFE_INTEGER, batchSize)
        .filter(({ startTicks }) => startTicks >= fromTicks);
      const last = segments.at(-1);
      if (!last) break;
      const result = await this.removeSegments(uid, segments);
      failure = result.failure ?? failure;
      fromTicks = last.startTicks + 1;
    }
    if (failure !== undefined) throw failure;
    await catalog.commit([{ type: 'forget', uid }]);
    const folder = streamFolder(root, uid);
    // Retention leaves a folder behind if it was in use when it was emptied.
    for (const name of await namesIn(folder)) {
      if (isDay(name)) await files.removeFolder(dayFolder(root, uid, name));
    }
    const isGone = await files.removeFolder(folder);
    if (isGone) await files.syncFolder(root);
    return isGone;
  }

  async #removeBatch(uid: string, batch: readonly SegmentRow[]) {
    const { root, files, catalog, reads, undeletable } = this.#tools;
    // While rows are deleted and restored, players do not find them.
    const nearest = batch.find(({ isRemote }) => !isRemote);
    if (nearest) await files.assertChangeable(segmentPath(root, uid, nearest.startTicks));
    // The data needed to restore a row; it is deleted with the row.
    const rows = batch.map((segment) => ({
      segment,
      entries: reads.fragmentEntries(segment),
      sums: reads.fragmentSums(segment),
    }));
    const startsTicks = batch.map(({ startTicks }) => startTicks);
    await catalog.commit([{ type: 'remove', uid, startsTicks }]);
    const gone: SegmentRow[] = [];
    const kept: CatalogChange[] = [];
    let failure: Error | undefined;
    let failures = 0;
    for (const { segment, entries, sums } of rows) {
      const { startTicks, endTicks, bytes, initId } = segment;
      const isTried = failures < failuresInARow;
      const failed = isTried ? await this.#removeFile(uid, startTicks) : failure;
      if (failed === undefined) {
        gone.push(segment);
        failures = 0;
        continue;
      }
      failure = failed;
      failures++;
      if (isTried) this.#noteKept(uid, startTicks, bytes, failed);
      kept.push({ type: 'restore', uid, startTicks, endTicks, bytes, initId, entries, sums });
    }
    // The rows of remaining files are restored even if the folders of the others cannot be flushed: then their
    // notes stay.
    if (kept.length > 0) await catalog.commit(kept);
    const goneTicks = gone.map(({ startTicks }) => startTicks);
    await this.#flush(uid, goneTicks);
    if (gone.length > 0) {
      const removedUntilTicks = Math.max(...gone.map(({ endTicks }) => endTicks));
      await catalog.commit([{ type: 'removed', uid, startsTicks: goneTicks, removedUntilTicks }]);
    }
    for (const startTicks of goneTicks) undeletable.forget(uid, startTicks);
    return { gone, failure, isHopeless: failures >= failuresInARow };
  }

  /** The system error if the file still exists. */
  async #removeFile(uid: string, startTicks: number): Promise<Error | undefined> {
    const { root, files } = this.#tools;
    try {
      await files.remove(segmentPath(root, uid, startTicks));
      return undefined;
    } catch (error) {
      if (!(error instanceof Error) || systemCode(error) === undefined) throw error;
      return error;
    }
  }

  #noteKept(uid: string, startTicks: number, bytes: number, error: unknown): void {
    const { root, undeletable } = this.#tools;
    undeletable.note(uid, startTicks, bytes, segmentPath(root, uid, startTicks), error);
  }

  /** Flushes the folders from which names were removed, or their parents if they are empty now. */
  async #flush(uid: string, startsTicks: readonly number[]): Promise<void> {
    const { root, files, folders } = this.#tools;
    for (const day of new Set(startsTicks.map(dayOf))) {
      const folder = dayFolder(root, uid, day);
      try {
        if (!folders.isActive(uid, day) && (await files.removeFolder(folder))) {
          await files.syncFolder(dirname(folder));
        } else {
          await files.syncFolder(folder);
        }
      } catch (error) {
        // Segments in object storage need no local folder.
        if (systemCode(error) !== 'ENOENT') throw error;
      }
    }
  }
}
