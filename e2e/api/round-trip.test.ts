import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError, type Client } from '@vidette/contract/client';
import { administratorOf, clientOf } from '../api.ts';
import { signIn, startServer, type TestServer } from '../server.ts';

const password = 'three yellow boats';
let server: TestServer;
let admin: Client;
let anna: Client;

before(async () => {
  server = await startServer();
  ({ client: admin } = await administratorOf(server));
  await admin.addUser({ body: { name: 'anna', password, maxStreamCreation: 5 } });
  anna = clientOf(server, await signIn(server, 'anna', password));
});

after(() => server?.stop());

const refusedAt = (path: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.deepEqual([error.code, error.fields[0]?.path], ['ValidationError', path]);
  assert.ok(error.fields[0]?.code);
  return true;
};

const idle = { live: { onDemand: true }, archive: { isEnable: false } };

test('[R7.4] a stream can be saved with the body from reading it; members that can’t be changed are refused at their fields', async () => {
  const body = { name: 'Gate', streamSource: 'rtsp://root:hunter2@10.255.255.1/gate', ...idle };
  const { uid } = await admin.addStream({ body });
  const params = { uid };
  const read = await admin.getStream({ params });
  const saved = await admin.saveStream({ params, body: { ...read, name: 'Gate 2' } });
  assert.deepEqual([saved.name, saved.streamSource], ['Gate 2', read.streamSource]);
  // The state of the source may have changed meanwhile.
  await admin.saveStream({
    params,
    body: { ...saved, status: saved.status === 'failed' ? 'pending' : 'failed', failureReason: 'x' },
  });
  for (const [change, path] of [
    [{ uid: 'other' }, 'uid'],
    [{ id: 999 }, 'id'],
    [{ createdBy: 'anna' }, 'createdBy'],
    [{ createdAt: 1 }, 'createdAt'],
    [{ canShare: false }, 'canShare'],
    [{ isPublic: true }, 'isPublic'],
    [{ status: 'paused' }, 'status'],
    [{ node: { id: 'elsewhere', available: true } }, 'node.id'],
  ] as const) {
    await assert.rejects(admin.saveStream({ params, body: change }), refusedAt(path));
  }
});

test('[R7.22, R7.25, R7.43] users, mosaics and bookmarks too', async () => {
  const user = await admin.getUser({ params: { login: 'anna' } });
  const renamed = { ...user, fullName: 'Anna' };
  assert.equal((await admin.saveUser({ params: { login: 'anna' }, body: renamed })).fullName, 'Anna');
  const blocked = admin.saveUser({ params: { login: 'anna' }, body: { ...user, isBlocked: true } });
  await assert.rejects(blocked, refusedAt('isBlocked'));

  const profile = await anna.getProfile();
  assert.equal((await anna.saveProfile({ body: { ...profile, fullName: 'Anna A.' } })).fullName, 'Anna A.');
  for (const [change, path] of [
    [{ isAdmin: true }, 'isAdmin'],
    [{ permissionType: 'admin' }, 'permissionType'],
    [{ maxStreamCreation: -1 }, 'maxStreamCreation'],
  ] as const) {
    await assert.rejects(anna.saveProfile({ body: { ...profile, ...change } }), refusedAt(path));
  }

  const source = { streamSource: 'udp://:9', ...idle };
  const { uid: own } = await anna.addStream({ body: { name: 'Own', ...source } });
  const { uid: lent } = await admin.addStream({ body: { name: 'Lent', ...source } });
  const share = (view: boolean) =>
    admin.saveStreamPermissions({ params: { uid: lent }, body: { items: [{ user: 'anna', view }] } });
  await share(true);
  const cell = { x: 0, y: 0, width: 1, height: 1, page: 0 };
  const layout = {
    columns: 2,
    rows: 1,
    cells: [
      { ...cell, stream: own },
      { ...cell, x: 1, stream: lent },
    ],
  };
  const { id } = await anna.addMosaic({ body: { name: 'Wall', layout } });
  await share(false);
  const seen = await anna.getMosaic({ params: { id } });
  assert.deepEqual(
    seen.layout.cells.map(({ stream }) => stream),
    [own, null],
  );
  await anna.saveMosaic({ params: { id }, body: { ...seen, name: 'Wall 2' } });
  await assert.rejects(
    anna.saveMosaic({ params: { id }, body: { ...seen, createdBy: 'admin' } }),
    refusedAt('createdBy'),
  );
  await share(true);
  const again = await anna.getMosaic({ params: { id } });
  assert.equal(again.name, 'Wall 2');
  assert.deepEqual(
    again.layout.cells.map(({ stream }) => stream),
    [own, lent],
    'what was hidden is not lost',
  );

  await anna.addBookmark({ body: { stream: own, startTime: 1_000, note: 'x' } });
  const [bookmark] = (await anna.listBookmarks()).items;
  assert.ok(bookmark);
  const params = { id: bookmark.id };
  assert.equal((await anna.saveBookmark({ params, body: { ...bookmark, note: 'y' } })).note, 'y');
  await assert.rejects(
    anna.saveBookmark({ params, body: { ...bookmark, stream: lent } }),
    refusedAt('stream'),
  );
});
