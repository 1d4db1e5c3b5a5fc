import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { encodeEntry, type NewFragment, encodeSums } from '../segments/segments.ts';
import type { RecordedGapCause } from './catalog-schema.ts';
import { prepared } from './prepared.ts';

/**
 * Catalog changes as values, so that they can be sent to the worker thread and the changes of several streams
 * can share one transaction. Each keeps the stream's totals consistent with its rows (invariant 8).
 */
export type CatalogChange = RecordingChange | RemovalChange | DamageChange | RemoteChange | ArchiveChange;

/** Written by a recorder; adoption writes the same for the files it finds. */
type RecordingChange =
  /** Sent before the first file in a day folder: recovery must read that folder. */
  | { readonly type: 'folder'; readonly uid: string; readonly day: string }
  /** All files of that folder are closed. */
  | { readonly type: 'folder-done'; readonly uid: string; readonly day: string }
  /** A new segment with its first flushed fragments. */
  | {
      readonly type: 'segment';
      readonly uid: string;
      readonly startTicks: number;
      /** ftyp and moov. */
      readonly init: Uint8Array;
      readonly fragments: readonly NewFragment[];
      /** Found in an existing file: no recorder is writing it. */
      readonly isFound?: true;
    }
  /** More flushed fragments at the end of an open segment. */
  | {
      readonly type: 'fragments';
      readonly uid: string;
      readonly segmentStartTicks: number;
      readonly fragments: readonly NewFragment[];
    }
  /** The file no longer grows and has no torn tail. */
  | { readonly type: 'close'; readonly uid: string; readonly segmentStartTicks: number }
  | {
      readonly type: 'interruption';
      readonly uid: string;
      readonly atTicks: number;
      readonly cause: RecordedGapCause;
      /** The recorder stopped too, so no interruption has to be recorded after a crash. */
      readonly endsRecording: boolean;
    };

/** Rows that are deleted, and rows that are restored. */
type RemovalChange =
  /** The rows are deleted; the deletion of their files becomes pending. */
  | {
      readonly type: 'remove';
      readonly uid: string;
      readonly startsTicks: readonly number[];
      /** Footage before this was deleted by retention; undefined when it was lost instead. */
      readonly removedUntilTicks?: number;
    }
  /** The files are deleted and their folder is flushed. */
  | {
      readonly type: 'removed';
      readonly uid: string;
      readonly startsTicks: readonly number[];
      /** As for `remove`; known only once the files are deleted. */
      readonly removedUntilTicks?: number;
    }
  /**
   * The file could not be deleted: the row is restored as it was before `remove`, and the pending deletion is
   * dropped.
   */
  | {
      readonly type: 'restore';
      readonly uid: string;
      readonly startTicks: number;
      readonly endTicks: number;
      readonly bytes: number;
      readonly initId: number;
      readonly entries: Uint8Array;
      readonly sums: Uint8Array;
    }
  /** The row of a lost file: there is nothing to delete. */
  | { readonly type: 'lost'; readonly uid: string; readonly startTicks: number }
  /** A stream without segments is deleted. */
  | { readonly type: 'forget'; readonly uid: string };

/** Damage marks, kept next to the unchanged rows. */
type DamageChange =
  /** Only this many bytes of the file are readable, up to that time. */
  | {
      readonly type: 'damaged';
      readonly uid: string;
      readonly startTicks: number;
      readonly bytes: number;
      readonly endTicks: number;
    }
  /** Its file is intact again. */
  | { readonly type: 'sound'; readonly uid: string; readonly startTicks: number };

/** Segments being uploaded to object storage, stored there, and deleted from it. */
type RemoteChange =
  /** Before the first byte of an object is sent to the store. */
  | { readonly type: 'far-sending'; readonly uid: string; readonly startTicks: number }
  /**
   * The object is complete in the store: the row refers to it from now on, and the deletion of the file becomes
   * pending.
   */
  | { readonly type: 'far'; readonly uid: string; readonly startTicks: number }
  /** A segment found in the store while the catalog is rebuilt. */
  | { readonly type: 'far-found'; readonly uid: string; readonly startTicks: number }
  /** The objects have been deleted. */
  | { readonly type: 'far-removed'; readonly uid: string; readonly startsTicks: readonly number[] };

/** The archive as a whole. */
type ArchiveChange =
  /**
   * The disk was replaced by an empty one: the footage on the old one becomes a gap, and the catalog is bound
   * to the new one.
   */
  | { readonly type: 'disk-replaced'; readonly archiveId: string }
  | { readonly type: 'dirty'; readonly isDirty: boolean };

type ChangeOf<Type extends CatalogChange['type']> = Extract<CatalogChange, { readonly type: Type }>;

/**
 * Applies changes to a connection. Runs in the worker thread, in recovery and in rebuild; the caller opens the
 * transaction.
 */
export class CatalogWrites {
  readonly #database: DatabaseSync;
  readonly #statements: Record<keyof typeof statements, StatementSync>;
  /** Valid until another connection writes: it may forget a stream, whose id is assigned again. */
  readonly #streamIds = new Map<string, number>();
  #dataVersion: unknown;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepared(database, statements);
  }

  /**
   * Applies all of `changes` in one transaction, or none. @throws what SQLite throws, or RangeError for a
   * change of a missing row.
   * @param also writes more rows in the same transaction
   */
  commit(changes: readonly CatalogChange[], also: () => void = () => {}): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#forgetStaleIds();
      for (const change of changes) this.#apply(change);
      also();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#streamIds.clear();
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** The data version of a connection changes when another one commits, and not by its own commits. */
  #forgetStaleIds(): void {
    const dataVersion = this.#statements.dataVersion.get()?.['data_version'];
    if (dataVersion !== this.#dataVersion) this.#streamIds.clear();
    this.#dataVersion = dataVersion;
  }

  #apply(change: CatalogChange): void {
    switch (change.type) {
      case 'folder':
      case 'folder-done':
      case 'segment':
      case 'fragments':
      case 'close':
      case 'interruption':
        this.#applyRecording(change);
        return;
      case 'remove':
      case 'removed':
      case 'restore':
      case 'lost':
      case 'forget':
        this.#applyRemoval(change);
        return;
      case 'damaged':
      case 'sound':
        this.#applyDamage(change);
        return;
      case 'far-sending':
      case 'far':
      case 'far-found':
      case 'far-removed':
        this.#applyRemote(change);
        return;
      case 'disk-replaced':
      case 'dirty':
        this.#applyToArchive(change);
    }
  }

  #applyRecording(change: RecordingChange): void {
    const run = this.#statements;
    switch (change.type) {
      case 'folder':
        run.addFolder.run(this.#streamId(change.uid), change.day);
        return;
      case 'folder-done':
        run.deleteFolder.run(this.#streamId(change.uid), change.day);
        return;
      case 'segment':
        this.#addSegment(change.uid, change.startTicks, change.init, change.fragments);
        if (!change.isFound) run.setRecording.run(1, this.#streamId(change.uid));
        return;
      case 'fragments':
        this.#extendSegment(change.uid, change.segmentStartTicks, change.fragments);
        return;
      case 'close':
        run.closeSegment.run(this.#streamId(change.uid), change.segmentStartTicks);
        return;
      case 'interruption':
        run.addInterruption.run(this.#streamId(change.uid), change.atTicks, change.cause);
        run.setRecording.run(change.endsRecording ? 0 : 1, this.#streamId(change.uid));
    }
  }

  #applyRemoval(change: RemovalChange): void {
    const run = this.#statements;
    switch (change.type) {
      case 'remove':
        this.#remove(change.uid, change.startsTicks, change.removedUntilTicks);
        return;
      case 'removed':
        for (const startTicks of change.startsTicks) run.deletePending.run(change.uid, startTicks);
        this.#noteRemovedUntil(change.uid, change.removedUntilTicks);
        return;
      case 'restore':
        this.#restore(change);
        return;
      case 'lost':
        this.#deleteSegment(this.#streamId(change.uid), change.startTicks);
        return;
      case 'forget':
        this.#forget(change.uid);
    }
  }

  #applyDamage(change: DamageChange): void {
    const run = this.#statements;
    switch (change.type) {
      case 'damaged':
        run.addDamage.run(this.#streamId(change.uid), change.startTicks, change.bytes, change.endTicks);
        return;
      case 'sound':
        run.deleteDamage.run(this.#streamId(change.uid), change.startTicks);
    }
  }

  #applyRemote(change: RemoteChange): void {
    const run = this.#statements;
    switch (change.type) {
      case 'far-sending':
        run.addSending.run(change.uid, change.startTicks);
        return;
      case 'far':
        this.#makeRemote(change.uid, change.startTicks);
        return;
      case 'far-found':
        this.#setRemote(this.#streamId(change.uid), change.startTicks);
        return;
      case 'far-removed':
        for (const startTicks of change.startsTicks) run.deleteRemoteRemoval.run(change.uid, startTicks);
    }
  }

  #applyToArchive(change: ArchiveChange): void {
    const run = this.#statements;
    switch (change.type) {
      case 'disk-replaced':
        this.#replaceDisk(change.archiveId);
        return;
      case 'dirty':
        run.setDirty.run(change.isDirty ? 1 : 0);
        if (!change.isDirty) run.deleteFolders.run();
    }
  }

  #addSegment(uid: string, startTicks: number, init: Uint8Array, fragments: readonly NewFragment[]): void {
    const streamId = this.#streamId(uid);
    const sum = sumOf(fragments);
    const bytes = init.length + sum.bytes;
    const { lastInsertRowid } = this.#statements.addIndex.run(sum.entries, sum.sums);
    this.#statements.addSegment.run(
      streamId,
      startTicks,
      startTicks + sum.durationTicks,
      bytes,
      this.#initId(init),
      lastInsertRowid,
    );
    this.#statements.addTotals.run(1, bytes, sum.durationTicks, streamId);
  }

  #extendSegment(uid: string, startTicks: number, fragments: readonly NewFragment[]): void {
    const streamId = this.#streamId(uid);
    const row = this.#statements.getSegment.get(streamId, startTicks);
    if (!row) throw new RangeError(`no segment of ${uid} starts at ${startTicks}`);
    const sum = sumOf(fragments);
    this.#statements.extendIndex.run(sum.entries, sum.sums, row['index_id'] as number);
    this.#statements.extendSegment.run(sum.durationTicks, sum.bytes, streamId, startTicks);
    this.#statements.addTotals.run(0, sum.bytes, sum.durationTicks, streamId);
  }

  #remove(uid: string, startsTicks: readonly number[], removedUntilTicks: number | undefined): void {
    const streamId = this.#streamId(uid);
    const run = this.#statements;
    for (const startTicks of startsTicks) {
      const isRemote = run.getSegment.get(streamId, startTicks)?.['is_far'] === 1;
      this.#deleteSegment(streamId, startTicks);
      if (!isRemote) run.addPending.run(uid, startTicks);
      // A segment that is being uploaded may already have an object.
      const isSending = run.deleteSending.run(uid, startTicks).changes > 0;
      if (isRemote || isSending) run.addRemoteRemoval.run(uid, startTicks);
    }
    this.#noteRemovedUntil(uid, removedUntilTicks);
  }

  #noteRemovedUntil(uid: string, removedUntilTicks: number | undefined): void {
    const id = this.#statements.getStream.get(uid)?.['id'] as number | undefined;
    if (removedUntilTicks === undefined || id === undefined) return;
    this.#statements.setRemovedUntil.run(removedUntilTicks, id);
    this.#statements.deleteInterruptionsBefore.run(id, removedUntilTicks);
  }

  #restore({ uid, startTicks, endTicks, bytes, initId, entries, sums }: ChangeOf<'restore'>): void {
    const streamId = this.#streamId(uid);
    const run = this.#statements;
    const { lastInsertRowid } = run.addIndex.run(entries, sums);
    run.addSegment.run(streamId, startTicks, endTicks, bytes, initId, lastInsertRowid);
    run.closeSegment.run(streamId, startTicks);
    run.addTotals.run(1, bytes, endTicks - startTicks, streamId);
    run.deletePending.run(uid, startTicks);
  }

  #deleteSegment(streamId: number, startTicks: number): void {
    const row = this.#statements.getSegment.get(streamId, startTicks);
    if (!row) return;
    this.#statements.deleteSegment.run(streamId, startTicks);
    this.#statements.deleteDamage.run(streamId, startTicks);
    this.#statements.deleteIndex.run(row['index_id'] as number);
    const durationTicks = (row['end_ticks'] as number) - startTicks;
    const bytes = row['bytes'] as number;
    this.#statements.addTotals.run(-1, -bytes, -durationTicks, streamId);
    if (row['is_far'] === 1) this.#statements.addRemoteTotals.run(-1, -bytes, streamId);
  }

  /** Retention may have deleted the segment during the upload: then the object must be deleted as well. */
  #makeRemote(uid: string, startTicks: number): void {
    const run = this.#statements;
    run.deleteSending.run(uid, startTicks);
    const streamId = run.getStream.get(uid)?.['id'] as number | undefined;
    if (streamId !== undefined && this.#setRemote(streamId, startTicks)) run.addPending.run(uid, startTicks);
    else run.addRemoteRemoval.run(uid, startTicks);
  }

  /** Returns false when there is no such closed segment. */
  #setRemote(streamId: number, startTicks: number): boolean {
    if (this.#statements.setRemote.run(streamId, startTicks).changes === 0) return false;
    const bytes = this.#statements.getSegment.get(streamId, startTicks)?.['bytes'] as number;
    this.#statements.addRemoteTotals.run(1, bytes, streamId);
    return true;
  }

  /** Segments in the bucket don't change. One gap replaces all local segments and the gaps between them. */
  #replaceDisk(archiveId: string): void {
    const run = this.#statements;
    for (const row of run.localSums.all()) {
      const streamId = row['stream_id'] as number;
      const first = row['first'] as number;
      run.deleteLocal.run(streamId);
      run.deleteDamageOf.run(streamId);
      run.addTotals.run(
        -(row['segments'] as number),
        -(row['bytes'] as number),
        -(row['ticks'] as number),
        streamId,
      );
      run.deleteInterruptionsFrom.run(streamId, first);
      run.addInterruption.run(streamId, first, 'disk-replaced');
      run.addReplacedBehindRemote.run(streamId, first);
    }
    run.deleteOrphanIndexes.run();
    run.deletePendings.run();
    run.deleteFolders.run();
    run.deleteSendings.run();
    run.setArchiveId.run(archiveId);
  }

  #forget(uid: string): void {
    const streamId = this.#streamId(uid);
    this.#statements.forgetInterruptions.run(streamId);
    this.#statements.forgetFolders.run(streamId);
    this.#statements.forgetStream.run(streamId);
    this.#streamIds.delete(uid);
  }

  #streamId(uid: string): number {
    const known = this.#streamIds.get(uid);
    if (known !== undefined) return known;
    this.#statements.addStream.run(uid);
    const id = this.#statements.getStream.get(uid)?.['id'] as number;
    this.#streamIds.set(uid, id);
    return id;
  }

  #initId(init: Uint8Array): number {
    const digest = createHash('sha256').update(init).digest();
    this.#statements.addInit.run(digest, init);
    return this.#statements.getInit.get(digest)?.['id'] as number;
  }
}

const statements = {
  dataVersion: 'PRAGMA data_version',
  addStream: 'INSERT INTO stream (uid) VALUES (?) ON CONFLICT DO NOTHING',
  getStream: 'SELECT id FROM stream WHERE uid = ?',
  addTotals: `UPDATE stream SET segments = segments + ?, bytes = bytes + ?, duration_ticks = duration_ticks + ?
              WHERE id = ?`,
  addRemoteTotals:
    'UPDATE stream SET far_segments = far_segments + ?, far_bytes = far_bytes + ? WHERE id = ?',
  setRecording: 'UPDATE stream SET is_recording = ?1 WHERE id = ?2 AND is_recording <> ?1',
  setRemovedUntil: 'UPDATE stream SET removed_until_ticks = max(removed_until_ticks, ?) WHERE id = ?',
  addInit: 'INSERT INTO init (digest, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING',
  getInit: 'SELECT id FROM init WHERE digest = ?',
  addIndex: 'INSERT INTO fragment_index (entries, sums) VALUES (?, ?)',
  extendIndex: `UPDATE fragment_index SET entries = CAST(entries || ? AS BLOB), sums = CAST(sums || ? AS BLOB)
                WHERE id = ?`,
  deleteIndex: 'DELETE FROM fragment_index WHERE id = ?',
  addSegment: `INSERT INTO segment (stream_id, start_ticks, end_ticks, bytes, init_id, index_id, is_open)
               VALUES (?, ?, ?, ?, ?, ?, 1)`,
  getSegment:
    'SELECT end_ticks, bytes, index_id, is_far FROM segment WHERE stream_id = ? AND start_ticks = ?',
  extendSegment: `UPDATE segment SET end_ticks = end_ticks + ?, bytes = bytes + ?
                  WHERE stream_id = ? AND start_ticks = ?`,
  closeSegment: 'UPDATE segment SET is_open = 0 WHERE stream_id = ? AND start_ticks = ?',
  setRemote: `UPDATE segment SET is_far = 1 WHERE stream_id = ? AND start_ticks = ? AND is_open = 0 AND is_far = 0`,
  deleteSegment: 'DELETE FROM segment WHERE stream_id = ? AND start_ticks = ?',
  addDamage: `INSERT INTO damage (stream_id, start_ticks, whole_bytes, whole_end_ticks) VALUES (?, ?, ?, ?)
              ON CONFLICT DO UPDATE SET whole_bytes = excluded.whole_bytes, whole_end_ticks = excluded.whole_end_ticks`,
  deleteDamage: 'DELETE FROM damage WHERE stream_id = ? AND start_ticks = ?',
  localSums: `SELECT stream_id, min(start_ticks) AS first, count(*) AS segments, sum(bytes) AS bytes,
             sum(end_ticks - start_ticks) AS ticks FROM segment WHERE is_far = 0 GROUP BY stream_id`,
  deleteOrphanIndexes: 'DELETE FROM fragment_index WHERE id NOT IN (SELECT index_id FROM segment)',
  deleteLocal: 'DELETE FROM segment WHERE stream_id = ? AND is_far = 0',
  deleteDamageOf: 'DELETE FROM damage WHERE stream_id = ?',
  deleteInterruptionsFrom: 'DELETE FROM interruption WHERE stream_id = ? AND at_ticks >= ?',
  addReplacedBehindRemote: `INSERT INTO interruption (stream_id, at_ticks, cause)
                         SELECT stream_id, end_ticks, 'disk-replaced' FROM segment
                         WHERE stream_id = ? AND start_ticks > ? AND is_far = 1
                         ON CONFLICT DO UPDATE SET cause = excluded.cause`,
  deletePendings: 'DELETE FROM pending_removal',
  deleteSendings: 'DELETE FROM far_sending',
  setArchiveId: 'UPDATE archive SET archive_id = ?',
  addInterruption: `INSERT INTO interruption (stream_id, at_ticks, cause) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET cause = excluded.cause`,
  deleteInterruptionsBefore: 'DELETE FROM interruption WHERE stream_id = ? AND at_ticks < ?',
  addFolder: 'INSERT INTO active_folder (stream_id, day) VALUES (?, ?) ON CONFLICT DO NOTHING',
  deleteFolder: 'DELETE FROM active_folder WHERE stream_id = ? AND day = ?',
  deleteFolders: 'DELETE FROM active_folder',
  addPending: 'INSERT INTO pending_removal (uid, start_ticks) VALUES (?, ?) ON CONFLICT DO NOTHING',
  deletePending: 'DELETE FROM pending_removal WHERE uid = ? AND start_ticks = ?',
  addSending: 'INSERT INTO far_sending (uid, start_ticks) VALUES (?, ?) ON CONFLICT DO NOTHING',
  deleteSending: 'DELETE FROM far_sending WHERE uid = ? AND start_ticks = ?',
  addRemoteRemoval: 'INSERT INTO far_removal (uid, start_ticks) VALUES (?, ?) ON CONFLICT DO NOTHING',
  deleteRemoteRemoval: 'DELETE FROM far_removal WHERE uid = ? AND start_ticks = ?',
  forgetInterruptions: 'DELETE FROM interruption WHERE stream_id = ?',
  forgetFolders: 'DELETE FROM active_folder WHERE stream_id = ?',
  forgetStream: 'DELETE FROM stream WHERE id = ?',
  setDirty: 'UPDATE archive SET is_dirty = ?',
};

function sumOf(fragments: readonly NewFragment[]): {
  entries: Uint8Array;
  sums: Uint8Array;
  bytes: number;
  durationTicks: number;
} {
  if (fragments.length === 0) throw new RangeError('a change must have fragments');
  return {
    entries: Buffer.concat(fragments.map(encodeEntry)),
    sums: encodeSums(fragments),
    bytes: fragments.reduce((sum, fragment) => sum + fragment.bytes, 0),
    durationTicks: fragments.reduce((sum, fragment) => sum + fragment.durationTicks, 0),
  };
}
