import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { selfSigned } from '../server/src/system/smtp-fixture.ts';
import { until } from './api.ts';
import { administrator, startServer, type TestServer } from './server.ts';

const [first, second] = [selfSigned(), selfSigned()];
let folder: string;
let server: TestServer;
let cookie = '';

const paths = () => ({ certificate: join(folder, 'chain.pem'), key: join(folder, 'key.pem') });

async function put(pair: { certificate: string; key: string }): Promise<void> {
  for (const part of ['certificate', 'key'] as const) {
    const path = paths()[part];
    await writeFile(`${path}.new`, pair[part]);
    await rename(`${path}.new`, path);
  }
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-tls-'));
  await put(first);
  server = await startServer({
    env: { VIDETTE_TLS_CERTIFICATE: paths().certificate, VIDETTE_TLS_KEY: paths().key },
  });
  const made = await call('POST', '/v1/system/unlock', {
    code: server.setupCode,
    language: 'en',
    ...administrator,
  });
  assert.equal(made.status, 200);
  cookie = (made.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
});

after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object, agent?: Agent) {
  const outgoing = request(server.url + path, {
    method,
    rejectUnauthorized: false,
    ...(agent ? { agent } : { agent: false as const }),
    headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
  });
  outgoing.end(body ? JSON.stringify(body) : undefined);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** The certificate presented to a new connection. */
async function shown(): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return raw.toString('base64');
}

const derOf = ({ certificate }: { certificate: string }) => certificate.replaceAll(/-----[^-]+-----|\s/g, '');

async function certificateWarning(): Promise<string | null | undefined> {
  const { text } = await call('GET', '/v1/system/health');
  const { warnings } = JSON.parse(text) as { warnings: { code: string; subject: string | null }[] };
  return warnings.find(({ code }) => code === 'tls-certificate')?.subject;
}

test('a renewed certificate is presented to new connections, and open ones continue', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  let sockets = 0;
  agent.on('free', (socket: TLSSocket) => socket.setMaxListeners(50));
  const kept = async () => {
    const before = await call('GET', '/v1/profile', undefined, agent);
    sockets = Object.values(agent.freeSockets).flat().length;
    return before.status;
  };
  assert.equal(await kept(), 200);
  const [line] = Object.values(agent.freeSockets).flat();
  assert.equal(await shown(), derOf(first));
  await put(second);
  await until(shown, (der) => der === derOf(second));
  assert.equal(await kept(), 200);
  assert.equal(sockets, 1);
  assert.equal(Object.values(agent.freeSockets).flat()[0], line, 'it is the same connection');
  agent.destroy();
});

test('unusable files cause a warning, and the previous certificate remains in use', async () => {
  await until(certificateWarning, (subject) => subject === 'expires');
  await writeFile(paths().key, 'no key');
  process.kill(server.pid, 'SIGHUP');
  await until(certificateWarning, (subject) => subject === 'unusable');
  assert.equal(await shown(), derOf(second));
  assert.match(server.output, /holds no private key/);
  await put(first);
  process.kill(server.pid, 'SIGHUP');
  await until(shown, (der) => der === derOf(first));
  await until(certificateWarning, (subject) => subject === 'expires');
});

test('browsers are told to keep using TLS, but only over TLS', async () => {
  for (const path of ['/ui/', '/v1/profile', '/nowhere']) {
    const { headers } = await call('GET', path);
    assert.equal(headers['strict-transport-security'], 'max-age=15552000', path);
  }
  const plain = await startServer();
  try {
    const reply = await fetch(`${plain.url}/ui/`);
    assert.equal(reply.headers.get('strict-transport-security'), null);
    // Without TLS there is nothing to reload, and nothing fails.
    process.kill(plain.pid, 'SIGHUP');
    process.kill(plain.pid, 'SIGHUP');
    assert.equal((await fetch(`${plain.url}/ui/`)).status, 200);
  } finally {
    await plain.stop();
  }
});

test('a start with unusable files reports in one line which and why', async () => {
  const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-tls-'));
  const wrong = join(folder, 'wrong.pem');
  await writeFile(wrong, second.key);
  try {
    for (const [certificate, key, line] of [
      [paths().certificate, wrong, /^tls: the key in \S+ does not belong to the certificate in \S+\.$/],
      [
        join(folder, 'nowhere.pem'),
        paths().key,
        /^tls\.certificate: \S+ can't be read: there is no such file\.$/,
      ],
    ] as const) {
      const child = spawn(process.execPath, [main], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          ...process.env,
          VIDETTE_PORT: '0',
          VIDETTE_HOST: '127.0.0.1',
          VIDETTE_DATA: dataDir,
          VIDETTE_TLS_CERTIFICATE: certificate,
          VIDETTE_TLS_KEY: key,
        },
      });
      let output = '';
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      assert.deepEqual(await once(child, 'close'), [1, null]);
      const said = output.split('\n').filter((text) => text !== '' && !text.startsWith('{'));
      assert.equal(said.length, 1, output);
      assert.match(said[0] ?? '', line);
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
