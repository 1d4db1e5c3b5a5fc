import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from '../api.ts';
import { signIn, startServer, type TestServer } from '../server.ts';

const password = 'three yellow boats';

let server: TestServer;
let admin: Client;
let anna: Client;

before(async () => {
  server = await startServer({
    env: { VIDETTE_APP_TITLE: 'Harbour', VIDETTE_NODE_ID: 'pier-1', VIDETTE_SMTP_HOST: 'mail.example.org' },
  });
  ({ client: admin } = await administratorOf(server));
  await admin.addUser({ body: { name: 'anna', password } });
  anna = clientOf(server, await signIn(server, 'anna', password));
});

after(() => server?.stop());

test('[R7.30, R3.8] the settings: fewer for anonymous callers, and fewer for a user than for an administrator', async () => {
  const visitor = await clientOf(server, '').getSettings();
  const user = await anna.getSettings();
  const full = await admin.getSettings();
  assert.deepEqual(
    [visitor, user, full].map(({ appTitle, isLocked, passwordResetAllowed }) => [
      appTitle,
      isLocked,
      passwordResetAllowed,
    ]),
    Array.from({ length: 3 }, () => ['Harbour', false, true]),
  );
  assert.deepEqual([visitor.version, visitor.nodeID, visitor.features], ['', null, []]);
  assert.deepEqual([visitor.command, user.command, full.command], ['', '', 'npm run vidette --']);
  assert.deepEqual([user.version !== '', user.nodeID, user.smtpServerHost], [true, 'pier-1', null]);
  assert.deepEqual(
    [full.smtpServerHost, full.smtpServerPort, full.smtpServerProtected],
    ['mail.example.org', 587, true],
  );
  const { archiveDownloadMaxSeconds, playlistMaxSeconds, rangesMaxSeconds, archiveMaxDepthHours } = full;
  assert.deepEqual(
    [archiveDownloadMaxSeconds, playlistMaxSeconds, rangesMaxSeconds, archiveMaxDepthHours],
    [3_600, 604_800, 10_800, -1],
  );
});

test('[R7.29, R3.9] health reports the version, and to each user only the streams that they may view', async () => {
  const source = 'rtsp://127.0.0.1:1/none';
  const { uid } = await admin.addStream({ body: { name: 'Dead', streamSource: source } });
  const { warnings, version } = await until(
    () => admin.getHealth(),
    (health) => health.warnings.length > 0,
  );
  assert.equal(version, (await admin.getSettings()).version);
  assert.deepEqual(
    warnings.map(({ code, subject }) => [code, subject]),
    [['stream-not-recording', uid]],
  );
  assert.deepEqual((await anna.getHealth()).warnings, []);
  await admin.deleteStream({ params: { uid }, query: { purge: true } });
  assert.deepEqual((await admin.getHealth()).warnings, []);
});

test('[R7.33] logs by level, text, and only new entries', async () => {
  const { items } = await admin.getSystemLogs({ query: { level: 'debug' } });
  assert.ok(items.length > 0);
  const ids = items.map((line) => line.id);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  const last = ids.at(-1) ?? 0;
  assert.deepEqual(
    (await admin.getSystemLogs({ query: { after: last, search: 'no line has this' } })).items,
    [],
  );
  const { items: grave } = await admin.getSystemLogs({ query: { level: 'warn' } });
  assert.ok(grave.every(({ level }) => level === 'warn' || level === 'error'));
  assert.ok((await admin.getSystemLogs({ query: { level: 'debug', limit: 1 } })).items.length <= 1);
});

test('[R7.31] search finds only what the user may see, and returns no more than requested', async () => {
  for (const name of ['Quay north', 'Quay south', 'Crane']) {
    const archive = { isEnable: false };
    await admin.addStream({ body: { name, streamSource: 'udp://:9', live: { onDemand: true }, archive } });
  }
  const namesOf = async (query: string, limit = 20) =>
    (await admin.search({ query: { query, limit } })).items.map((item) => item.name);
  assert.deepEqual(await namesOf('quay'), ['Quay north', 'Quay south']);
  assert.deepEqual(await namesOf('QUAY sou'), ['Quay south']);
  assert.deepEqual(await namesOf('quay', 1), ['Quay north']);
  assert.deepEqual(await namesOf('quay crane'), []);
  await assert.rejects(namesOf('  '), { code: 'ValidationError' });
});

test('[R7.37] without a cluster, this node is the only one to choose from', async () => {
  assert.deepEqual((await anna.listNodeChoices()).items, [{ id: 'pier-1', name: 'pier-1', available: true }]);
});

test('[R7.47] the audit log by user, action, target and time, page by page, each entry once', async () => {
  const startMs = Date.now();
  const { id: mosaic } = await anna.addMosaic({
    body: { name: 'Wall', layout: { columns: 1, rows: 1, cells: [] } },
  });
  await anna.deleteMosaic({ params: { id: mosaic } });
  await assert.rejects(anna.addStream({ body: { name: 'x', streamSource: 'demo:' } }), { code: 'Forbidden' });
  const list = async (query: Parameters<Client['listAuditLogs']>[0]) =>
    (await admin.listAuditLogs(query)).items.map(({ user, action, target, outcome }) => [
      user,
      action,
      target,
      outcome,
    ]);
  assert.deepEqual(await list({ query: { user: 'anna', from: startMs } }), [
    ['anna', 'addStream', null, 'Forbidden'],
    ['anna', 'deleteMosaic', String(mosaic), 'ok'],
    ['anna', 'addMosaic', String(mosaic), 'ok'],
  ]);
  assert.deepEqual(await list({ query: { action: 'deleteMosaic', target: String(mosaic) } }), [
    ['anna', 'deleteMosaic', String(mosaic), 'ok'],
  ]);
  assert.deepEqual(await list({ query: { user: 'anna', to: startMs - 60_000 } }), []);
  const whole = (await admin.listAuditLogs({ query: { pageSize: 500 } })).items.map(({ id }) => id);
  const paged: number[] = [];
  for (let before: number | undefined; ; before = paged.at(-1)) {
    const { items, hasMore } = await admin.listAuditLogs({ query: { pageSize: 2, before } });
    paged.push(...items.map(({ id }) => id));
    if (!hasMore) break;
  }
  assert.deepEqual(paged, whole);
});

test('[R7.47] attempts of strangers do not fill the log, and unknown names are not stored', async () => {
  const countOf = async () => (await admin.listAuditLogs({ query: { pageSize: 500 } })).items.length;
  const before = await countOf();
  const post = (path: string, body: object) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const path of ['/v1/stream', '/v1/user', '/v1/mosaic']) await post(path, { ['k'.repeat(100_000)]: 1 });
  assert.equal(await countOf(), before);
  await post('/v1/sign-in', { name: 'my password 123', password });
  await post('/v1/sign-in', { name: 'anna', password: 'wrong' });
  const { items } = await admin.listAuditLogs({ query: { action: 'signIn', pageSize: 2 } });
  assert.deepEqual(
    items.map(({ user, outcome }) => [user, outcome]),
    [
      ['anna', 'AuthorizationFailed'],
      [null, 'AuthorizationFailed'],
    ],
  );
});

test('[R7.47] a disabled log answers AuditLogsDisabled', async () => {
  const silent = await startServer({ env: { VIDETTE_AUDIT_ENABLED: 'false' } });
  try {
    const { client } = await administratorOf(silent);
    await assert.rejects(client.listAuditLogs(), { code: 'AuditLogsDisabled' });
  } finally {
    await silent.stop();
  }
});
