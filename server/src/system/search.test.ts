import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addPrincipal } from '../access/user-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { AuditPages } from './audit-pages.ts';
import { Search } from './search.ts';

test('a search finds only what the caller may see, and users only for administrators', async (t) => {
  const store = await temporaryStore(t);
  const { id } = await store.streams.add(newStream('gate', { tags: ['Door'], location: { name: 'North' } }));
  await store.streams.add(newStream('gate2'));
  const ann = await addPrincipal(store, 'ann');
  const admin = await addPrincipal(store, 'gatekeeper', { isAdmin: true });
  await store.permissions.replaceOfStream(id, [
    { userId: ann.user.id, rights: { view: true, archive: false, share: false, edit: false } },
  ]);
  const search = new Search({ store });
  const gate = { kind: 'stream', id: 'gate', name: 'gate', note: 'North, Door' };
  assert.deepEqual(await search.find(ann, 'gate', 10), [gate]);
  assert.deepEqual(await search.find(ann, 'gate nothing', 10), []);
  const all = await search.find(admin, 'gate', 10);
  assert.deepEqual(
    all.map((hit) => hit.id),
    ['gate', 'gate2', 'gatekeeper'],
  );
  assert.equal((await search.find(admin, 'gate', 2)).length, 2);
});

test('a page of the audit log states whether older entries follow', async () => {
  const row = {
    id: 1,
    timeMs: 5,
    login: 'ann',
    ip: '::1',
    action: 'a',
    target: null,
    targetName: null,
    outcome: 'ok',
    details: { n: 1 },
    isMachine: false,
  };
  const pages = (rows: number) =>
    new AuditPages({ list: async ({ limit }) => Array.from({ length: Math.min(rows, limit) }, () => row) });
  const full = await pages(3).page({ limit: 2 });
  assert.deepEqual([full.items.length, full.hasMore], [2, true]);
  assert.deepEqual(full.items[0]?.details, { n: 1 });
  assert.deepEqual((await pages(2).page({ limit: 2 })).hasMore, false);
});
