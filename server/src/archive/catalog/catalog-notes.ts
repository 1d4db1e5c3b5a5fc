import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { prepared } from './prepared.ts';
import { type SegmentName, segmentName } from './segment-row.ts';

/** What remains of a closed segment whose file is missing, shorter than its row says, or overwritten. */
export interface DamageMark {
  readonly streamId: number;
  readonly startTicks: number;
  /** Up to the end of the last fragment before the damage; 0: nothing is readable. */
  readonly wholeBytes: number;
  /** Where the readable part ends on the timeline; the start of the segment if nothing is readable. */
  readonly wholeEndTicks: number;
}

/** Notes kept next to the rows: damaged files, active folders, and deletions and uploads in progress. */
export class CatalogNotes {
  readonly #statements: Record<keyof typeof statements, StatementSync>;

  constructor(database: DatabaseSync) {
    this.#statements = prepared(database, statements);
  }

  damageMarks(): DamageMark[] {
    return this.#statements.damage.all().map((row) => ({
      streamId: row['stream_id'] as number,
      startTicks: row['start_ticks'] as number,
      wholeBytes: row['whole_bytes'] as number,
      wholeEndTicks: row['whole_end_ticks'] as number,
    }));
  }

  activeFolders(): { uid: string; day: string }[] {
    return this.#statements.folders
      .all()
      .map((row) => ({ uid: row['uid'] as string, day: row['day'] as string }));
  }

  isActiveFolder(uid: string, day: string): boolean {
    return this.#statements.isFolder.get(uid, day) !== undefined;
  }

  pendingRemovals(): SegmentName[] {
    return this.#statements.pending.all().map(segmentName);
  }

  /** Objects to be deleted, at most `limit`. */
  remoteRemovals(limit: number): SegmentName[] {
    return this.#statements.remoteRemovals.all(limit).map(segmentName);
  }

  /** Segments that may have an object. */
  remoteSendings(): SegmentName[] {
    return this.#statements.remoteSendings.all().map(segmentName);
  }

  isRemoteSending(uid: string, startTicks: number): boolean {
    return this.#statements.remoteSending.get(uid, startTicks) !== undefined;
  }
}

const statements = {
  damage: 'SELECT stream_id, start_ticks, whole_bytes, whole_end_ticks FROM damage',
  folders: 'SELECT uid, day FROM active_folder JOIN stream ON stream.id = stream_id ORDER BY uid, day',
  isFolder: 'SELECT 1 FROM active_folder JOIN stream ON stream.id = stream_id WHERE uid = ? AND day = ?',
  pending: 'SELECT uid, start_ticks FROM pending_removal ORDER BY uid, start_ticks',
  remoteRemovals: 'SELECT uid, start_ticks FROM far_removal ORDER BY uid, start_ticks LIMIT ?',
  remoteSendings: 'SELECT uid, start_ticks FROM far_sending ORDER BY uid, start_ticks',
  remoteSending: 'SELECT 1 FROM far_sending WHERE uid = ? AND start_ticks = ?',
};
