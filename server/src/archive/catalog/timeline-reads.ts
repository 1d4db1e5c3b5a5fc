import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CatalogReads } from './catalog-reads.ts';
import { prepared } from './prepared.ts';
import type { CatalogRow } from './segment-row.ts';

/** Also how much of the time was recorded: totals over the rows of one stream. */
export class TimelineReads extends CatalogReads {
  readonly #sums: Record<keyof typeof statements, StatementSync>;

  constructor(database: DatabaseSync) {
    super(database);
    this.#sums = prepared(database, statements);
  }

  /** When recording of the stream was first interrupted or waiting; undefined if it never was. */
  firstInterruption(streamId: number): number | undefined {
    return this.#sums.firstInterruption.get(streamId)?.['at_ticks'] as number | undefined;
  }

  /** Total ticks of the segments that begin in [fromTicks, toTicks), counted up to `untilTicks`. */
  recordedTicks(streamId: number, fromTicks: number, toTicks: number, untilTicks: number): number {
    const row = this.#sums.recordedTicks.get(untilTicks, streamId, fromTicks, toTicks) as CatalogRow;
    return row['ticks'] as number;
  }

  /** Total ticks of the segments that begin in each hour of [fromTicks, toTicks); empty hours are omitted. */
  recordedHours(
    streamId: number,
    fromTicks: number,
    toTicks: number,
    hourTicks: number,
  ): { hour: number; ticks: number }[] {
    return this.#sums.recordedHours
      .all(hourTicks, streamId, fromTicks, toTicks)
      .map((row) => ({ hour: row['hour'] as number, ticks: row['ticks'] as number }));
  }
}

const statements = {
  firstInterruption: 'SELECT at_ticks FROM interruption WHERE stream_id = ? ORDER BY at_ticks LIMIT 1',
  recordedTicks: `SELECT coalesce(sum(min(end_ticks, ?) - start_ticks), 0) AS ticks FROM segment
                  WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?`,
  recordedHours: `SELECT start_ticks / CAST(? AS INTEGER) AS hour, sum(end_ticks - start_ticks) AS ticks FROM segment
                  WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ? GROUP BY hour`,
};
