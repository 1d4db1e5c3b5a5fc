import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Database, TokenRow } from './database.ts';

export type TokenRecord = Selectable<TokenRow>;

export class Tokens {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  add(token: Insertable<TokenRow>): Promise<TokenRecord> {
    return this.#db.insertInto('tokens').values(token).returningAll().executeTakeFirstOrThrow();
  }

  bySecretHash(secretHash: string): Promise<TokenRecord | undefined> {
    return this.#db.selectFrom('tokens').selectAll().where('secret_hash', '=', secretHash).executeTakeFirst();
  }

  ofUser(userId: number): Promise<TokenRecord[]> {
    return this.#db.selectFrom('tokens').selectAll().where('user_id', '=', userId).orderBy('id').execute();
  }

  async touch(id: number, lastUsedMs: number): Promise<void> {
    await this.#db.updateTable('tokens').set({ last_used_ms: lastUsedMs }).where('id', '=', id).execute();
  }

  async remove(userId: number, id: number): Promise<boolean> {
    const row = await this.#db
      .deleteFrom('tokens')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Ends the tokens of a user, except the one to keep. Returns how many ended. */
  async removeOfUser(userId: number, keepId: number | undefined): Promise<number> {
    const rows = await this.#db
      .deleteFrom('tokens')
      .where('user_id', '=', userId)
      .$if(keepId !== undefined, (query) => query.where('id', '!=', keepId ?? 0))
      .returning('id')
      .execute();
    return rows.length;
  }
}
