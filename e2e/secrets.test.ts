import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { addressOf, routes, type CallName } from '@vidette/contract/routes';
import { administratorOf, clientOf } from './api.ts';
import { administrator, signIn, startServer, type TestServer } from './server.ts';

const smtpPassword = 'smtp-4b1f0c-secret';
const metricsToken = 'metrics-77aa01-secret';
const personPassword = 'person-c0ffee-secret';
const sourcePassword = 'camera-1d2e3f-secret';
const newPassword = 'changed-5a5a5a-secret';

let server: TestServer;
let dataDir: string;
let admin: Client;
/** What the server gave out once: sessions and a token. */
const given: string[] = [];
let uid: string;
/** Everything that was answered, by whom it was answered to. */
const answers = { admin: '', viewer: '' };

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-secrets-'));
  const env = { VIDETTE_SMTP_HOST: '127.0.0.1', VIDETTE_SMTP_PORT: '9', VIDETTE_LOG_LEVEL: 'debug' };
  const secrets = { VIDETTE_SMTP_PASSWORD: smtpPassword, VIDETTE_METRICS_TOKEN: metricsToken };
  server = await startServer({ dataDir, env: { ...env, ...secrets } });
  const { client, cookie } = await administratorOf(server);
  admin = client;
  given.push(secretOf(cookie));
});

after(async () => {
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

function secretOf(cookie: string): string {
  return cookie.slice(cookie.indexOf('=') + 1);
}

/** Every reading call as one person, answers and refusals together. */
async function readAll(cookie: string): Promise<string> {
  const params = { uid, login: 'person', id: '1', key: 'k'.repeat(43), file: 'index.m3u8' };
  const query = {
    url: 'demo:',
    streamId: uid,
    from: 1,
    to: 2,
    start_time: 1,
    end_time: 2,
    query: 'e',
    time: 1,
  };
  let text = '';
  for (const name of Object.keys(routes) as CallName[]) {
    if (routes[name].method !== 'GET' || /^(watch|preview|probe|getLiveFile)/.test(name)) continue;
    const exact = await fetch(server.url + addressOf(name, params), { headers: { cookie } });
    const asked = await fetch(server.url + addressOf(name, params, query), { headers: { cookie } });
    text += `${name} ${await exact.text()} ${await asked.text()}\n`;
  }
  const page = await fetch(`${server.url}/ui/streams`, { headers: { cookie } });
  return text + (await page.text());
}

test('everything that holds a secret is used', async () => {
  const person = { name: 'person', password: personPassword, email: 'person@example.org' };
  await admin.addUser({ body: person });
  const source = `rtsp://root:${sourcePassword}@127.0.0.1:9/cam`;
  ({ uid } = await admin.addStream({ body: { name: 'Secret', streamSource: source } }));
  await admin.saveStreamPermissions({
    params: { uid },
    body: { items: [{ user: 'person', view: true, archive: true }] },
  });
  const { secret } = await admin.addToken({ body: { name: 'script' } });
  given.push(secret);
  await fetch(`${server.url}/v1/streams`, { headers: { authorization: `Bearer ${secret}` } });
  await fetch(`${server.url}/v1/streams?token=${secret}`);
  await assert.rejects(admin.probeStream({ query: { url: source } }));
  await assert.rejects(admin.sendPasswordReset({ body: { email: person.email } }));
  await assert.rejects(signIn(server, 'person', `wrong-${personPassword}`));
  const cookie = await signIn(server, 'person', personPassword);
  given.push(secretOf(cookie));
  const changes = { password: newPassword, oldPassword: personPassword };
  await clientOf(server, cookie).saveProfile({ body: changes });
  answers.viewer = await readAll(cookie);
  const adminCookie = await signIn(server, administrator.name, administrator.password);
  given.push(secretOf(adminCookie));
  answers.admin = await readAll(adminCookie);
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  });
  assert.equal(metrics.status, 200);
  answers.viewer += await metrics.text();
});

test('[R7.47] no answer, log line, audit entry or metric holds one in clear', async () => {
  const { items } = await admin.listAuditLogs({ query: { pageSize: 200 } });
  assert.ok(items.length > 5);
  const typed = [administrator.password, personPassword, newPassword, smtpPassword, metricsToken];
  const places = { ...answers, log: server.output, audit: JSON.stringify(items) };
  for (const [place, text] of Object.entries(places)) {
    assert.ok(text.length > 100, place);
    for (const secret of [...typed, ...given]) assert.ok(!text.includes(secret), `${secret} in ${place}`);
  }
  for (const place of ['viewer', 'log', 'audit'] as const) {
    assert.ok(!places[place].includes(sourcePassword), `the camera's password in ${place}`);
  }
  const shown = answers.admin.split('\n').filter((line) => line.includes(sourcePassword));
  assert.deepEqual(
    shown
      .map((line) => line.split(' ', 1)[0])
      .filter((name) => name !== 'getStream' && name !== 'listStreams'),
    [],
    'a source with its login is shown to those who may edit the stream',
  );
});

test('the database holds passwords, sessions and tokens as hashes only', async () => {
  await server.stop();
  const files = (await readdir(dataDir)).filter((name) => name.startsWith('vidette.sqlite'));
  assert.ok(files.length > 0);
  for (const file of files) {
    const bytes = await readFile(join(dataDir, file));
    for (const secret of [administrator.password, personPassword, newPassword, ...given]) {
      assert.ok(!bytes.includes(secret), `${secret} in ${file}`);
    }
  }
});
