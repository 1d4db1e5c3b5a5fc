import type { Insertable, Kysely, Selectable } from 'kysely';
import type { AnnotationRow, Database } from './database.ts';

export type AnnotationRecord = Selectable<AnnotationRow>;

/** The most that one call answers; a detector that finds more in one span is broken. */
const maxAnswer = 10_000;

export class Annotations {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  add(annotation: Insertable<AnnotationRow>): Promise<AnnotationRecord> {
    return this.#db.insertInto('annotations').values(annotation).returningAll().executeTakeFirstOrThrow();
  }

  /** Those that begin between two moments, oldest first. */
  ofStream(streamId: number, fromMs: number, toMs: number): Promise<AnnotationRecord[]> {
    return this.#db
      .selectFrom('annotations')
      .selectAll()
      .where('stream_id', '=', streamId)
      .where('start_ms', '>=', fromMs)
      .where('start_ms', '<', toMs)
      .orderBy('start_ms')
      .limit(maxAnswer)
      .execute();
  }
}
