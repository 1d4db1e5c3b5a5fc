import type { Kysely } from 'kysely';
import type { Database, ResetCodeRow } from './database.ts';
import { rowMapping } from './row-mapping.ts';

/** A code that was sent to a user for setting a new password. */
export interface ResetCodeRecord {
  readonly userId: number;
  /** SHA-256, hex. */
  readonly codeHash: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
  /** Number of attempts so far. */
  readonly tries: number;
}

const mapping = rowMapping<ResetCodeRow, ResetCodeRecord>({
  userId: 'user_id',
  codeHash: 'code_hash',
  expiresMs: 'expires_ms',
  tries: 'tries',
});

/** At most one code per user: a new one replaces the old. */
export class ResetCodes {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async set(code: ResetCodeRecord): Promise<void> {
    const { userId: _, ...values } = code;
    await this.#db
      .insertInto('reset_codes')
      .values(mapping.row(code))
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(mapping.columns(values)))
      .execute();
  }

  async ofUser(userId: number): Promise<ResetCodeRecord | undefined> {
    const row = await this.#db
      .selectFrom('reset_codes')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row && mapping.read(row);
  }

  /** Counts one more attempt and returns how many there are now. */
  async addTry(userId: number): Promise<number> {
    const row = await this.#db
      .updateTable('reset_codes')
      .set((of) => ({ tries: of('tries', '+', 1) }))
      .where('user_id', '=', userId)
      .returning('tries')
      .executeTakeFirst();
    return row?.tries ?? 0;
  }

  /** Returns whether there was one: of two simultaneous removals only one returns true. */
  async remove(userId: number): Promise<boolean> {
    const row = await this.#db
      .deleteFrom('reset_codes')
      .where('user_id', '=', userId)
      .returning('user_id')
      .executeTakeFirst();
    return row !== undefined;
  }
}
