import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from '../api.ts';
import { startServer, type TestServer } from '../server.ts';

let server: TestServer;
let admin: Client;
let cookie: string;
let uid: string;

before(async () => {
  server = await startServer();
  ({ client: admin, cookie } = await administratorOf(server));
  const body = {
    name: 'Gate',
    streamSource: 'rtsp://root:hunter2@10.255.255.1/gate',
    live: { onDemand: true },
    archive: { isEnable: false },
  };
  ({ uid } = await admin.addStream({ body }));
});

after(() => server?.stop());

const entriesOf = async (action: string) => (await admin.listAuditLogs({ query: { action } })).items;

test('[R7.47] changes are recorded with old and new values, secrets hidden', async () => {
  const password = 'three yellow boats';
  await admin.addUser({ body: { name: 'anna', password } });
  await admin.saveStream({ params: { uid }, body: { name: 'Gate 2', archive: { depthHours: 24 } } });
  await admin.saveStream({
    params: { uid },
    body: { streamSource: 'rtsp://root:hunter3@10.255.255.1/gate' },
  });
  const [secret, saved] = await entriesOf('saveStream');
  assert.deepEqual(saved?.details, { changes: { name: ['Gate', 'Gate 2'], 'archive.depthHours': [-1, 24] } });
  assert.deepEqual(secret?.details, { changes: { streamSource: ['***', '***'] } });
  await admin.saveUser({
    params: { login: 'anna' },
    body: { maxStreamCreation: 3, password: 'four yellow boats' },
  });
  assert.deepEqual((await entriesOf('saveUser'))[0]?.details, {
    changes: { maxStreamCreation: [0, 3], password: ['***', '***'] },
  });
  await admin.saveStreamPermissions({ params: { uid }, body: { items: [{ user: 'anna', archive: true }] } });
  assert.deepEqual((await entriesOf('saveStreamPermissions'))[0]?.details, {
    changes: { anna: [null, ['view', 'archive']] },
  });
  await admin.saveConfiguration({
    body: { values: { app: { title: 'Pier' }, smtp: { password: 'keep it secret' } } },
  });
  const [configured] = await entriesOf('saveConfiguration');
  assert.deepEqual(configured?.details['changes'], {
    'app.title': ['Vidette', 'Pier'],
    'smtp.password': [null, '***'],
  });
  await admin.getConfiguration();
  assert.equal((await entriesOf('getConfiguration')).length, 1);
  const all = JSON.stringify((await admin.listAuditLogs({ query: { pageSize: 500 } })).items);
  assert.doesNotMatch(all, /hunter|yellow boats|keep it secret/);
});

test('[R7.9, R7.47] a public link is created only deliberately, recorded, and shown in lists', async () => {
  const params = { uid };
  // Not with Node's fetch, which sends its own mode.
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      get(`${server.url}/v1/stream/${uid}/share`, { headers: { cookie, ...headers } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      }).once('error', reject);
    });
  await assert.rejects(admin.getStreamShare({ params, query: { create: false } }), { code: 'NotFound' });
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch' },
    { referer: 'https://elsewhere.example/' },
    { origin: 'https://elsewhere.example' },
  ] as Record<string, string>[]) {
    assert.equal(await ask(headers), 403, JSON.stringify(headers));
  }
  assert.equal((await admin.getStream({ params })).isPublic, false);
  assert.equal((await entriesOf('getStreamShare')).filter(({ outcome }) => outcome === 'ok').length, 0);
  const { url } = await admin.getStreamShare({ params });
  assert.equal((await admin.getStreamShare({ params, query: { create: false } })).url, url);
  const [noted, ...more] = await entriesOf('getStreamShare');
  assert.deepEqual([noted?.target, noted?.user, more], [uid, 'admin', []]);
  assert.deepEqual(
    (await admin.listStreams({ query: { onlyPublic: true } })).items.map(({ isPublic }) => isPublic),
    [true],
  );
  await admin.revokeStreamShare({ params });
  assert.equal((await admin.listStreams({ query: { onlyPublic: true } })).total, 0);
  assert.deepEqual((await entriesOf('revokeStreamShare'))[0]?.details, {
    changes: { isPublic: [true, false] },
  });
});

test('[R7.47] a download that is refused is recorded with the span that was requested', async () => {
  const query = { start_time: 1_000, end_time: 2_000, timezone_offset: 180 };
  await assert.rejects(admin.downloadArchive({ params: { uid }, query }), { code: 'NotFound' });
  const [entry] = await entriesOf('downloadArchive');
  assert.deepEqual([entry?.target, entry?.outcome, entry?.details], [uid, 'NotFound', query]);
});

test('[R7.47] watching is recorded once, with its start', async () => {
  const { WebSocket } = await import('ws');
  const watch = async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/stream/${uid}/live`, {
      headers: { cookie, origin: server.url },
    });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.close();
  };
  for (let turn = 0; turn < 3; turn++) await watch();
  const entries = await until(
    () => entriesOf('watchStream'),
    (items) => items.length > 0,
  );
  assert.equal(entries.length, 1);
  assert.deepEqual([entries[0]?.user, entries[0]?.target, entries[0]?.outcome], ['admin', uid, 'ok']);
  assert.ok(Number(entries[0]?.details['startTime']) > 0);
});
