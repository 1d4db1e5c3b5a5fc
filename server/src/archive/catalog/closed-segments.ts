import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { prepared } from './prepared.ts';
import {
  type CatalogRow,
  columns,
  type OwnedSegment,
  ownedSegment,
  type SegmentRow,
  segmentRow,
} from './segment-row.ts';

/** Closed segments by age: those that retention may delete, the uploader may move, and verification checks. */
export class ClosedSegments {
  readonly #statements: Record<keyof typeof statements, StatementSync>;

  constructor(database: DatabaseSync) {
    this.#statements = prepared(database, statements);
  }

  /** The oldest closed segments on the disk, of all streams. */
  oldestLocal(limit: number): OwnedSegment[] {
    return this.#statements.oldestLocal.all(limit).map(ownedSegment);
  }

  /** Closed segments on the disk that follow one, of all streams, by start. */
  localAfter(
    { startTicks, streamId }: Pick<SegmentRow, 'startTicks' | 'streamId'>,
    limit: number,
  ): OwnedSegment[] {
    return this.#statements.localAfter.all(startTicks, streamId, limit).map(ownedSegment);
  }

  /** The oldest segments in the bucket, of all streams. */
  oldestRemote(limit: number): OwnedSegment[] {
    return this.#statements.oldestRemote.all(limit).map(ownedSegment);
  }

  /** Closed segments on the disk that start in [fromTicks, beforeTicks), oldest first. */
  local(streamId: number, fromTicks: number, beforeTicks: number, limit: number): SegmentRow[] {
    return this.#statements.local.all(streamId, fromTicks, beforeTicks, limit).map(segmentRow);
  }

  /** Their number and bytes. */
  localTotals(streamId: number, fromTicks: number, beforeTicks: number): { segments: number; bytes: number } {
    const row = this.#statements.localTotals.get(streamId, fromTicks, beforeTicks) as CatalogRow;
    return { segments: row['segments'] as number, bytes: row['bytes'] as number };
  }

  /** The oldest closed segments of one stream that start at or after `fromTicks` and end at or before `beforeTicks`. */
  before(streamId: number, fromTicks: number, beforeTicks: number, limit: number): SegmentRow[] {
    const rows = this.#statements.from.all(streamId, fromTicks, beforeTicks, limit).map(segmentRow);
    return rows.filter((row) => row.endTicks <= beforeTicks);
  }

  /** Number, bytes and total duration of those that start in [fromTicks, beforeTicks). */
  totals(
    streamId: number,
    fromTicks: number,
    beforeTicks: number,
  ): { segments: number; bytes: number; durationTicks: number } {
    const row = this.#statements.totals.get(streamId, fromTicks, beforeTicks) as CatalogRow;
    return {
      segments: row['segments'] as number,
      bytes: row['bytes'] as number,
      durationTicks: row['ticks'] as number,
    };
  }
}

const statements = {
  oldestLocal: `SELECT uid, ${columns} FROM segment INDEXED BY segment_near_by_start
               JOIN stream ON stream.id = stream_id WHERE is_open = 0 AND is_far = 0 ORDER BY start_ticks LIMIT ?`,
  localAfter: `SELECT uid, ${columns} FROM segment INDEXED BY segment_near_by_start
               JOIN stream ON stream.id = stream_id WHERE is_open = 0 AND is_far = 0
               AND (start_ticks, stream_id) > (?, ?) ORDER BY start_ticks, stream_id LIMIT ?`,
  oldestRemote: `SELECT uid, ${columns} FROM segment INDEXED BY segment_far_by_start
              JOIN stream ON stream.id = stream_id WHERE is_far = 1 ORDER BY start_ticks LIMIT ?`,
  local: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?
               AND is_open = 0 AND is_far = 0 ORDER BY start_ticks LIMIT ?`,
  localTotals: `SELECT count(*) AS segments, coalesce(sum(bytes), 0) AS bytes FROM segment
                     WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ? AND is_open = 0 AND is_far = 0`,
  from: `SELECT ${columns} FROM segment WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?
                AND is_open = 0 ORDER BY start_ticks LIMIT ?`,
  totals: `SELECT count(*) AS segments, coalesce(sum(bytes), 0) AS bytes,
                 coalesce(sum(end_ticks - start_ticks), 0) AS ticks FROM segment
                 WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ? AND is_open = 0`,
};
