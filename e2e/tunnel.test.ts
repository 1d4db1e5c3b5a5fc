import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ApiError, type Client } from '@vidette/contract/client';
import type { ErrorCode } from '@vidette/contract/errors';
import type { TunnelStatus } from '@vidette/contract/tunnel';
import { writeLicense } from '../server/src/system/license-text.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { assertMoves } from './frame.ts';
import { startServer, type TestServer } from './server.ts';
import { freePort, TestSshd } from './sshd.ts';

// One server behind one relay, from the first visit of the screen to the expiry of the license.

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const env = { VIDETTE_LICENSE_VENDOR_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
const hourMs = 3_600_000;
/** Chromium, sshd and the server share few cores. */
const patienceMs = 60_000;

let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
let sshd: TestSshd;
let bindPort: number;
let browser: Browser;
let screen: Page;
/** Recorded from the first license that covers the tunnel; viewed through it later. */
let uid: string | undefined;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-tunnel-'));
  bindPort = await freePort();
  sshd = await TestSshd.start();
  server = await startServer({ dataDir, env });
  ({ client, cookie } = await administratorOf(server));
  browser = await launchBrowser();
  const person = await newPerson(browser);
  await signInByCookie(person, server.url, cookie);
  screen = await person.newPage();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await sshd?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

function licenseOf(lifeMs: number, features: string[]): string {
  const issuedAt = Date.now();
  return writeLicense(
    {
      version: 1,
      owner: 'ACME',
      productType: 'standard',
      issuedAt,
      expiresAt: issuedAt + lifeMs,
      maxStreams: -1,
      features,
    },
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}

const answers = (code: ErrorCode) => (error: unknown) => error instanceof ApiError && error.code === code;

function statusThat(accept: (status: TunnelStatus) => boolean): Promise<TunnelStatus> {
  return until(() => client.getTunnelStatus(), accept, patienceMs);
}

/** Waits for a text on the tunnel screen, without a reload. */
function shows(words: string): Promise<void> {
  return screen.getByText(words).first().waitFor({ timeout: patienceMs });
}

/** Presses the button, unless the next attempt comes first and removes it. */
async function tryNow(): Promise<void> {
  await screen
    .getByRole('button', { name: 'Try now' })
    .click({ timeout: 5_000 })
    .catch(() => {});
}

/** Configures the relay with its actual values, except for the given ones. */
async function configure(changes: Record<string, unknown> = {}): Promise<void> {
  const { hostKey, port, user } = sshd;
  const location = { code: 'RU', host: '127.0.0.1', port, user, hostKey, bindPort, ...changes };
  await client.saveConfiguration({ body: { values: { tunnel: { locations: [location] } } } });
}

/** Saves a license that covers the tunnel for an hour, and records a stream that is viewed through it later. */
async function licensed(): Promise<void> {
  await client.saveLicense({ body: { text: licenseOf(hourMs, ['archive', 'tunnel']) } });
  uid ??= (await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } })).uid;
}

async function openScreen(): Promise<void> {
  await screen.goto(`${server.url}/ui/administration/tunnel`);
}

/** Waits until the tunnel runs; if there is none yet, configures, authorizes and starts it without the screen. */
async function tunnelRuns(): Promise<void> {
  await licensed();
  if ((await client.getTunnelStatus()).status === 'stopped') {
    await configure();
    await sshd.authorize((await client.getTunnelStatus()).locations[0]?.authorizedKey ?? '');
    await client.startTunnel({ body: {} });
  }
  await statusThat(({ status, roundTripMs }) => status === 'running' && roundTripMs !== null);
  await until(isFarOpen, Boolean, patienceMs);
}

interface TunnelReply {
  readonly status: number;
  readonly body: string;
}

/** Sends a request through the relay, from a given loopback address. Rejects when no server listens there. */
function askFar(
  path: string,
  options: { from?: string; headers?: Record<string, string>; json?: unknown } = {},
): Promise<TunnelReply> {
  const { from = '127.0.0.1', headers = {}, json } = options;
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: bindPort,
        path,
        localAddress: from,
        method: json === undefined ? 'GET' : 'POST',
        headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        agent: false,
      },
      (reply) => {
        let body = '';
        reply.setEncoding('utf8');
        reply.on('data', (text: string) => (body += text));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
      },
    );
    asked.on('error', reject);
    asked.end(json === undefined ? undefined : JSON.stringify(json));
  });
}

function guess(from: string, headers: Record<string, string> = {}): Promise<TunnelReply> {
  return askFar('/v1/sign-in', { from, headers, json: { name: 'admin', password: 'not the password' } });
}

async function isFarOpen(): Promise<boolean> {
  return askFar('/ui/').then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** The networks for which the audit log counts failed sign-ins. */
async function guessers(): Promise<string[]> {
  const { items } = await client.listAuditLogs({ query: { action: 'signIn' } });
  return [
    ...new Set(items.filter(({ outcome }) => outcome !== 'ok').flatMap(({ details }) => networksIn(details))),
  ];
}

function networksIn({ networks }: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(networks) ? networks.map(String) : [];
}

test('[R6.7] [R6.8] without a license, and with one that does not cover it, there is no tunnel, and the screen shows which of the two applies', async () => {
  await assert.rejects(client.getTunnelStatus(), answers('LicenseExpired'));
  await assert.rejects(client.startTunnel({ body: {} }), answers('LicenseExpired'));
  await openScreen();
  await shows('The tunnel needs a valid license');
  await client.saveLicense({ body: { text: licenseOf(hourMs, ['archive']) } });
  await assert.rejects(client.getTunnelStatus(), answers('FeatureNotFound'));
  await assert.rejects(client.startTunnel({ body: {} }), answers('FeatureNotFound'));
  await shows('The license does not cover the tunnel');
  await licensed();
  await shows('Enter the address of the relay');
});

test('[R9.7] [R3.8] [R7.48] RU exists and is the default; locations that are unknown or not set up are refused', async () => {
  await licensed();
  assert.deepEqual((await client.getSettings()).tunnelLocations, ['RU']);
  const status = await client.getTunnelStatus();
  assert.deepEqual([status.status, status.location, status.url], ['stopped', null, null]);
  await assert.rejects(client.startTunnel({ body: {} }), answers('ActionNotAcceptable'));
  await assert.rejects(client.startTunnel({ body: { location: 'XX' } }), answers('NotFound'));
});

test('[R4.6] [R10.9] from the form to a running tunnel: unknown key, wrong key, refused key, each with its remedy', async () => {
  await licensed();
  await openScreen();
  await screen.getByLabel('Address', { exact: true }).fill('127.0.0.1');
  await screen.getByLabel('SSH port').fill(String(sshd.port));
  await screen.getByLabel('User').fill(sshd.user);
  await screen.getByLabel('Port', { exact: true }).fill(String(bindPort));
  await screen.getByRole('button', { name: 'Save' }).click();
  await shows('Relay has been saved');
  await screen.getByRole('button', { name: 'Start' }).click();
  await shows('This is the first connection to the relay.');
  await shows(sshd.hostKey);
  assert.doesNotMatch(sshd.log, /publickey/, 'nothing is sent to a stranger');

  const other = `SHA256:${'A'.repeat(43)}`;
  await configure({ hostKey: other });
  await shows('The relay presents a different host key than expected.');
  const changed = await statusThat(({ failureCode }) => failureCode === 'host-key-changed');
  assert.deepEqual(
    [changed.status, changed.presentedHostKey, changed.locations[0]?.hostKey],
    ['failed', sshd.hostKey, other],
  );
  assert.doesNotMatch(sshd.log, /publickey/, 'nothing is sent to a stranger');

  await screen.getByRole('button', { name: 'The key is correct: use it' }).click();
  await shows('The relay does not accept this server’s key.');
  const refused = await statusThat(({ failureCode }) => failureCode === 'key-refused');
  const line = refused.locations[0]?.authorizedKey ?? '';
  assert.equal(await screen.getByLabel('Line for authorized_keys').textContent(), line);
  await sshd.authorize(line);
  await tryNow();
  await shows('On since');
  const running = await statusThat(({ roundTripMs }) => roundTripMs !== null);
  assert.deepEqual([running.status, running.location, running.failureReason], ['running', 'RU', null]);
  assert.equal((await stat(join(dataDir, 'tunnel.key'))).mode & 0o777, 0o600);
});

/** Runs Debian's ssh with the server's own key; returns its output and exit code. */
async function sshWithTunnelKey(...words: string[]): Promise<{ code: number | null; output: string }> {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes'];
  const child = spawn(
    'ssh',
    [
      ...['-F', 'none', '-i', join(dataDir, 'tunnel.key'), '-p', String(sshd.port)],
      ...[...options, 'BatchMode=yes', 'ExitOnForwardFailure=yes'].flatMap((option) => ['-o', option]),
      ...words,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

test("[R10.9] the server's key can open only that port on the relay", async () => {
  await tunnelRuns();
  const relay = `${sshd.user}@127.0.0.1`;
  const command = await sshWithTunnelKey(relay, 'echo in$((40+2))side');
  assert.doesNotMatch(command.output, /in42side|Permission denied/);
  assert.notEqual(command.code, 0);
  const onward = await sshWithTunnelKey('-W', new URL(server.url).host, relay);
  assert.match(onward.output, /administratively prohibited/);
  const otherPort = await sshWithTunnelKey('-N', '-R', `localhost:${await freePort()}:localhost:1`, relay);
  assert.match(otherPort.output, /remote port forwarding failed/);
});

test('[R10.9] page, live video and archive through the relay, in a browser', async () => {
  await tunnelRuns();
  const params = { uid: uid ?? '' };
  const far = `http://localhost:${bindPort}`;
  const before = await client.getTunnelStatus();
  const person = await newPerson(browser);
  await signInByCookie(person, far, cookie);
  const page = await person.newPage();
  await page.goto(`${far}/ui/stream/${params.uid}/view`);
  const isPlaying = (mode: string) =>
    page
      .locator(`[data-player-state="playing"][data-player-mode="${mode}"]`)
      .waitFor({ state: 'attached', timeout: patienceMs });
  await isPlaying('live');
  await assertMoves(page);
  await until(
    () => {
      const nowMs = Date.now();
      return client.getArchiveRanges({
        params,
        query: { start_time: nowMs - hourMs, end_time: nowMs },
      });
    },
    ({ ranges }) => ranges.some(({ date, status }) => status === 'fragment' && Date.now() - date > 15_000),
    patienceMs,
  );
  await page.getByRole('button', { name: '10 seconds back' }).click();
  await isPlaying('archive');
  await assertMoves(page);
  const after = await client.getTunnelStatus();
  assert.ok(after.sentBytes - before.sentBytes > 100_000, `${after.sentBytes - before.sentBytes} bytes`);
  assert.ok(after.connectionsTotal > before.connectionsTotal);
  await person.close();
});

test('[R10.9] sign-in limits and the audit log refer to the client, and claims of the client are ignored', async () => {
  await tunnelRuns();
  for (let tries = 0; tries < 10; tries++) {
    const { status } = await guess('127.0.0.2', { 'x-forwarded-for': `10.0.0.${tries}` });
    assert.equal(status, 401);
  }
  assert.equal((await guess('127.0.0.2', { 'x-forwarded-for': '10.0.0.99' })).status, 429);
  assert.equal((await guess('127.0.0.3')).status, 401);
  await until(guessers, (networks) => networks.includes('127.0.0.3'));
  // If a proxy on the relay was declared, its header counts: the last entry, which it added itself.
  await configure({ trustProxy: true });
  await statusThat(({ status }) => status === 'running');
  await until(isFarOpen, Boolean, patienceMs);
  assert.equal((await guess('127.0.0.2', { 'x-forwarded-for': '10.0.0.1, 203.0.113.7' })).status, 401);
  const networks = await until(guessers, (found) => found.includes('203.0.113.7'));
  assert.deepEqual(networks.toSorted(), ['127.0.0.2', '127.0.0.3', '203.0.113.7']);
  await configure();
  await statusThat(({ status }) => status === 'running');
});

test('[R4.6] [R4.11] an interrupted connection recovers; an unreachable relay is shown on the screen and in the warnings', async () => {
  await tunnelRuns();
  await openScreen();
  const { reconnects } = await client.getTunnelStatus();
  await sshd.stall();
  await shows('The connection to the relay was lost.');
  const lost = await client.getTunnelStatus();
  assert.deepEqual([lost.status, lost.failureCode], ['failed', 'connection-lost']);
  sshd.wake();
  await statusThat((status) => status.reconnects > reconnects && status.status === 'running');
  await until(isFarOpen, Boolean, patienceMs);
  await sshd.cut();
  await statusThat(({ failureCode }) => failureCode === 'unreachable');
  await shows(`127.0.0.1:${sshd.port} does not answer.`);
  const reason = async () => (await client.getTunnelStatus()).failureReason;
  assert.equal(await reason(), `127.0.0.1 refused the connection on port ${sshd.port}.`);
  await client.saveProfile({ body: { language: 'ru' } });
  assert.equal(await reason(), `127.0.0.1 отклонил соединение на порту ${sshd.port}.`);
  await client.saveProfile({ body: { language: 'en' } });
  const isWarned = async () => {
    const { warnings } = await client.getHealth();
    return warnings.some(({ code, subject }) => code === 'tunnel-down' && subject === 'RU');
  };
  assert.equal(await isWarned(), true);
  await screen.reload();
  await screen.getByRole('button', { name: /problem/ }).click();
  await shows('The tunnel is down: this server can’t be reached from outside.');
  await sshd.listen();
  await tryNow();
  await shows('On since');
  assert.equal(await isWarned(), false);
});

test('[R10.9] a restarted server is reachable again, with the same key', async () => {
  await tunnelRuns();
  const { locations } = await client.getTunnelStatus();
  await server.stop();
  assert.equal(await isFarOpen(), false);
  server = await startServer({ dataDir, env });
  client = clientOf(server, cookie);
  const status = await statusThat((one) => one.status === 'running');
  assert.deepEqual(status.locations, locations);
  await until(isFarOpen, Boolean, patienceMs);
});

test('[R6.7] the license expires while the tunnel is up, and is renewed: both take effect immediately', async () => {
  await tunnelRuns();
  await client.saveLicense({ body: { text: licenseOf(4_000, ['archive', 'tunnel']) } });
  await openScreen();
  await until(
    () => client.getLicense(),
    ({ isExpired }) => isExpired,
    patienceMs,
  );
  await assert.rejects(client.getTunnelStatus(), answers('LicenseExpired'));
  await until(isFarOpen, (isOpen) => !isOpen, patienceMs);
  await shows('The tunnel needs a valid license');
  await licensed();
  await until(isFarOpen, Boolean, patienceMs);
  await shows('On since');
});

test('[R4.6] [R7.48] stopping closes the port permanently, and who did what is in the audit log', async () => {
  await tunnelRuns();
  await openScreen();
  await screen.getByRole('button', { name: 'Stop' }).click();
  await shows('This server can be reached only from its own network.');
  assert.equal((await client.getTunnelStatus()).status, 'stopped');
  assert.equal(await isFarOpen(), false);
  await until(
    async () => {
      const { items } = await client.listAuditLogs({ query: { target: 'RU', pageSize: 50 } });
      return items.map(({ action, user, outcome }) => `${action} ${user} ${outcome}`);
    },
    (entries) => entries.includes('stopTunnel admin ok') && entries.includes('startTunnel admin ok'),
  );
});
