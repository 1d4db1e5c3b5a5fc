import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { keyOf } from '../base/search-key.ts';

/** The conjunction of all conditions; true when there are none. */
export function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql`1 = 1` : sql`(${sql.join(conditions, sql` and `)})`;
}

/** Every word is found in at least one of the columns, which hold lower-case text. */
export function containsAll(columns: readonly string[], words: readonly string[]): RawBuilder<SqlBool> {
  const wanted = words.map((word) => word.trim()).filter((word) => word !== '');
  return allOf(
    wanted.map((word) => {
      // No stored text contains NUL, which ends a pattern in SQLite and is an error in PostgreSQL.
      if (word.includes('\0')) return sql<SqlBool>`1 = 0`;
      const pattern = `%${keyOf(word).replace(/[\\%_]/g, '\\$&')}%`;
      const tests = columns.map((column) => sql`${sql.ref(column)} like ${pattern} escape '\\'`);
      return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
    }),
  );
}
