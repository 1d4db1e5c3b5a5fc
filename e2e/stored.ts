import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { Client } from 'pg';
import { databaseOf, type TestServer } from './server.ts';

type StoredRow = Record<string, unknown>;

/**
 * Runs SQL in a running server's database, on either engine; values replace `?`. Counts and times are returned
 * as numbers.
 */
export async function inStore(
  { dataDir }: Pick<TestServer, 'dataDir'>,
  sql: string,
  ...values: (string | number)[]
): Promise<StoredRow[]> {
  const url = databaseOf(dataDir);
  return url === undefined ? inSqlite(dataDir, sql, values) : inPostgres(url, sql, values);
}

/** The complete content of a server's database, row by row. */
export async function everyRow(
  server: Pick<TestServer, 'dataDir'>,
): Promise<{ table: string; row: StoredRow }[]> {
  const tables =
    databaseOf(server.dataDir) === undefined
      ? await inStore(server, `SELECT name FROM sqlite_master WHERE type = 'table'`)
      : await inStore(server, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
  const found: { table: string; row: StoredRow }[] = [];
  for (const { name } of tables) {
    const table = String(name);
    for (const row of await inStore(server, `SELECT * FROM "${table}"`)) found.push({ table, row });
  }
  return found;
}

function inSqlite(dataDir: string, sql: string, values: (string | number)[]): StoredRow[] {
  const database = new DatabaseSync(join(dataDir, 'vidette.sqlite'));
  database.exec('PRAGMA busy_timeout = 5000');
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

async function inPostgres(url: string, sql: string, values: (string | number)[]): Promise<StoredRow[]> {
  const client = new Client(url);
  await client.connect();
  try {
    let place = 0;
    const { rows } = await client.query<StoredRow>(
      sql.replace(/\?/g, () => `$${++place}`),
      values,
    );
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, numeric(value)])),
    );
  } finally {
    await client.end();
  }
}

function numeric(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}
