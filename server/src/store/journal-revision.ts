import type { Kysely } from 'kysely';
import type { Database } from './database.ts';

/** Beside the entries: the newest of them may be deleted, and numbers must never be used twice. */
const revisionKey = 'journal.revision';

/** The revision of the newest write; 0 before the first. */
export async function newestRevision(db: Kysely<Database>): Promise<number> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', revisionKey)
    .executeTakeFirst();
  return row === undefined ? 0 : Number(row.value);
}

/** To be called in the transaction that writes the entries. */
export async function saveRevision(db: Kysely<Database>, revision: number): Promise<void> {
  const value = String(revision);
  await db
    .insertInto('settings')
    .values({ key: revisionKey, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
