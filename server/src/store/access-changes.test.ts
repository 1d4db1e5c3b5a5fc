import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { AccessChange } from './access-changes.ts';
import { openTestStore } from './store-fixture.ts';
import type { Store } from './store.ts';
import { newStream } from './stream-fixture.ts';
import { newUser } from './user-fixture.ts';

// On SQLite, or with VIDETTE_TEST_POSTGRES on PostgreSQL.

let folder: string;
let store: Store;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-access-'));
  store = await openTestStore(folder);
});

after(async () => {
  await store?.close();
  await rm(folder, { recursive: true });
});

/** The changes recorded from now on: each call returns those since the last one, without duplicates. */
async function newsFromNow(): Promise<() => Promise<AccessChange[]>> {
  let { mark } = await store.accessChanges.since(undefined);
  return async () => {
    const found = await store.accessChanges.since(mark);
    mark = found.mark;
    assert.ok(found.changes);
    const seen = new Map(found.changes.map((change) => [JSON.stringify(change), change]));
    return [...seen.values()];
  };
}

const rights = { view: true, archive: false, share: false, edit: false };

test('[R4.4] the database records every change of access rights, and nothing else', async () => {
  assert.equal((await store.accessChanges.since(undefined)).changes, undefined);
  const news = await newsFromNow();
  const user = await store.users.add(newUser('guard'));
  const stream = await store.streams.add(newStream('gate'));
  await store.sessions.add({
    id: 's1',
    secretHash: 'h1',
    userId: user.id,
    createdMs: 1,
    lastSeenMs: 1,
    ip: '',
    userAgent: '',
  });
  const token = await store.tokens.add({
    userId: user.id,
    name: 't',
    secretHash: 'h2',
    createdMs: 1,
    expiresMs: null,
    lastUsedMs: null,
  });
  assert.deepEqual(await news(), [], 'what is new takes nothing away');
  await store.users.touch(user.id, 5);
  await store.sessions.touch('s1', 5, '10.0.0.1');
  await store.tokens.touch(token.id, 5);
  await store.streams.setPaused(stream.id, true);
  assert.deepEqual(await news(), [], 'being seen is no change');

  const ofUser = { userId: user.id, streamUid: null };
  const ofBoth = { userId: user.id, streamUid: 'gate' };
  const ofStream = { userId: null, streamUid: 'gate' };
  await store.permissions.replaceOfStream(stream.id, [{ userId: user.id, rights }]);
  assert.deepEqual(await news(), [ofBoth]);
  await store.permissions.replaceOfUser(user.id, []);
  assert.deepEqual(await news(), [ofBoth]);
  await store.users.save(user.id, { isBlocked: true });
  assert.deepEqual(await news(), [ofUser]);
  await store.users.save(user.id, { mustChangePassword: true });
  assert.deepEqual(await news(), [ofUser]);
  await store.tokens.remove(user.id, token.id);
  assert.deepEqual(await news(), [ofUser]);
  await store.sessions.remove(user.id, 's1');
  assert.deepEqual(await news(), [ofUser]);
  await store.streams.makeShareKey(stream.id, 'key');
  assert.deepEqual(await news(), [ofStream]);
  await store.streams.removeShareKey(stream.id);
  assert.deepEqual(await news(), [ofStream]);
  await store.streams.remove(stream.id, { purge: false });
  assert.deepEqual(await news(), [ofStream]);
  await store.users.remove(user.id);
  assert.deepEqual(await news(), [ofUser]);
  await store.accessChanges.prune();
  assert.deepEqual(await news(), []);
});
