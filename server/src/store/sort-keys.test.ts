import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { keyOf, sortKeyOf } from '../base/search-key.ts';
import { openDatabase, type DatabasePlace, type OpenDatabase } from './open-database.ts';
import { sortKeyColumns } from './sort-keys.ts';
import { newTestDatabase, openStoreAt, temporaryStore } from './store-fixture.ts';
import type { Store } from './store.ts';
import { newStream } from './stream-fixture.ts';
import type { StreamQuery } from './stream-list.ts';
import { newUser } from './user-fixture.ts';

const admin = { userId: 0, isAdmin: true };
const query: StreamQuery = {
  page: 1,
  pageSize: 100,
  sort: 'name',
  descending: false,
  byTag: false,
  onlyAvailable: false,
  words: [],
};

const inOrder = [
  '2 gates',
  '10 gates',
  'Cam',
  'cam 1',
  'Cam 02',
  'Cam 2 b',
  'CAM 10',
  'Cam 10.9',
  'Cam 10.10',
  'Cam 99999999999999999999',
  'Cam 100000000000000000000',
  'Cam a',
  'Двор 2',
  'двор 10',
  'Ёлка',
];

test('[R7.1] numbers in names sort by their value, in any case and script', () => {
  const keys = inOrder.map((name) => sortKeyOf(keyOf(name)));
  assert.deepEqual(
    keys.toSorted(),
    keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
  const place = (name: string) => keys.toSorted().indexOf(sortKeyOf(keyOf(name)));
  // Letters are in the order of code points, in which ё follows я and е is before it.
  assert.deepEqual(
    inOrder.toSorted((a, b) => place(a) - place(b)),
    inOrder,
  );
  assert.equal(sortKeyOf('cam 007'), sortKeyOf('cam 7'));
  assert.equal(sortKeyOf('cam 000'), sortKeyOf('cam 0'));
  const longest = '9'.repeat(999);
  assert.ok(sortKeyOf(`1${'0'.repeat(998)}`) < sortKeyOf(longest));
});

const numbers = [10, 1, 100, 2];
const sorted = [1, 2, 10, 100];

async function fill(store: Store): Promise<void> {
  for (const number of numbers) {
    await store.streams.add(
      newStream(`s${number}`, {
        name: `Camera ${number}`,
        location: { name: `Floor ${number}` },
        tags: [`Hall ${number}`],
      }),
    );
    await store.users.add(newUser(`guard${number}`, {}));
    await store.mosaics.add({
      name: `Wall ${number}`,
      layout: { columns: 1, rows: 1, cells: [] },
      isShared: true,
      rotationSeconds: 0,
      createdBy: null,
      createdMs: 1,
    });
  }
}

async function assertSorted(store: Store): Promise<void> {
  const names = async (change: Partial<StreamQuery>) =>
    (await store.streamList.page(admin, { ...query, ...change })).items.map(({ stream }) => stream.name);
  const cameras = sorted.map((number) => `Camera ${number}`);
  assert.deepEqual(await names({}), cameras);
  assert.deepEqual(await names({ descending: true }), cameras.toReversed());
  assert.deepEqual(await names({ sort: 'status' }), cameras);
  assert.deepEqual(await names({ sort: 'location' }), cameras);
  assert.deepEqual(await names({ byTag: true }), cameras);
  assert.deepEqual(await names({ byTag: true, words: ['camera'] }), cameras);
  const pages = await Promise.all([1, 2, 3, 4].map((page) => names({ byTag: true, page, pageSize: 1 })));
  assert.deepEqual(pages.flat(), cameras);
  assert.deepEqual(
    (await store.streamList.tags(admin)).map(({ name }) => name),
    sorted.map((number) => `Hall ${number}`),
  );
  const page = { page: 1, pageSize: 10, words: [] };
  assert.deepEqual(
    (await store.users.list({ ...page, sort: 'login', descending: false })).items.map(({ login }) => login),
    sorted.map((number) => `guard${number}`),
  );
  assert.deepEqual(
    (await store.mosaics.list(admin, page)).items.map(({ name }) => name),
    sorted.map((number) => `Wall ${number}`),
  );
}

test('[R7.1] lists of streams, tags, users, mosaics and nodes are in the order of the numbers in their names', async (t) => {
  const store = await temporaryStore(t);
  await fill(store);
  await assertSorted(store);
  for (const number of numbers) await store.nodes.register(`node-${number}`, '1', 1);
  assert.deepEqual(
    (await store.nodes.all()).map(({ id }) => id),
    sorted.map((number) => `node-${number}`),
  );
  // A renamed stream moves, and a search still finds the number as it is written.
  const found = async (...words: string[]) =>
    (await store.streamList.page(admin, { ...query, words })).items.map(({ stream }) => stream.name);
  assert.deepEqual(await found('camera', '00'), ['Camera 100']);
  assert.deepEqual(await found('001'), []);
});

/** A filled database after a change that only SQL can make, opened again by this version. */
async function reopenedAfter(
  t: TestContext,
  change: (db: OpenDatabase['db']) => Promise<void>,
): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-sort-'));
  const place: DatabasePlace = await newTestDatabase(folder);
  const before = await openStoreAt(place);
  await fill(before);
  await before.close();
  const { db } = await openDatabase(place);
  await change(db);
  await db.destroy();
  const store = await openStoreAt(place);
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return store;
}

test('[R10.8] a database of the previous version is in the new order after the update', async (t) => {
  const store = await reopenedAfter(t, async (db) => {
    for (const index of ['name_sort', 'status_name_sort', 'location_sort_name_sort'])
      await db.schema.dropIndex(`streams_by_${index}_id`).execute();
    for (const { table, sort } of sortKeyColumns)
      await db.schema.alterTable(table).dropColumn(sort).execute();
    for (const columns of [
      ['status', 'name_key', 'id'],
      ['location_key', 'name_key', 'id'],
    ])
      await db.schema
        .createIndex(`streams_by_${columns.join('_')}`)
        .on('streams')
        .columns(columns)
        .execute();
    await sql`delete from kysely_migration where name = '0030_sort_keys'`.execute(db);
  });
  await assertSorted(store);
});

test('[R10.8] what a version without the order saved on the same database is in order after the next start', async (t) => {
  const store = await reopenedAfter(t, async (db) => {
    for (const { table, sort } of sortKeyColumns)
      await sql`update ${sql.table(table)} set ${sql.ref(sort)} = ''`.execute(db);
    await sql`update streams set name_sort = 'zz' where uid = 's1'`.execute(db);
  });
  await assertSorted(store);
});
