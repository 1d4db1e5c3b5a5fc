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
    // An object for each row would double the cost of reading it.
    for (const name of ['content', 'spans'] as const) this.#sums[name].setReturnArrays(true);
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

  /**
   * The segments that begin in [fromTicks, toTicks): where the first begins and the last ends, and the total of their
   * lengths. Undefined if there are none.
   */
  recordedContent(streamId: number, fromTicks: number, toTicks: number): RecordedContent | undefined {
    const row = this.#sums.content.get(streamId, fromTicks, toTicks) as unknown as readonly (number | null)[];
    const [startTicks, endTicks, ticks] = row;
    if (typeof startTicks !== 'number' || typeof endTicks !== 'number') return undefined;
    return { startTicks, endTicks, ticks: ticks ?? 0 };
  }

  /** Where each of these segments begins and ends, oldest first. */
  recordedSpans(
    streamId: number,
    fromTicks: number,
    toTicks: number,
  ): { readonly startTicks: number; readonly endTicks: number }[] {
    const rows = this.#sums.spans.all(streamId, fromTicks, toTicks) as unknown as readonly [number, number][];
    return rows.map(([startTicks, endTicks]) => ({ startTicks, endTicks }));
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

/** Sums over the segments of a span; catalog ticks. */
export interface RecordedContent {
  readonly startTicks: number;
  readonly endTicks: number;
  /** Without the gaps between them. */
  readonly ticks: number;
}

const statements = {
  firstInterruption: 'SELECT at_ticks FROM interruption WHERE stream_id = ? ORDER BY at_ticks LIMIT 1',
  recordedTicks: `SELECT coalesce(sum(min(end_ticks, ?) - start_ticks), 0) AS ticks FROM segment
                  WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?`,
  content: `SELECT min(start_ticks), max(end_ticks), sum(end_ticks - start_ticks) FROM segment
            WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?`,
  spans: `SELECT start_ticks, end_ticks FROM segment WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ?
          ORDER BY start_ticks`,
  recordedHours: `SELECT start_ticks / CAST(? AS INTEGER) AS hour, sum(end_ticks - start_ticks) AS ticks FROM segment
                  WHERE stream_id = ? AND start_ticks >= ? AND start_ticks < ? GROUP BY hour`,
};
