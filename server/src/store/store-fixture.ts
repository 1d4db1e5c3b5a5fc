import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import { Store } from './store.ts';

/**
 * An empty store for a test: on SQLite in a new folder, or, if `VIDETTE_TEST_POSTGRES` gives the address of a
 * server's `postgres` database, in a new database there.
 */
export async function openTestStore(folder: string): Promise<Store> {
  const redact = (source: string) => source.replace(/\/\/.*@/, '//');
  const server = process.env['VIDETTE_TEST_POSTGRES'];
  if (!server) return Store.open({ file: join(folder, 'vidette.db'), redact });
  const database = basename(folder).toLowerCase().replaceAll('-', '_');
  const client = new Client(server);
  await client.connect();
  await client.query(`create database ${client.escapeIdentifier(database)}`);
  await client.end();
  return Store.open({ url: server.replace('/postgres?', `/${database}?`), folder, redact });
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
