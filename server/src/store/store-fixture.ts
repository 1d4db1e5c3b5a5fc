import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import type { DatabasePlace } from './open-database.ts';
import { Store } from './store.ts';

/**
 * An empty database for a test: on SQLite in a new folder, or, if `VIDETTE_TEST_POSTGRES` gives the address of a
 * server's `postgres` database, a new database there.
 */
export async function newTestDatabase(folder: string): Promise<DatabasePlace> {
  const server = process.env['VIDETTE_TEST_POSTGRES'];
  if (!server) return { file: join(folder, 'vidette.db') };
  const database = basename(folder).toLowerCase().replaceAll('-', '_');
  const client = new Client(server);
  await client.connect();
  await client.query(`create database ${client.escapeIdentifier(database)}`);
  await client.end();
  return { url: server.replace('/postgres?', `/${database}?`), folder };
}

/** An empty store for a test, in a database of `newTestDatabase`. */
export async function openTestStore(folder: string): Promise<Store> {
  return openStoreAt(await newTestDatabase(folder));
}

/** The store in this database. */
export function openStoreAt(place: DatabasePlace): Promise<Store> {
  return Store.open({ ...place, redact: (source) => source.replace(/\/\/.*@/, '//') });
}

/** An empty store for one test, removed after it. */
export async function temporaryStore(t: TestContext): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-store-'));
  const store = await openTestStore(folder);
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return store;
}
