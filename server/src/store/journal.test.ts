import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { JournalChange, WrittenEntry } from './journal.ts';
import type { JournalQuery } from './journal-pages.ts';
import { temporaryStore } from './store-fixture.ts';
import { newStream } from './stream-fixture.ts';
import type { Store } from './store.ts';
import { newUser } from './user-fixture.ts';

const admin = { userId: 0, isAdmin: true };

function query(members: Partial<JournalQuery> = {}): JournalQuery {
  return { streams: [], kinds: [], words: [], limit: 50, ...members };
}

function begin(uid: string | null, startMs: number, code = 'EHOSTUNREACH'): JournalChange {
  return { type: 'begin', kind: 'stream-down', uid, startMs, detail: { code } };
}

function end(uid: string | null, endMs: number): JournalChange {
  return { type: 'end', kind: 'stream-down', uid, endMs };
}

function motion(uid: string, startMs: number, endMs: number): JournalChange {
  return { type: 'put', kind: 'motion', uid, key: `${uid} ${startMs}`, startMs, endMs };
}

async function scene(t: TestContext): Promise<Store> {
  const store = await temporaryStore(t);
  await store.streams.add(newStream('gate', { name: 'Gate', tags: ['Yard'] }));
  await store.streams.add(newStream('hall', { name: 'Hall' }));
  return store;
}

async function spans(store: Store, members: Partial<JournalQuery> = {}): Promise<string[]> {
  const { items } = await store.journal.page(admin, query(members));
  return items.map(({ kind, uid, startMs, endMs }) => `${kind} ${uid} ${startMs}-${endMs}`);
}

test('[R11.3] an outage is one entry from beginning to end, however often it is reported', async (t) => {
  const store = await scene(t);
  const [added] = await store.journal.append([begin('gate', 1_000)]);
  assert.equal(added?.change, 'added');
  assert.deepEqual(await store.journal.append([begin('gate', 1_500), begin('gone', 1_500)]), []);
  assert.deepEqual(await spans(store), ['stream-down gate 1000-null']);
  const [ended] = await store.journal.append([end('gate', 9_000)]);
  assert.equal(ended?.change, 'updated');
  // An engine delivers again what a front may not have stored.
  assert.deepEqual(await store.journal.append([begin('gate', 1_000), end('gate', 9_000)]), []);
  assert.deepEqual(await spans(store), ['stream-down gate 1000-9000']);
});

test('[R11.3] hundreds of streams that go dark and come back together cost one statement each, and a few for all', async (t) => {
  const store = await temporaryStore(t);
  const uids = Array.from({ length: 200 }, (_, index) => `camera-${index}`);
  for (const uid of uids) await store.streams.add(newStream(uid, { name: uid }));
  const write = async (change: (uid: string) => JournalChange) => {
    const sent = t.mock.method(Worker.prototype, 'postMessage');
    const written = await store.journal.append(uids.map(change));
    const statements = sent.mock.callCount();
    sent.mock.restore();
    assert.ok(statements < 1.2 * uids.length, `${statements} statements`);
    return written;
  };
  assert.equal((await write((uid) => begin(uid, 1_000))).length, uids.length);
  assert.equal((await write((uid) => begin(uid, 2_000))).length, 0);
  assert.equal((await write((uid) => end(uid, 3_000))).length, uids.length);
  const resumed = await write((uid) => begin(uid, 4_000));
  assert.ok(resumed.every(({ change }) => change === 'resumed'));
});

test('[R11.3] what begins again within a minute continues its entry, counted and unreviewed; later it is another', async (t) => {
  const store = await scene(t);
  const [first] = await store.journal.append([begin('gate', 1_000), end('gate', 2_000)]);
  await store.journal.review(admin, { ids: [first?.id ?? 0], isReviewed: true });
  const [resumed] = await store.journal.append([begin('gate', 30_000), end('gate', 31_000)]);
  assert.equal(resumed?.change, 'updated');
  await store.journal.append([begin('gate', 91_001)]);
  assert.deepEqual(await spans(store), ['stream-down gate 91001-null', 'stream-down gate 1000-31000']);
  const { items } = await store.journal.page(admin, query({ toMs: 2_000 }));
  assert.deepEqual(items[0]?.detail.figures, { count: 2, lastStartTime: 30_000 });
  assert.equal(items[0]?.isReviewed, false);
});

test('[R11.3] motion that is reported again gets its later end; the hook sees what changed, and its failure undoes it', async (t) => {
  const store = await scene(t);
  const seen: string[] = [];
  let fails = false;
  store.journal.onWritten((_, entries: readonly WrittenEntry[]) => {
    seen.push(...entries.map(({ change, uid, endMs }) => `${change} ${uid} ${endMs}`));
    return fails ? Promise.reject(new Error('no')) : Promise.resolve();
  });
  await store.journal.append([motion('gate', 1_000, 2_000)]);
  await store.journal.append([motion('gate', 1_000, 4_000), motion('gate', 1_000, 4_000)]);
  assert.deepEqual(seen, ['added gate 2000', 'updated gate 4000']);
  fails = true;
  await assert.rejects(store.journal.append([motion('hall', 5_000, 6_000)]));
  assert.deepEqual(await spans(store), ['motion gate 1000-4000']);
});

test('[R11.3] entries are found by time, stream, kind, tag, text and review, in pages without loss or repetition', async (t) => {
  const store = await scene(t);
  const moments = Array.from({ length: 25 }, (_, n) =>
    motion(n % 2 ? 'hall' : 'gate', n * 1_000, n * 1_000 + 1),
  );
  await store.journal.append([...moments, begin('hall', 10_500, 'HTTP_UNAUTHORIZED')]);
  const found: string[] = [];
  let after: JournalQuery['after'];
  do {
    const page = await store.journal.page(admin, query({ limit: 10, after }));
    found.push(...page.items.map(({ kind, startMs }) => `${kind} ${startMs}`));
    after = page.next ?? undefined;
  } while (after);
  assert.equal(found.length, 26);
  assert.equal(new Set(found).size, 26);
  assert.deepEqual(
    found.toSorted((a, b) => Number(b.split(' ')[1]) - Number(a.split(' ')[1])),
    found,
  );
  assert.equal((await spans(store, { streams: ['gate'] })).length, 13);
  assert.equal((await spans(store, { streams: ['gate', 'hall'] })).length, 26);
  assert.equal((await spans(store, { tag: 'yard' })).length, 13);
  assert.deepEqual(await spans(store, { kinds: ['stream-down'] }), ['stream-down hall 10500-null']);
  assert.deepEqual(await spans(store, { words: ['unauthor', 'hall'] }), ['stream-down hall 10500-null']);
  assert.deepEqual(await spans(store, { words: ['100%'] }), []);
  assert.deepEqual(await spans(store, { fromMs: 3_000, toMs: 5_000 }), [
    'motion gate 4000-4001',
    'motion hall 3000-3001',
  ]);
  assert.deepEqual(await spans(store, { streams: ['never'] }), []);
  await store.journal.review(admin, { untilMs: 20_000, isReviewed: true });
  assert.equal((await spans(store, { isReviewed: false })).length, 4);
  assert.equal(await store.journal.countUnreviewed(admin, 100), 4);
  assert.equal(await store.journal.countUnreviewed(admin, 3), 3);
});

test('[R11.3] entries are found by their end, whenever they began; what is going on has none', async (t) => {
  const store = await scene(t);
  await store.journal.append([
    begin('gate', 1_000),
    begin('hall', 1_500),
    end('hall', 4_999),
    motion('hall', 2_000, 5_000),
    { type: 'put', kind: 'share-opened', uid: 'gate', key: 'a', startMs: 4_999, endMs: null },
    { type: 'put', kind: 'share-opened', uid: 'gate', key: 'b', startMs: 5_000, endMs: null },
    motion('hall', 8_000, 9_000),
  ]);
  assert.deepEqual(await spans(store, { endFromMs: 5_000, toMs: 8_000 }), [
    'share-opened gate 5000-null',
    'motion hall 2000-5000',
    'stream-down gate 1000-null',
  ]);
});

test('[R11.3] entries of streams that are not recorded, or whose archive a user may not watch, can be left out', async (t) => {
  const store = await scene(t);
  await store.streams.add(newStream('live', { archive: { isEnable: false, depthHours: -1 } }));
  const { id: userId } = await store.users.add(newUser('ann'));
  for (const [uid, archive] of [
    ['gate', true],
    ['hall', false],
    ['live', true],
  ] as const) {
    const { id = 0 } = (await store.streams.byUid(uid)) ?? {};
    const rights = { view: true, archive, share: false, edit: false };
    await store.permissions.replaceOfStream(id, [{ userId, rights }]);
  }
  await store.journal.append([begin('gate', 1_000), begin('hall', 2_000), begin('live', 3_000)]);
  const uidsFor = async (viewer: typeof admin) =>
    (await store.journal.page(viewer, query({ onlyRecorded: true }))).items.map(({ uid }) => uid);
  assert.deepEqual(await uidsFor(admin), ['hall', 'gate']);
  assert.deepEqual(await uidsFor({ userId, isAdmin: false }), ['gate']);
});

test('[R11.3] a user sees entries as their rights allow, and marks no others; the server is for administrators, an export for its owner', async (t) => {
  const store = await scene(t);
  const viewer = await store.users.add(newUser('ann'));
  const gate = await store.streams.byUid('gate');
  const rights = { view: true, archive: false, share: false, edit: false };
  await store.permissions.replaceOfStream(gate?.id ?? 0, [{ userId: viewer.id, rights }]);
  await store.journal.append([
    motion('gate', 1_000, 2_000),
    begin('gate', 2_000),
    begin('hall', 3_000),
    { type: 'put', kind: 'share-opened', uid: 'gate', key: 's', startMs: 4_000, endMs: null },
    {
      type: 'begin',
      kind: 'disk',
      uid: null,
      startMs: 5_000,
      detail: { code: 'data-disk-full', subject: 'a' },
    },
    { type: 'put', kind: 'export-made', uid: null, key: '1', startMs: 6_000, endMs: null, userId: viewer.id },
  ]);
  const ann = { userId: viewer.id, isAdmin: false };
  const kindsFor = async (who: typeof ann) =>
    (await store.journal.page(who, query())).items.map(({ kind, uid }) => `${kind} ${uid}`);
  assert.deepEqual(await kindsFor(ann), ['export-made null', 'stream-down gate']);
  await store.permissions.replaceOfStream(gate?.id ?? 0, [
    { userId: viewer.id, rights: { ...rights, archive: true, share: true } },
  ]);
  assert.deepEqual(await kindsFor(ann), [
    'export-made null',
    'share-opened gate',
    'stream-down gate',
    'motion gate',
  ]);
  assert.deepEqual(await kindsFor(admin), [
    'disk null',
    'share-opened gate',
    'stream-down hall',
    'stream-down gate',
    'motion gate',
  ]);
  const all = await store.journal.page(admin, query());
  await store.journal.review(ann, { ids: all.items.map(({ id }) => id), isReviewed: true });
  const unreviewed = await store.journal.page(admin, query({ isReviewed: false }));
  assert.deepEqual(
    unreviewed.items.map(({ kind, uid }) => `${kind} ${uid}`),
    ['disk null', 'stream-down hall'],
  );
  await store.permissions.replaceOfStream(gate?.id ?? 0, []);
  assert.deepEqual(await kindsFor(ann), ['export-made null']);
});

test('[R11.3] two problems of the server are two entries, each with its own end', async (t) => {
  const store = await scene(t);
  const disk = (code: string, subject: string) => ({ code, subject });
  const starts = (code: string, subject: string): JournalChange => ({
    ...{ type: 'begin', kind: 'disk', uid: null, startMs: 1_000 },
    detail: disk(code, subject),
  });
  await store.journal.append([
    starts('data-disk-full', 'a'),
    starts('data-disk-full', 'b'),
    starts('far-archive', 'a'),
  ]);
  await store.journal.append([
    { type: 'end', kind: 'disk', uid: null, detail: disk('data-disk-full', 'b'), endMs: 2_000 },
  ]);
  const open = await store.journal.open(['disk']);
  assert.deepEqual(open.map(({ entry: { detail } }) => `${detail.code} ${detail.subject}`).sort(), [
    'data-disk-full a',
    'far-archive a',
  ]);
});

test('[R11.3] the journal keeps its bounds by age, per stream and in total; what is going on stays, and a removed stream takes its entries along', async (t) => {
  const store = await scene(t);
  await store.journal.append([
    begin('gate', 1),
    ...Array.from({ length: 30 }, (_, n) => motion('gate', 100 + n, 100 + n)),
    ...Array.from({ length: 10 }, (_, n) => motion('hall', 200 + n, 200 + n)),
  ]);
  const bounds = { beforeMs: 0, perStream: 1_000, total: 1_000 };
  assert.equal(await store.journal.trim(bounds), 0);
  assert.equal(await store.journal.trim({ ...bounds, beforeMs: 105 }), 5);
  assert.equal(await store.journal.trim({ ...bounds, perStream: 11 }), 15);
  assert.equal((await spans(store, { streams: ['gate'] })).length, 11);
  assert.ok((await spans(store, { streams: ['gate'] })).includes('stream-down gate 1-null'));
  assert.equal(await store.journal.trim({ ...bounds, total: 15 }), 6);
  assert.equal((await spans(store)).length, 15);
  const { revision } = await store.journal.since(undefined);
  await store.streams.remove((await store.streams.byUid('hall'))?.id ?? 0);
  assert.equal(
    (await spans(store)).every((span) => span.includes('gate')),
    true,
  );
  // Revisions go on although the newest entries are gone.
  await store.journal.append([motion('gate', 900, 901)]);
  assert.equal((await store.journal.since(revision)).ids.length, 1);
});
