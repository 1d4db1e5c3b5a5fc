import { dirname } from 'node:path';
import type { ActiveFolders } from './active-folders.ts';
import type { CatalogReads, SegmentRow } from './catalog-reads.ts';
import type { CatalogSink } from './catalog-writer.ts';
import { namesIn, type ArchiveFiles } from './files.ts';
import { dayFolder, dayOf, isDay, segmentPath, streamFolder } from './layout.ts';
import { WriteGate } from './write-gate.ts';

/** Rows per transaction, and files between two looks at the marker. */
const batchSize = 100;

export interface RemovalTools {
  readonly root: string;
  readonly files: ArchiveFiles;
  readonly catalog: CatalogSink;
  readonly reads: CatalogReads;
  readonly folders: ActiveFolders;
  /** @throws RecordingFailure when nothing may be deleted here now. */
  assertRightDisk(): Promise<void>;
}

/**
 * Deletes footage: the rows first, with a note that the files must go, then the files, then the note. A crash in between
 * leaves notes, which the next start finishes. Only what has a row is ever deleted.
 */
export class Removal {
  readonly #tools: RemovalTools;
  /** Who empties a folder removes it, which must not happen to one that flushes it. */
  readonly #oneAtATime = new WriteGate(1);

  constructor(tools: RemovalTools) {
    this.#tools = tools;
  }

  /** Removes these closed segments of one stream. @throws RecordingFailure, CatalogError, system errors */
  async removeSegments(uid: string, segments: readonly SegmentRow[]): Promise<void> {
    const { catalog } = this.#tools;
    for (let at = 0; at < segments.length; at += batchSize) {
      await this.#tools.assertRightDisk();
      const batch = segments.slice(at, at + batchSize);
      const startsTicks = batch.map(({ startTicks }) => startTicks);
      const removedUntilTicks = Math.max(...batch.map(({ endTicks }) => endTicks));
      await catalog.commit([{ type: 'remove', uid, startsTicks, removedUntilTicks }]);
      await this.finish(uid, startsTicks);
    }
  }

  /** Removes the files of segments whose removal is pending; what is far has none. @throws CatalogError, system errors */
  async finish(uid: string, startsTicks: readonly number[]): Promise<void> {
    await this.#oneAtATime.run(() => this.#removeFiles(uid, startsTicks));
    await this.#tools.catalog.commit([{ type: 'removed', uid, startsTicks }]);
  }

  /**
   * Removes all that a stream recorded, and the stream from the catalog. Nobody may be recording it.
   * Files without rows stay where they are.
   * @returns whether the stream's folder is gone.
   */
  async removeStream(uid: string): Promise<boolean> {
    const { reads, catalog, folders, files, root } = this.#tools;
    const stream = reads.stream(uid);
    if (!stream) return true;
    folders.forget(uid);
    for (;;) {
      const segments = reads.segments(stream.id, 0, Number.MAX_SAFE_INTEGER, batchSize);
      if (segments.length === 0) break;
      await this.removeSegments(uid, segments);
    }
    await catalog.commit([{ type: 'forget', uid }]);
    const folder = streamFolder(root, uid);
    // Retention leaves a folder that it emptied while it was in use.
    for (const name of await namesIn(folder)) {
      if (isDay(name)) await files.removeFolder(dayFolder(root, uid, name));
    }
    const isGone = await files.removeFolder(folder);
    if (isGone) await files.syncFolder(root);
    return isGone;
  }

  async #removeFiles(uid: string, startsTicks: readonly number[]): Promise<void> {
    const { root, files, folders } = this.#tools;
    const days = new Set<string>();
    for (const startTicks of startsTicks) {
      if (await files.remove(segmentPath(root, uid, startTicks))) days.add(dayOf(startTicks));
    }
    for (const day of days) {
      const folder = dayFolder(root, uid, day);
      if (!folders.isActive(uid, day) && (await files.removeFolder(folder))) {
        await files.syncFolder(dirname(folder));
      } else {
        await files.syncFolder(folder);
      }
    }
  }
}
