import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { routes, type Route } from '@vidette/contract/routes';
import { administratorOf, clientOf, textOf, until } from '../api.ts';
import { databaseOf, administrator, signIn, startServer, type TestServer } from '../server.ts';
import { everyRow, inStore } from '../stored.ts';

/** Secrets as users choose them, each of which may appear only where the last test allows it. */
const password = 'zebra-Umbrella-41';
const wrongPassword = 'zebra-Umbrella-42';
const newPassword = 'zebra-Umbrella-43';
const sourceUser = 'camuser7731';
const sourcePassword = 'cam!pass#8842';
const sourceKey = 'streamkey9953';
/**
 * Other places where cameras and services accept them: in a path, and under names that can't be listed in
 * advance.
 */
const pathPassword = 'path-pass-3318';
const rtmpKey = 'live_482_rtmpkey7715';
const oddParameter = 'odd-psw-2246';
const metricsToken = 'metrics-token-6620';
const smtpPassword = 'smtp-pass-5517';

let server: TestServer;
let camera: Server;
/** A camera that echoes the request in its refusal. */
let echoing: { port: number; server: TcpServer };
let admin: Client;
let adminCookie: string;
/** Secrets of the server's own: session and token secrets, the set-up code. */
const made: string[] = [];
const answers: string[] = [];

const sourceSecrets = [
  sourcePassword,
  encodeURIComponent(sourcePassword),
  sourceKey,
  pathPassword,
  rtmpKey,
  oddParameter,
];
const passwords = [administrator.password, password, wrongPassword, newPassword, metricsToken, smtpPassword];

before(async () => {
  // A camera that refuses every login: the server logs the reason from its answer.
  camera = createServer((_, response) =>
    response.writeHead(401, { 'www-authenticate': 'Basic realm="cam"' }).end(),
  );
  await new Promise<void>((resolve) => camera.listen(0, '127.0.0.1', resolve));
  const tcp = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      const [method, url] = bytes.toString().split(' ');
      const cseq = /CSeq: (\d+)/i.exec(bytes.toString())?.[1] ?? '0';
      const status = method === 'OPTIONS' ? '200 OK' : `454 No stream ${url}`;
      socket.write(`RTSP/1.0 ${status}\r\nCSeq: ${cseq}\r\n\r\n`);
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  echoing = { port: (tcp.address() as AddressInfo).port, server: tcp };
  server = await startServer({
    env: {
      VIDETTE_METRICS_TOKEN: metricsToken,
      VIDETTE_SMTP_HOST: '127.0.0.1',
      VIDETTE_SMTP_PORT: '1',
      VIDETTE_SMTP_PASSWORD: smtpPassword,
      VIDETTE_LOG_LEVEL: 'debug',
      VIDETTE_SOURCE_PROBE_SECONDS: '2',
    },
  });
  ({ client: admin, cookie: adminCookie } = await administratorOf(server));
  made.push(server.setupCode, secretOf(adminCookie));
});

after(async () => {
  await server?.stop();
  camera?.close();
  echoing?.server.close();
});

const secretOf = (cookie: string) => /=([^;]*)/.exec(cookie)?.[1] ?? '';

function sources(): string[] {
  const { port } = camera.address() as AddressInfo;
  const user = `${sourceUser}:${encodeURIComponent(sourcePassword)}@`;
  return [
    `rtsp://${user}127.0.0.1:1/live?key=${sourceKey}`,
    `http://${user}127.0.0.1:${port}/a.m3u8?token=${sourceKey}`,
    `rtmp://127.0.0.1:1/live?streamkey=${sourceKey}`,
    `rtsp://127.0.0.1:1/user=admin_password=${pathPassword}_channel=1_stream=0.sdp`,
    `rtmp://127.0.0.1:1/live/${rtmpKey}`,
    `http://127.0.0.1:${port}/${pathPassword}/video.cgi?psw=${oddParameter}`,
    `rtsp://127.0.0.1:${echoing.port}/user=admin_password=${pathPassword}_channel=1?psw=${oddParameter}`,
  ];
}

/** Sends a request unchanged and keeps the whole answer, including headers. */
async function record(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<void> {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  answers.push(`${method} ${path.split('?')[0]}: ${await textOf(response)}`);
}

let use: Promise<void> | undefined;

/** Resolves when each secret has been used in every possible way, which happens once. */
function allAreUsed(): Promise<void> {
  use ??= useAll();
  return use;
}

async function useAll(): Promise<void> {
  await admin.addUser({ body: { name: 'viewer', password, email: 'v@example.org' } });
  for (const wrong of [wrongPassword, '']) {
    await record('POST', '/v1/sign-in', {}, { name: 'viewer', password: wrong });
    await record('POST', '/v1/sign-in', {}, { name: wrong, password: wrong });
  }
  // Undeclared members may contain secrets too, by mistake; the answer names them to the sender.
  await record('POST', '/v1/sign-in', {}, { name: 'viewer', pasword: password, [password]: 1 });
  await record('POST', '/v1/stream', { cookie: adminCookie }, { name: 'x', [sourcePassword]: 1 });
  answers.splice(-2);
  const oldCookie = await signIn(server, 'viewer', password);
  await clientOf(server, oldCookie).saveProfile({ body: { password: newPassword, oldPassword: password } });
  const viewerCookie = await signIn(server, 'viewer', newPassword);
  const viewer = clientOf(server, viewerCookie);
  await record(
    'PATCH',
    '/v1/profile',
    { cookie: viewerCookie },
    { password: wrongPassword, oldPassword: password },
  );
  const token = await viewer.addToken({ body: { name: 't' } });
  made.push(secretOf(oldCookie), secretOf(viewerCookie), token.secret);
  const bearer = { authorization: `Bearer ${token.secret}` };
  await record('GET', '/v1/profile', bearer);
  await record('GET', '/v1/profile', { authorization: `Bearer ${token.secret.slice(1)}` });
  await record('POST', '/v1/password/send-reset', {}, { email: 'v@example.org' });
  await record(
    'POST',
    '/v1/password/reset',
    {},
    { email: 'v@example.org', code: 'AAAA-AAAA', password: wrongPassword },
  );
  await record('PUT', '/v1/system/license', { cookie: adminCookie }, { text: password });

  const uids: string[] = [];
  for (const [index, source] of sources().entries()) {
    const body = { name: `Cam ${index}`, streamSource: source, subStreamSource: source };
    const { uid } = await admin.addStream({ body });
    await admin.saveStreamPermissions({
      params: { uid },
      body: { items: [{ user: 'viewer', archive: true }] },
    });
    uids.push(uid);
  }
  await Promise.all(
    sources().map((source, index) =>
      record('GET', `/v1/stream/${index === 0 ? 'preview' : 'probe'}?url=${encodeURIComponent(source)}`, {
        cookie: adminCookie,
      }),
    ),
  );
  for (const [index, uid] of uids.entries()) {
    await until(
      () => admin.getStream({ params: { uid } }),
      ({ status }) => status === 'failed',
    );
    for (const path of ['', '/logs', '/stats', '/permissions', '/share', '/picture', '/live']) {
      await record('GET', `/v1/stream/${uid}${path}`, bearer);
    }
    await record('GET', `/v1/stream/${uid}/logs`, { cookie: adminCookie });
    await record('GET', `/v1/stream/${uid}/stats`, { cookie: adminCookie });
    await record(
      'PUT',
      `/v1/stream/${uid}`,
      { cookie: adminCookie },
      { streamSource: `file://${sources()[index]}` },
    );
  }
}

test('[R3.1, R3.3, R7.47] passwords, tokens and credentials are used in every possible way', async () => {
  await allAreUsed();
});

test('[R7.33, R7.46, R7.47] no answer contains one of them, for any caller', async () => {
  await allAreUsed();
  const admins = { cookie: adminCookie };
  const viewerCookie = await signIn(server, 'viewer', newPassword);
  for (const headers of [admins, { cookie: viewerCookie }, {}] as Record<string, string>[]) {
    for (const { method, path } of Object.values<Route>(routes)) {
      // An administrator may edit, and therefore sees the complete addresses in the list of streams; everything
      // else is searched.
      const isStreams = path.startsWith('/v1/streams') && headers === admins;
      if (method !== 'GET' || path.includes('{') || isStreams) continue;
      await record('GET', path, headers);
    }
    await record('GET', '/v1/system/logs?level=debug&limit=1000', headers);
    await record('GET', '/v1/admin/audit-logs?pageSize=500', headers);
    await record('GET', `/v1/streams?searchingValues=${encodeURIComponent(sourcePassword)}`, headers);
    await record('GET', `/v1/system/internal/ui/search?query=cam`, headers);
    await record('GET', '/ui/', headers);
    await record('GET', '/metrics', { ...headers, authorization: `Bearer ${metricsToken}` });
  }
  made.push(secretOf(viewerCookie));
  const viewer = clientOf(server, viewerCookie);
  for (const word of [sourceUser, ...sourceSecrets, 'channel=1', 'video.cgi', 'psw']) {
    for (const client of [viewer, admin]) {
      assert.equal((await client.listStreams({ query: { searchingValues: [word] } })).total, 0, word);
      const { items } = await client.search({ query: { query: word } });
      assert.deepEqual(items, [], word);
    }
  }
  for (const { streamSource, subStreamSource } of (await viewer.listStreams({ query: { pageSize: 100 } }))
    .items)
    assert.match(`${streamSource} ${subStreamSource}`, /^(\w+:\/\/127\.0\.0\.1) \1$/);
  for (const answer of answers) assertNone(answer, [...passwords, ...sourceSecrets, sourceUser, ...made]);
  assert.ok(answers.some((answer) => answer.includes('vidette_') && answer.startsWith('GET /metrics')));
  assert.ok(answers.some((answer) => answer.includes('HTTP_UNAUTHORIZED')));
});

test('[R10.10] no log contains one of them', async () => {
  await allAreUsed();
  assert.ok(server.output.includes('"level":'), 'the log was written');
  const logged = server.output.replaceAll(server.setupCode, '');
  assertNone(logged, [...passwords, ...sourceSecrets, sourceUser, ...made.slice(1)]);
});

test('[R3.1, R3.3] passwords and tokens are stored as hashes, and addresses sealed', async () => {
  await allAreUsed();
  await admin.listAuditLogs();
  for (const { table, row } of await everyRow(server)) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value !== 'string') continue;
      assertNone(`${table}.${column}: ${value}`, [...passwords, ...sourceSecrets, sourceUser, ...made]);
    }
  }
  const sealed = await inStore(server, 'SELECT source, sub_source FROM streams');
  assert.equal(sealed.length, sources().length);
  for (const row of sealed) {
    assert.match(String(row['source']), /^v1:[\w-]{60,}$/);
    assert.match(String(row['sub_source']), /^v1:[\w-]{60,}$/);
  }
});

test('no other user of the machine can read the stored data', async () => {
  await allAreUsed();
  const files: string[] = [];
  for (const file of await readdir(server.dataDir)) {
    if (!file.startsWith('vidette.sqlite') && file !== 'secret.key') continue;
    const { mode } = await stat(join(server.dataDir, file));
    assert.equal(mode & 0o077, 0, `${file} ${mode.toString(8)}`);
    const bytes = await readFile(join(server.dataDir, file), 'latin1');
    assertNone(bytes, [...passwords, ...sourceSecrets, sourceUser, ...made]);
    files.push(file);
  }
  const expected = databaseOf(server.dataDir) === undefined ? ['vidette.sqlite', 'vidette.sqlite-wal'] : [];
  for (const file of ['secret.key', ...expected]) assert.ok(files.includes(file), file);
});

test('[R3.3] with another key the streams stay and report what is missing; re-entered, an address works', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-secrets-'));
  let moved: TestServer | undefined;
  try {
    moved = await startServer({ dataDir });
    const before = await administratorOf(moved);
    const body = { name: 'Moved', streamSource: sources()[0] ?? '', archive: { isEnable: false } };
    const { uid } = await before.client.addStream({ body });
    await moved.stop();
    const keyFile = join(dataDir, 'secret.key');
    const key = await readFile(keyFile);
    await writeFile(keyFile, randomBytes(key.length));

    moved = await startServer({ dataDir });
    const client = clientOf(moved, before.cookie);
    const { failureReason } = await until(
      () => client.getStream({ params: { uid } }),
      ({ status }) => status === 'failed',
    );
    assert.match(failureReason ?? '', /secret\.key is not the key/);
    assert.equal((await client.listStreams({})).items[0]?.streamSource, '');
    const save = (change: { name?: string; streamSource?: string }) =>
      client.saveStream({ params: { uid }, body: change });
    await assert.rejects(save({ name: 'Renamed' }), { code: 'CREDENTIALS_ERR' });
    assert.equal((await save(body)).streamSource, body.streamSource);
  } finally {
    await moved?.stop();
    await rm(dataDir, { recursive: true });
  }
});

function assertNone(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const at = text.indexOf(secret);
    assert.equal(at, -1, `${secret} in: ${text.slice(Math.max(0, at - 300), at + 100)}`);
  }
}
