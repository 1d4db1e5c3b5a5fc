import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { openDatabase } from './open-database.ts';

/** A database of this version, which a later one has used since. */
async function usedByLater(t: TestContext, floor: (present: string) => string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-versions-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'vidette.sqlite');
  await (await openDatabase({ file })).db.destroy();
  const later = new DatabaseSync(file);
  later.exec(`alter table streams add column later text not null default ''`);
  later.exec(`insert into kysely_migration values ('9999_later', '2030-01-01')`);
  const row = later.prepare(`select value from settings where key = 'schema.floor'`).get();
  const present = JSON.parse(String(row?.['value'])) as string;
  later
    .prepare(`update settings set value = ? where key = 'schema.floor'`)
    .run(JSON.stringify(floor(present)));
  later.close();
  return file;
}

test('[R10.8] a version starts on the database of a later one whose steps only add', async (t) => {
  const file = await usedByLater(t, (present) => present);
  const { db } = await openDatabase({ file });
  assert.deepEqual(await db.selectFrom('streams').selectAll().execute(), []);
  await db.destroy();
});

test('[R10.8] where a later version has changed what was there, an earlier one says so and does not start', async (t) => {
  const file = await usedByLater(t, () => '9999_later');
  await assert.rejects(openDatabase({ file }), { code: 'Unavailable', message: /newer version.*update it/ });
});
