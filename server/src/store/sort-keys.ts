import { sql, type Kysely } from 'kysely';
import { sortKeyOf } from '../base/search-key.ts';

/** The columns that names are sorted by, each with the column of `keyOf(name)` that it is made from. */
export const sortKeyColumns = [
  { table: 'streams', key: 'name_key', sort: 'name_sort' },
  { table: 'streams', key: 'location_key', sort: 'location_sort' },
  { table: 'stream_tags', key: 'tag_key', sort: 'tag_sort' },
  { table: 'mosaics', key: 'name_key', sort: 'name_sort' },
  { table: 'users', key: 'login_key', sort: 'login_sort' },
] as const;

/** Names per statement: two parameters each, of which SQLite takes 32 766. */
const batchSize = 500;

/**
 * Writes the sort keys that are missing or stale: all of them when the columns are new, and those of names that a
 * version without these columns saved while it ran on the same database. Otherwise it only reads.
 */
export async function renewSortKeys<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const { table, key, sort } of sortKeyColumns) {
    const { rows } = await sql<{ key: string; sort: string }>`
      select distinct ${sql.ref(key)} as "key", ${sql.ref(sort)} as "sort" from ${sql.table(table)}`.execute(
      db,
    );
    const stale = new Map<string, string>();
    for (const row of rows) {
      const wanted = sortKeyOf(row.key);
      if (row.sort !== wanted) stale.set(row.key, wanted);
    }
    const pairs = [...stale].map(([name, wanted]) => sql`(${name}, ${wanted})`);
    for (let start = 0; start < pairs.length; start += batchSize) {
      await sql`with renewed (name, wanted) as (values ${sql.join(pairs.slice(start, start + batchSize))})
        update ${sql.table(table)} set ${sql.ref(sort)} = renewed.wanted from renewed
        where renewed.name = ${sql.ref(`${table}.${key}`)}`.execute(db);
    }
  }
}
