import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { openDatabase } from './open-database.ts';

/** A database of this version that a later one has used since. */
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

test('[R10.8] if a later version has changed existing tables, an earlier one reports it and does not start', async (t) => {
  const file = await usedByLater(t, () => '9999_later');
  await assert.rejects(openDatabase({ file }), {
    code: 'Unavailable',
    message: /newer version.*update the server/,
  });
});

async function newDatabase(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-damage-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'vidette.sqlite');
  await (await openDatabase({ file })).db.destroy();
  return file;
}

const damages: [string, (file: string) => Promise<void> | void][] = [
  ['text', (file) => writeFile(file, 'no database '.repeat(1000))],
  ['cut', async (file) => truncate(file, 40_000)],
  [
    'overwritten in places',
    async (file) => {
      const bytes = await readFile(file);
      for (let at = 4096; at < bytes.length; at += 8192) bytes.fill(0x5a, at, at + 4096);
      await writeFile(file, bytes);
    },
  ],
  ...['permissions', 'grants', 'session_proofs', 'failed_attempts', 'access_changes'].map(
    (table): [string, (file: string) => void] => [
      `without the table ${table}`,
      (file) => {
        const database = new DatabaseSync(file);
        database.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`);
        database.close();
      },
    ],
  ),
];

for (const [name, damage] of damages) {
  test(`[R10.8] a database that is ${name} is refused with a message that names the remedy`, async (t) => {
    const file = await newDatabase(t);
    await damage(file);
    const before = await readFile(file);
    await assert.rejects(openDatabase({ file }), {
      name: 'Fault',
      code: 'Unavailable',
      message: /vidette restore FILE/,
    });
    if (!name.startsWith('without')) assert.deepEqual(await readFile(file), before);
  });
}

test('[R10.8] before its tables change a database is copied, and the newest three copies are kept', async (t) => {
  const file = await newDatabase(t);
  const folder = join(file, '..');
  for (const step of ['0001_a', '0002_b', '0003_c']) await writeFile(`${file}.before-${step}`, '');
  assert.deepEqual(
    await readdir(folder).then((names) => names.filter((name) => name.includes('before-0')).length),
    3,
  );
  const steps = () => {
    const database = new DatabaseSync(file);
    const rows = database.prepare('SELECT name FROM kysely_migration ORDER BY name').all();
    database.close();
    return rows.map((row) => String(row['name']));
  };
  const all = steps();
  // As the previous version left it: its last step only adds, and is undone here manually.
  const database = new DatabaseSync(file);
  database.exec(`DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration);
    UPDATE settings SET value = value`);
  database.close();
  const last = all.at(-1) ?? '';
  // The table that the step adds exists already: the step fails, the database is unchanged, and the copy is
  // named.
  await assert.rejects(openDatabase({ file }), {
    code: 'Unavailable',
    message: new RegExp(`kept as .*vidette\\.sqlite\\.before-${last}`),
  });
  assert.deepEqual(steps(), all.slice(0, -1));
  const names = (await readdir(folder)).filter((name) => name.includes('.before-')).sort();
  assert.deepEqual(
    names.map((name) => name.split('.before-')[1]),
    ['0002_b', '0003_c', last],
  );
  const copy = new DatabaseSync(`${file}.before-${last}`, { readOnly: true });
  assert.deepEqual(
    copy
      .prepare('SELECT name FROM kysely_migration ORDER BY name')
      .all()
      .map((row) => row['name']),
    all.slice(0, -1),
  );
  copy.close();
});
