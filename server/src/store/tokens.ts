import type { Kysely } from 'kysely';
import type { Database, TokenRow } from './database.ts';
import { rowMapping } from './row-mapping.ts';

/** A secret that grants programs a user's access. Times are milliseconds since the epoch. */
export interface TokenRecord {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly createdMs: number;
  /** Null: it does not expire. */
  readonly expiresMs: number | null;
  /** Null: never. */
  readonly lastUsedMs: number | null;
}

export type NewToken = Omit<TokenRecord, 'id'>;

const mapping = rowMapping<TokenRow, TokenRecord>({
  id: 'id',
  userId: 'user_id',
  name: 'name',
  secretHash: 'secret_hash',
  createdMs: 'created_ms',
  expiresMs: 'expires_ms',
  lastUsedMs: 'last_used_ms',
});

export class Tokens {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async add(token: NewToken): Promise<TokenRecord> {
    const row = await this.#db
      .insertInto('tokens')
      .values(mapping.row(token))
      .returningAll()
      .executeTakeFirstOrThrow();
    return mapping.read(row);
  }

  async bySecretHash(secretHash: string): Promise<TokenRecord | undefined> {
    const row = await this.#db
      .selectFrom('tokens')
      .selectAll()
      .where('secret_hash', '=', secretHash)
      .executeTakeFirst();
    return row && mapping.read(row);
  }

  async ofUser(userId: number): Promise<TokenRecord[]> {
    const rows = await this.#db
      .selectFrom('tokens')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute();
    return rows.map(mapping.read);
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
