import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import { administratorOf, clientOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { recordPast } from './past-footage.ts';
import { administrator, databaseOf, setUp, signIn, startServer, type TestServer } from './server.ts';
import { inStore } from './stored.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const minuteMs = 60_000;
const nowMs = Math.floor(Date.now() / minuteMs) * minuteMs;
const spans = [30, 20, 10].map((minutes) => ({
  startMs: nowMs - minutes * minuteMs,
  endMs: nowMs - minutes * minuteMs + 20_000,
}));

let dataDir: string;
let server: TestServer;
let client: Client;
let browser: Browser;
let uid: string;
let cookie: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-disaster-'));
  browser = await launchBrowser();
  server = await startServer({ dataDir });
  ({ client, cookie } = await administratorOf(server));
  ({ uid } = await client.addStream({
    body: { name: 'Gate', streamSource: 'demo:', archive: { isEnable: false, depthHours: -1 } },
  }));
  await server.stop();
  await recordPast(dataDir, uid, spans);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * Runs a command next to the server, as an operator does; without one the server itself, which is expected to
 * exit.
 */
async function vidette(...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = {
    ...process.env,
    VIDETTE_DATA: dataDir,
    VIDETTE_PORT: '0',
    VIDETTE_HOST: '127.0.0.1',
    ...(databaseOf(dataDir) === undefined ? {} : { VIDETTE_DATABASE: databaseOf(dataDir) }),
  };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output: Buffer.concat(output).toString() };
}

async function start(): Promise<void> {
  server = await startServer({ dataDir });
  client = clientOf(server, cookie);
}

async function recordedPieces(): Promise<number> {
  const from = nowMs - 60 * minuteMs;
  const { ranges } = await client.getArchiveRanges({
    params: { uid },
    query: { start_time: from, end_time: nowMs },
  });
  return ranges.filter(({ status }) => status === 'fragment').length;
}

test('[R10.3] a server whose catalog is damaged or missing starts, reports it and shows all recordings', async () => {
  for (const [name, lose] of [
    ['damaged', (file: string) => writeFile(file, 'garbage '.repeat(1000))],
    ['gone', (file: string) => rm(file)],
  ] as const) {
    await lose(join(dataDir, 'archive.sqlite'));
    await start();
    // The rebuild continues while the server runs.
    await until(recordedPieces, (pieces) => pieces === spans.length);
    assert.match(server.output, new RegExp(`catalog is ${name === 'gone' ? 'missing' : 'damaged'}`));
    await server.stop();
    assert.equal((await vidette('check')).output, 'The archive is in order.\n', name);
  }
});

test('[R3.10] a request for a truncated segment is answered immediately, and the segment becomes a gap with that cause', async () => {
  const [first] = spans;
  assert.ok(first);
  const [day, time = ''] = new Date(first.startMs).toISOString().split('T');
  const file = join(dataDir, 'archive', uid, day ?? '', `${time.slice(0, 12).replaceAll(':', '-')}.mp4`);
  const whole = await readFile(file);
  await start();
  const query = { start_time: first.startMs, end_time: first.endMs };
  const playlist = await client.getArchivePlaylist({ params: { uid }, query }).then((reply) => reply.text());
  const name = /segment\/\d+\.mp4/.exec(playlist)?.[0] ?? '';
  const url = new URL(addressOf('getArchivePlaylist', { uid }), server.url);
  const ask = (range: string) => fetch(new URL(name, url), { headers: { cookie, range } });
  assert.equal((await ask('bytes=0-999')).status, 206);
  await truncate(file, Math.floor(whole.length / 2));
  // A part that the playlist announced and that no longer exists; a reader waiting for it would reach its own
  // time limit.
  const lost = await ask(`bytes=${whole.length - 5_000}-${whole.length - 1}`);
  assert.ok(lost.status === 416 || lost.status === 404, `${lost.status}`);
  await rm(file);
  const ranges = await until(
    () => client.getArchiveRanges({ params: { uid }, query }),
    ({ gaps }) => gaps.some(({ cause }) => cause === 'file-damaged'),
  );
  assert.ok(ranges.gaps.length > 0);
  await server.stop();
  await writeFile(file, whole);
});

test('[R8.13] a deleted database next to footage keeps the setup locked until the console allows it', async () => {
  const secret = databaseOf(dataDir) === undefined ? join(dataDir, 'vidette.sqlite') : undefined;
  const kept = secret && (await readFile(secret));
  if (secret) for (const suffix of ['', '-wal', '-shm']) await rm(`${secret}${suffix}`, { force: true });
  else await inStore({ dataDir }, 'DELETE FROM users');
  await start();
  assert.doesNotMatch(server.output, /Set-up code/);
  assert.match(server.output, /allow-setup/);
  const reply = await fetch(`${server.url}/v1/system/unlock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'AAAA-AAAA', language: 'en', ...administrator }),
  });
  assert.equal(reply.status, 403);
  assert.equal(((await reply.json()) as { code: string }).code, 'SetupNotAllowed');
  const context = await newPerson(browser);
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/`);
  await page.getByRole('heading', { name: 'This server lost its database' }).waitFor();
  await page.getByText('allow-setup').waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);

  assert.equal((await vidette('allow-setup')).code, 0);
  await until(
    () => server.output,
    (output) => output.includes('Set-up code'),
  );
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await context.close();
  cookie = await setUp(server);
  client = clientOf(server, cookie);
  await server.stop();
  if (!secret || !kept) return;
  // The backup would restore this.
  for (const suffix of ['-wal', '-shm']) await rm(`${secret}${suffix}`, { force: true });
  await writeFile(secret, kept);
});

test('[R10.8] a damaged database ends startup with one line that names the remedy', async () => {
  if (databaseOf(dataDir) !== undefined) return;
  const file = join(dataDir, 'vidette.sqlite');
  const kept = await readFile(file);
  await writeFile(file, kept.subarray(0, 20_000));
  const { code, output } = await vidette();
  assert.equal(code, 1);
  assert.match(output, /^The database .*vidette\.sqlite is damaged .*vidette restore FILE.*\n$/);
  await writeFile(file, kept);
});

test('[R10.4] an empty disk in place of the old one is used after an administrator confirms it on the page', async () => {
  const dir = join(dataDir, 'archive');
  await rename(dir, `${dir}-old`);
  await mkdir(dir);
  await start();
  cookie = await signIn(server);
  client = clientOf(server, cookie);
  const context = await newPerson(browser);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/`);
  await page.getByRole('button', { name: /problem/ }).click();
  await page.getByText('The archive’s disk is empty').waitFor();
  const use = page.getByRole('button', { name: 'Use this disk from now on' });
  await use.press('Enter');
  await page.locator('button:focus', { hasText: 'Wait for the old disk' }).press('Escape');
  await page.locator('button:focus', { hasText: 'Use this disk from now on' }).press('Enter');
  await page.getByText('disappear from the timeline').waitFor();
  await page.getByRole('button', { name: 'Use this disk', exact: true }).click();
  await page.getByText('The archive’s disk is empty').waitFor({ state: 'detached' });
  await context.close();
  const query = { start_time: nowMs - 60 * minuteMs, end_time: nowMs };
  const { gaps } = await client.getArchiveRanges({ params: { uid }, query });
  assert.ok(gaps.some(({ cause }) => cause === 'disk-replaced'));
  await client.saveStream({ params: { uid }, body: { archive: { isEnable: true } } });
  await until(
    () => client.getArchiveStats({ params: { uid } }),
    ({ segments }) => segments > 0,
  );
});
