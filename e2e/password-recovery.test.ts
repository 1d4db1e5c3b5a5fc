import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  smtpPassword,
  smtpUser,
  startSmtpServer,
  type TestSmtpServer,
} from '../server/src/system/smtp-fixture.ts';
import { until } from './api.ts';
import { administrator, setUp, signIn, startServer, type TestServer } from './server.ts';

let smtp: TestSmtpServer;
let server: TestServer;
let folder: string;

before(async () => {
  smtp = await startSmtpServer();
  folder = await mkdtemp(join(tmpdir(), 'vidette-ca-'));
  const certificate = join(folder, 'smtp.pem');
  await writeFile(certificate, smtp.certificate);
  server = await startServer({
    env: {
      NODE_EXTRA_CA_CERTS: certificate,
      VIDETTE_SMTP_HOST: '127.0.0.1',
      VIDETTE_SMTP_PORT: String(smtp.port),
      VIDETTE_SMTP_USER: smtpUser,
      VIDETTE_SMTP_PASSWORD: smtpPassword,
    },
  });
});

after(async () => {
  await server?.stop();
  await smtp?.stop();
  await rm(folder, { recursive: true });
});

function post(path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('[R2.3, R7.20, R7.21, R8.12] a forgotten password is reset with a code sent by e-mail', async () => {
  const cookie = await setUp(server);
  const { email } = administrator;
  const sent = await post('/v1/password/send-reset', { email });
  assert.deepEqual([sent.status, sent.headers.get('retry-after')], [200, '60']);
  const again = await post('/v1/password/send-reset', { email });
  assert.equal(again.status, 429);
  assert.match(again.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  const unknown = await post('/v1/password/send-reset', { email: 'unknown@example.org' });
  assert.deepEqual([unknown.status, unknown.headers.get('retry-after')], [200, '60']);
  assert.deepEqual(await unknown.json(), await sent.json());

  const received = await until(
    () => smtp.emails[0],
    (received) => received !== undefined,
  );
  assert.equal(received?.to, email);
  const password = 'another battery staple';
  const wrong = await post('/v1/password/reset', { email, code: 'AAAA-AAAA', password });
  assert.equal(((await wrong.json()) as { code: string }).code, 'UnknownLifetimeCode');
  const reset = await post('/v1/password/reset', { email, code: received?.code, password });
  assert.equal(reset.status, 200);
  const old = await fetch(`${server.url}/v1/profile`, { headers: { cookie } });
  assert.equal(old.status, 401);
  assert.ok(await signIn(server, administrator.name, password));
  const codes = smtp.emails.filter(({ code }) => code !== '');
  assert.equal(codes.length, 1);
});
