import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeIndex, type IndexedPosition } from '../segments/segments.ts';
import type { RecordedGapCause } from './catalog-schema.ts';
import { prepared } from './prepared.ts';
import {
  type CatalogRow,
  columns,
  type OwnedSegment,
  ownedSegment,
  type SegmentRow,
  segmentRow,
} from './segment-row.ts';

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
 * Streams, their segments and gaps: the queries that every part of the archive needs. Like every query of the
 * catalog, each uses one index and reads no more rows than it returns or adds up (bench/catalog.ts measures
 * them on 5.2 million rows).
 */
export class CatalogReads {
  readonly #database: DatabaseSync;
  readonly #statements: Record<keyof typeof statements, StatementSync>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepared(database, statements);
  }

  /** Runs `read` on a consistent snapshot of the catalog. */
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

  /** Bytes of all footage, and the part of it that is in object storage. */
  totals(): { bytes: number; remoteSegments: number; remoteBytes: number } {
    const row = this.#statements.totals.get() as CatalogRow;
    return {
      bytes: row['bytes'] as number,
      remoteSegments: row['far_segments'] as number,
      remoteBytes: row['far_bytes'] as number,
    };
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

  openSegments(): OwnedSegment[] {
    return this.#statements.open.all().map(ownedSegment);
  }

  /** ftyp and moov of a segment. @throws RangeError when the catalog lacks them. */
  init(initId: number): Uint8Array {
    const row = this.#statements.init.get(initId);
    if (!row) throw new RangeError(`the catalog has no init segment ${initId}`);
    return row['bytes'] as Uint8Array;
  }

  initLength(initId: number): number {
    const row = this.#statements.initLength.get(initId);
    if (!row) throw new RangeError(`the catalog has no init segment ${initId}`);
    return row['length'] as number;
  }

  /** The positions of a segment's fragments, oldest first. `initBytes` is the length of its init. */
  fragments(segment: SegmentRow, initBytes: number): IndexedPosition[] {
    return decodeIndex(this.fragmentEntries(segment), segment.startTicks, initBytes);
  }

  /** The same in stored form (see fragment-index.ts). */
  fragmentEntries(segment: SegmentRow): Uint8Array {
    const row = this.#statements.entries.get(segment.indexId);
    if (!row) throw new RangeError(`the catalog has no fragment index ${segment.indexId}`);
    return row['entries'] as Uint8Array;
  }

  /** The checksums of a segment's fragments in stored form (see fragment-sums.ts). */
  fragmentSums(segment: SegmentRow): Uint8Array {
    const row = this.#statements.sums.get(segment.indexId);
    if (!row) throw new RangeError(`the catalog has no fragment index ${segment.indexId}`);
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
}

const statements = {
  identity: 'SELECT archive_id, version, is_dirty FROM archive',
  stream: 'SELECT * FROM stream WHERE uid = ?',
  streams: 'SELECT * FROM stream ORDER BY uid',
  totals: `SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(far_segments), 0) AS far_segments,
           coalesce(sum(far_bytes), 0) AS far_bytes FROM stream`,
  open: `SELECT uid, ${columns} FROM segment INDEXED BY segment_open
         JOIN stream ON stream.id = stream_id WHERE is_open = 1 ORDER BY stream_id, start_ticks`,
  segmentsFrom: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?
                 ORDER BY start_ticks LIMIT ?`,
  atOrBefore: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks <= ?
               ORDER BY start_ticks DESC LIMIT 1`,
  after: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks > ? ORDER BY start_ticks LIMIT 1`,
  exact: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks = ?`,
  init: 'SELECT bytes FROM init WHERE id = ?',
  initLength: 'SELECT length(bytes) AS length FROM init WHERE id = ?',
  entries: 'SELECT entries FROM fragment_index WHERE id = ?',
  sums: 'SELECT sums FROM fragment_index WHERE id = ?',
  interruptions: `SELECT at_ticks, cause FROM interruption
                  WHERE stream_id = ? AND at_ticks > ? AND at_ticks < ? ORDER BY at_ticks`,
  interruptionBefore: `SELECT at_ticks, cause FROM interruption WHERE stream_id = ? AND at_ticks <= ?
                       ORDER BY at_ticks DESC LIMIT 1`,
};

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
