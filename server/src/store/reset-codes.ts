import type { Kysely, Selectable } from 'kysely';
import type { Database, ResetCodeRow } from './database.ts';

export type ResetCodeRecord = Selectable<ResetCodeRow>;

/** At most one code per user: a new one replaces the old. */
export class ResetCodes {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async set(code: ResetCodeRecord): Promise<void> {
    const { user_id: _, ...values } = code;
    await this.#db
      .insertInto('reset_codes')
      .values(code)
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
      .execute();
  }

  ofUser(userId: number): Promise<ResetCodeRecord | undefined> {
    return this.#db.selectFrom('reset_codes').selectAll().where('user_id', '=', userId).executeTakeFirst();
  }

  /** Counts one more try and returns how many there are now. */
  async addTry(userId: number): Promise<number> {
    const row = await this.#db
      .updateTable('reset_codes')
      .set((of) => ({ tries: of('tries', '+', 1) }))
      .where('user_id', '=', userId)
      .returning('tries')
      .executeTakeFirst();
    return row?.tries ?? 0;
  }

  /** Returns whether there was one: of two simultaneous removals only one gets true. */
  async remove(userId: number): Promise<boolean> {
    const row = await this.#db
      .deleteFrom('reset_codes')
      .where('user_id', '=', userId)
      .returning('user_id')
      .executeTakeFirst();
    return row !== undefined;
  }
}
