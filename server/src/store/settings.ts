import type { Kysely } from 'kysely';
import { bumpVersion } from './cluster-tables.ts';
import type { Database } from './database.ts';

/** Single values that the server stores for itself, as JSON by key. */
export class StoredSettings {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** The stored value, not validated: its writer knows the shape. */
  async get(key: string): Promise<unknown> {
    const row = await this.#db
      .selectFrom('settings')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirst();
    return row === undefined ? undefined : (JSON.parse(row.value) as unknown);
  }

  /** All stored values whose key has this prefix, by the rest of their key. */
  async below(prefix: string): Promise<Map<string, unknown>> {
    const rows = await this.#db
      .selectFrom('settings')
      .selectAll()
      .where('key', '>=', prefix)
      .where('key', '<', `${prefix}\u{ffff}`)
      .orderBy('key')
      .execute();
    return new Map(rows.map(({ key, value }) => [key.slice(prefix.length), JSON.parse(value) as unknown]));
  }

  /** Removes and returns the stored value: of two simultaneous callers only one gets it. */
  async take(key: string): Promise<unknown> {
    const row = await this.#db
      .deleteFrom('settings')
      .where('key', '=', key)
      .returning('value')
      .executeTakeFirst();
    return row === undefined ? undefined : (JSON.parse(row.value) as unknown);
  }

  async set(key: string, value: unknown): Promise<void> {
    const json = JSON.stringify(value);
    await this.#db.transaction().execute(async (db) => {
      await db
        .insertInto('settings')
        .values({ key, value: json })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: json }))
        .execute();
      await bumpVersion(db);
    });
  }
}
