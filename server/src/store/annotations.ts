import type { Kysely, Transaction } from 'kysely';
import type { AnnotationRow, Database } from './database.ts';
import { rowMapping } from './row-mapping.ts';
import { streamIds } from './streams.ts';

/** An event that a detector found on a stream. Times are milliseconds since the epoch. */
export interface AnnotationRecord {
  readonly id: number;
  readonly streamId: number;
  readonly type: string;
  readonly kind: string;
  readonly startMs: number;
  /** Null: it marks a point in time. */
  readonly endMs: number | null;
  readonly note: string;
}

export type NewAnnotation = Omit<AnnotationRecord, 'id'>;

const mapping = rowMapping<AnnotationRow, AnnotationRecord>({
  id: 'id',
  streamId: 'stream_id',
  type: 'type',
  kind: 'kind',
  startMs: 'start_ms',
  endMs: 'end_ms',
  note: 'note',
});

/** Maximum number that one call returns; a detector that finds more in one span is faulty. */
const maxAnswer = 10_000;

/** An event that one of the server's own detectors found on a stream. */
export interface NoticedEvent {
  readonly uid: string;
  readonly kind: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly note: string;
}

export class Annotations {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** `db`: the transaction that also records it. */
  async add(annotation: NewAnnotation, db: Kysely<Database> = this.#db): Promise<AnnotationRecord> {
    const row = await db
      .insertInto('annotations')
      .values(mapping.row(annotation))
      .returningAll()
      .executeTakeFirstOrThrow();
    return mapping.read(row);
  }

  /**
   * Adds events, all or none; existing ones (same stream, kind and start) get the new end and note. Events of
   * removed streams are left out.
   */
  saveEvents(events: readonly NoticedEvent[]): Promise<void> {
    return this.#db.transaction().execute((db) => this.saveEventsIn(db, events));
  }

  /** The same in the transaction that also records them. */
  async saveEventsIn(db: Transaction<Database>, events: readonly NoticedEvent[]): Promise<void> {
    const ids = await streamIds(db, [...new Set(events.map(({ uid }) => uid))]);
    for (const { uid, kind, startMs, endMs, note } of events) {
      const streamId = ids.get(uid);
      if (streamId === undefined) continue;
      const { numUpdatedRows } = await db
        .updateTable('annotations')
        .set({ end_ms: endMs, note })
        .where('stream_id', '=', streamId)
        .where('start_ms', '=', startMs)
        .where('kind', '=', kind)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) continue;
      await db
        .insertInto('annotations')
        .values({ stream_id: streamId, type: 'event', kind, start_ms: startMs, end_ms: endMs, note })
        .execute();
    }
  }

  /** Deletes events of a kind that ended before a given time, by the stream's uid. */
  async removeEndedBefore(kind: string, bounds: ReadonlyMap<string, number>): Promise<void> {
    const ids = await streamIds(this.#db, [...bounds.keys()]);
    for (const [uid, beforeMs] of bounds) {
      const streamId = ids.get(uid);
      if (streamId === undefined) continue;
      await this.#db
        .deleteFrom('annotations')
        .where('stream_id', '=', streamId)
        .where('start_ms', '<', beforeMs)
        .where('end_ms', '<', beforeMs)
        .where('kind', '=', kind)
        .execute();
    }
  }

  /** Those that start between two times, oldest first. */
  async ofStream(streamId: number, fromMs: number, toMs: number): Promise<AnnotationRecord[]> {
    const rows = await this.#db
      .selectFrom('annotations')
      .selectAll()
      .where('stream_id', '=', streamId)
      .where('start_ms', '>=', fromMs)
      .where('start_ms', '<', toMs)
      .orderBy('start_ms')
      .limit(maxAnswer)
      .execute();
    return rows.map(mapping.read);
  }
}
