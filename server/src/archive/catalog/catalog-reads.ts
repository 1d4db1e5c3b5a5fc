import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeIndex, type IndexedPosition } from '../segments/segments.ts';
import type { RecordedGapCause } from './catalog-schema.ts';

/** What is left of a closed segment whose file is missing, shorter than its row says, or overwritten. */
export interface DamageMark {
  readonly streamId: number;
  readonly startTicks: number;
  /** Up to the end of the last fragment before the damage; 0: nothing can be read. */
  readonly wholeBytes: number;
  /** Its end on the timeline; the start of the segment when nothing is left. */
  readonly wholeEndTicks: number;
}

/** One segment as stored in the catalog: all of it is flushed. */
export interface SegmentRow {
  readonly streamId: number;
  readonly startTicks: number;
  readonly endTicks: number;
  /** Readable length of the file. */
  readonly bytes: number;
  readonly initId: number;
  readonly indexId: number;
  readonly isOpen: boolean;
  /** Its bytes are an object in the bucket, not a file. */
  readonly isRemote: boolean;
}

/** A segment and the stream it belongs to. */
export type OwnedSegment = SegmentRow & { readonly uid: string };

export interface CatalogStreamRow {
  readonly id: number;
  readonly uid: string;
  readonly segments: number;
  readonly bytes: number;
  readonly durationTicks: number;
  readonly removedUntilTicks: number;
  readonly isRecording: boolean;
  /** The part of `segments` and `bytes` that is in object storage. */
  readonly remoteSegments: number;
  readonly farBytes: number;
}

export interface InterruptionRow {
  readonly atTicks: number;
  readonly cause: RecordedGapCause;
}

/**
 * All catalog queries. Each uses one index and reads no more rows than it returns or sums up
 * (bench/catalog.ts measures them on 5.2 million rows).
 */
export class CatalogReads {
  readonly #database: DatabaseSync;
  readonly #statements: Record<ReadName, StatementSync>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = Object.fromEntries(
      Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)]),
    ) as Record<ReadName, StatementSync>;
  }

  /** Runs `read` on one snapshot of the catalog. */
  snapshot<T>(read: () => T): T {
    this.#database.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  identity(): { archiveId: string; version: number; isDirty: boolean } {
    const row = this.#statements.identity.get() as CatalogRow;
    return {
      archiveId: row['archive_id'] as string,
      version: row['version'] as number,
      isDirty: row['is_dirty'] === 1,
    };
  }

  stream(uid: string): CatalogStreamRow | undefined {
    const row = this.#statements.stream.get(uid);
    return row && streamRow(row);
  }

  streams(): CatalogStreamRow[] {
    return this.#statements.streams.all().map(streamRow);
  }

  /** Bytes of all segments of all streams. */
  totalBytes(): number {
    return (this.#statements.totalBytes.get() as CatalogRow)['bytes'] as number;
  }

  /** The part of it that is in object storage. */
  remoteTotals(): { segments: number; bytes: number } {
    const row = this.#statements.remoteTotals.get() as CatalogRow;
    return { segments: row['segments'] as number, bytes: row['bytes'] as number };
  }

  /** Segments that overlap [fromTicks, toTicks), oldest first, at most `limit`. */
  segments(streamId: number, fromTicks: number, toTicks: number, limit: number): SegmentRow[] {
    const before = this.segmentAtOrBefore(streamId, fromTicks);
    const rows = this.#statements.segmentsFrom.all(streamId, fromTicks, toTicks, limit).map(segmentRow);
    if (before && before.endTicks > fromTicks && before.startTicks < fromTicks) rows.unshift(before);
    return rows;
  }

  /** Like `segments`, without a limit and one row at a time. */
  *eachSegment(streamId: number, fromTicks: number, toTicks: number): Generator<SegmentRow, void, undefined> {
    let at = fromTicks;
    for (;;) {
      const rows = this.#statements.segmentsFrom.all(streamId, at, toTicks, 500).map(segmentRow);
      yield* rows;
      const last = rows.at(-1);
      if (!last) return;
      at = last.startTicks + 1;
    }
  }

  /** The newest segment that starts at or before a time. */
  segmentAtOrBefore(streamId: number, atTicks: number): SegmentRow | undefined {
    const row = this.#statements.atOrBefore.get(streamId, atTicks);
    return row && segmentRow(row);
  }

  segmentAfter(streamId: number, atTicks: number): SegmentRow | undefined {
    const row = this.#statements.after.get(streamId, atTicks);
    return row && segmentRow(row);
  }

  segment(streamId: number, startTicks: number): SegmentRow | undefined {
    const row = this.#statements.exact.get(streamId, startTicks);
    return row && segmentRow(row);
  }

  firstSegment(streamId: number): SegmentRow | undefined {
    return this.segmentAfter(streamId, -1);
  }

  newestSegment(streamId: number): SegmentRow | undefined {
    return this.segmentAtOrBefore(streamId, Number.MAX_SAFE_INTEGER);
  }

  /** The oldest closed segments on the disk, of all streams. */
  oldestLocal(limit: number): OwnedSegment[] {
    return this.#statements.oldestLocal.all(limit).map(ownedSegment);
  }

  /** The oldest segments in the bucket, of all streams. */
  oldestRemote(limit: number): OwnedSegment[] {
    return this.#statements.oldestRemote.all(limit).map(ownedSegment);
  }

  /** Closed segments on the disk that start in [fromTicks, beforeTicks), oldest first. */
  localClosed(streamId: number, fromTicks: number, beforeTicks: number, limit: number): SegmentRow[] {
    return this.#statements.localClosed.all(streamId, fromTicks, beforeTicks, limit).map(segmentRow);
  }

  /** Their number and bytes. */
  localClosedTotals(
    streamId: number,
    fromTicks: number,
    beforeTicks: number,
  ): { segments: number; bytes: number } {
    const row = this.#statements.localClosedTotals.get(streamId, fromTicks, beforeTicks) as CatalogRow;
    return { segments: row['segments'] as number, bytes: row['bytes'] as number };
  }

  /** The oldest closed segments of one stream that start at or after `fromTicks` and end at or before `beforeTicks`. */
  closedBefore(streamId: number, fromTicks: number, beforeTicks: number, limit: number): SegmentRow[] {
    const rows = this.#statements.closedFirst.all(streamId, fromTicks, beforeTicks, limit).map(segmentRow);
    return rows.filter((row) => row.endTicks <= beforeTicks);
  }

  /** Number, bytes and total duration of those that start in [fromTicks, beforeTicks). */
  closedTotals(
    streamId: number,
    fromTicks: number,
    beforeTicks: number,
  ): { segments: number; bytes: number; durationTicks: number } {
    const row = this.#statements.closedTotals.get(streamId, fromTicks, beforeTicks) as CatalogRow;
    return {
      segments: row['segments'] as number,
      bytes: row['bytes'] as number,
      durationTicks: row['ticks'] as number,
    };
  }

  openSegments(): OwnedSegment[] {
    return this.#statements.open.all().map(ownedSegment);
  }

  /** ftyp and moov of a segment. @throws RangeError when the catalog lacks them. */
  init(initId: number): Uint8Array {
    const row = this.#statements.init.get(initId);
    if (!row) throw new RangeError(`the catalog has no init ${initId}`);
    return row['bytes'] as Uint8Array;
  }

  initLength(initId: number): number {
    const row = this.#statements.initLength.get(initId);
    if (!row) throw new RangeError(`the catalog has no init ${initId}`);
    return row['length'] as number;
  }

  /** The positions of a segment's fragments, oldest first. `initBytes` is the length of its init. */
  fragments(segment: SegmentRow, initBytes: number): IndexedPosition[] {
    return decodeIndex(this.fragmentEntries(segment), segment.startTicks, initBytes);
  }

  /** The same in its stored form (see fragment-index.ts). */
  fragmentEntries(segment: SegmentRow): Uint8Array {
    const row = this.#statements.entries.get(segment.indexId);
    if (!row) throw new RangeError(`the catalog has no index ${segment.indexId}`);
    return row['entries'] as Uint8Array;
  }

  /** The checksums of a segment's fragments in their stored form (see fragment-sums.ts). */
  fragmentSums(segment: SegmentRow): Uint8Array {
    const row = this.#statements.sums.get(segment.indexId);
    if (!row) throw new RangeError(`the catalog has no index ${segment.indexId}`);
    return row['sums'] as Uint8Array;
  }

  /** Those in [fromTicks, toTicks), and the one in effect at fromTicks. */
  interruptions(streamId: number, fromTicks: number, toTicks: number): InterruptionRow[] {
    const before = this.#statements.interruptionBefore.get(streamId, fromTicks);
    const rows = this.#statements.interruptions.all(streamId, fromTicks, toTicks);
    return (before ? [before, ...rows] : rows).map((row) => ({
      atTicks: row['at_ticks'] as number,
      cause: row['cause'] as RecordedGapCause,
    }));
  }

  /** When a stream was first interrupted or waiting; undefined when it never was. */
  firstInterruption(streamId: number): number | undefined {
    return this.#statements.firstInterruption.get(streamId)?.['at_ticks'] as number | undefined;
  }

  /** Total ticks of the segments that begin in [fromTicks, toTicks), counted up to `untilTicks`. */
  recordedTicks(streamId: number, fromTicks: number, toTicks: number, untilTicks: number): number {
    const row = this.#statements.recordedTicks.get(untilTicks, streamId, fromTicks, toTicks) as CatalogRow;
    return row['ticks'] as number;
  }

  /** Total ticks of the segments that begin in each hour of [fromTicks, toTicks); empty hours are omitted. */
  recordedHours(
    streamId: number,
    fromTicks: number,
    toTicks: number,
    hourTicks: number,
  ): { hour: number; ticks: number }[] {
    return this.#statements.recordedHours
      .all(hourTicks, streamId, fromTicks, toTicks)
      .map((row) => ({ hour: row['hour'] as number, ticks: row['ticks'] as number }));
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

/** What the names of a segment's file and object are built from. */
export interface SegmentName {
  readonly uid: string;
  readonly startTicks: number;
}

type CatalogRow = Record<string, unknown>;
type ReadName = keyof typeof statements;

const columns =
  'stream_id, start_ticks, end_ticks, segment.bytes AS bytes, init_id, index_id, is_open, is_far';

const statements = {
  identity: 'SELECT archive_id, version, is_dirty FROM archive',
  stream: 'SELECT * FROM stream WHERE uid = ?',
  streams: 'SELECT * FROM stream ORDER BY uid',
  totalBytes: 'SELECT coalesce(sum(bytes), 0) AS bytes FROM stream',
  segmentsFrom: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?
                 ORDER BY start_ticks LIMIT ?`,
  atOrBefore: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks <= ?
               ORDER BY start_ticks DESC LIMIT 1`,
  after: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks > ? ORDER BY start_ticks LIMIT 1`,
  exact: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks = ?`,
  remoteTotals: `SELECT coalesce(sum(far_segments), 0) AS segments, coalesce(sum(far_bytes), 0) AS bytes FROM stream`,
  oldestLocal: `SELECT uid, ${columns} FROM segment INDEXED BY segment_near_by_start
               JOIN stream ON stream.id = stream_id WHERE is_open = 0 AND is_far = 0 ORDER BY start_ticks LIMIT ?`,
  oldestRemote: `SELECT uid, ${columns} FROM segment INDEXED BY segment_far_by_start
              JOIN stream ON stream.id = stream_id WHERE is_far = 1 ORDER BY start_ticks LIMIT ?`,
  localClosed: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?
               AND is_open = 0 AND is_far = 0 ORDER BY start_ticks LIMIT ?`,
  localClosedTotals: `SELECT count(*) AS segments, coalesce(sum(bytes), 0) AS bytes FROM segment
                     WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ? AND is_open = 0 AND is_far = 0`,
  closedFirst: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?
                AND is_open = 0 ORDER BY start_ticks LIMIT ?`,
  closedTotals: `SELECT count(*) AS segments, coalesce(sum(bytes), 0) AS bytes,
                 coalesce(sum(end_ticks - start_ticks), 0) AS ticks FROM segment
                 WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ? AND is_open = 0`,
  open: `SELECT uid, ${columns} FROM segment INDEXED BY segment_open
         JOIN stream ON stream.id = stream_id WHERE is_open = 1 ORDER BY stream_id, start_ticks`,
  init: 'SELECT bytes FROM init WHERE id = ?',
  initLength: 'SELECT length(bytes) AS length FROM init WHERE id = ?',
  entries: 'SELECT entries FROM fragment_index WHERE id = ?',
  sums: 'SELECT sums FROM fragment_index WHERE id = ?',
  interruptions: `SELECT at_ticks, cause FROM interruption
                  WHERE stream_id = ? AND at_ticks > ? AND at_ticks < ? ORDER BY at_ticks`,
  interruptionBefore: `SELECT at_ticks, cause FROM interruption WHERE stream_id = ? AND at_ticks <= ?
                       ORDER BY at_ticks DESC LIMIT 1`,
  firstInterruption: 'SELECT at_ticks FROM interruption WHERE stream_id = ? ORDER BY at_ticks LIMIT 1',
  recordedTicks: `SELECT coalesce(sum(min(end_ticks, ?) - start_ticks), 0) AS ticks FROM segment
                  WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?`,
  recordedHours: `SELECT start_ticks / CAST(? AS INTEGER) AS hour, sum(end_ticks - start_ticks) AS ticks FROM segment
                  WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ? GROUP BY hour`,
  damage: 'SELECT stream_id, start_ticks, whole_bytes, whole_end_ticks FROM damage',
  folders: 'SELECT uid, day FROM active_folder JOIN stream ON stream.id = stream_id ORDER BY uid, day',
  pending: 'SELECT uid, start_ticks FROM pending_removal ORDER BY uid, start_ticks',
  remoteRemovals: 'SELECT uid, start_ticks FROM far_removal ORDER BY uid, start_ticks LIMIT ?',
  remoteSendings: 'SELECT uid, start_ticks FROM far_sending ORDER BY uid, start_ticks',
  remoteSending: 'SELECT 1 FROM far_sending WHERE uid = ? AND start_ticks = ?',
};

function segmentRow(row: CatalogRow): SegmentRow {
  return {
    streamId: row['stream_id'] as number,
    startTicks: row['start_ticks'] as number,
    endTicks: row['end_ticks'] as number,
    bytes: row['bytes'] as number,
    initId: row['init_id'] as number,
    indexId: row['index_id'] as number,
    isOpen: row['is_open'] === 1,
    isRemote: row['is_far'] === 1,
  };
}

function ownedSegment(row: CatalogRow): OwnedSegment {
  return { ...segmentRow(row), uid: row['uid'] as string };
}

function segmentName(row: CatalogRow): SegmentName {
  return { uid: row['uid'] as string, startTicks: row['start_ticks'] as number };
}

function streamRow(row: CatalogRow): CatalogStreamRow {
  return {
    id: row['id'] as number,
    uid: row['uid'] as string,
    segments: row['segments'] as number,
    bytes: row['bytes'] as number,
    durationTicks: row['duration_ticks'] as number,
    removedUntilTicks: row['removed_until_ticks'] as number,
    isRecording: row['is_recording'] === 1,
    remoteSegments: row['far_segments'] as number,
    farBytes: row['far_bytes'] as number,
  };
}
