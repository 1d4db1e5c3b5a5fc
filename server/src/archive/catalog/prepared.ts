import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** A prepared statement for each of the SQL texts, by the same name. */
export function prepared<Name extends string>(
  database: DatabaseSync,
  statements: Readonly<Record<Name, string>>,
): Record<Name, StatementSync> {
  const entries = Object.entries<string>(statements).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Record<Name, StatementSync>;
}
