import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ApiError, type Client } from '@vidette/contract/client';
import type { Export } from '@vidette/contract/entities';
import type { Browser } from 'playwright-core';
import { administratorOf, clientOf, until } from './api.ts';
import { consoleErrorsOf, launchBrowser } from './browser.ts';
import { recorded, recordedFor, runTool } from './footage.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { signIn, startServer, type TestServer } from './server.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
// Packages are made of many small files, so that there is something to continue with.
const env = { VIDETTE_ARCHIVE_DOWNLOAD_MAX_SECONDS: '3', VIDETTE_EXPORT_MIN_FREE_BYTES: '0' };
const password = 'three yellow boats';

let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
let camera: FakeCamera;
let browser: Browser;
let streams: string[];
let span: { startTime: number; endTime: number };

before(async () => {
  camera = await startFakeCamera({ clip: await encodeClip({ framesPerSecond: 20 }) });
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-exports-'));
  server = await startServer({ dataDir, env });
  ({ client, cookie } = await administratorOf(server));
  const added = ['Gate', 'Двор'].map((name) =>
    client.addStream({ body: { name, streamSource: camera.url } }),
  );
  streams = (await Promise.all(added)).map(({ uid }) => uid);
  for (const uid of streams) await recordedFor(client, uid, 8_000);
  const [fragment] = await recorded(client, streams[0] ?? '');
  assert.ok(fragment);
  span = { startTime: Math.ceil(fragment.startMs) - 2_000, endTime: Math.floor(fragment.endMs) };
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await camera?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

function isFault(code: string): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.code === code;
}

function ready(by: Client, id: number): Promise<Export> {
  return until(
    () => by.getExport({ params: { id } }),
    ({ status }) => status === 'ready',
    60_000,
  );
}

/** Downloads a package as a ZIP, and unpacks it next to that. */
async function fetched(t: TestContext, by: Client, id: number): Promise<{ zip: string; folder: string }> {
  const place = await mkdtemp(join(tmpdir(), 'vidette-package-'));
  t.after(() => rm(place, { recursive: true, force: true }));
  const zip = join(place, 'package.zip');
  const response = await by.downloadExport({ params: { id } });
  await writeFile(zip, new Uint8Array(await response.arrayBuffer()));
  const folder = join(place, 'unpacked');
  execFileSync('python3', ['-m', 'zipfile', '-e', zip, folder], {
    env: { ...process.env, PYTHONUTF8: '1' },
  });
  return { zip, folder };
}

/** `vidette verify`, as run without a server. */
async function verify(...args: string[]): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(process.execPath, [main, 'verify', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output: Buffer.concat(output).toString() };
}

/** The findings about a folder of the page in the package, without any network. */
async function verdictOfPage(folder: string): Promise<{ state: string | null; text: string }> {
  const context = await browser.newContext({ locale: 'en-GB', offline: true });
  try {
    const page = await context.newPage();
    const consoleErrors = consoleErrorsOf(page);
    await page.goto(pathToFileURL(join(folder, 'verify.html')).href);
    await page.locator('#folder').setInputFiles(folder);
    await page.locator('#verdict[data-state]').waitFor({ timeout: 60_000 });
    assert.deepEqual(consoleErrors, []);
    const text = await page.locator('main').innerText();
    return { state: await page.locator('#verdict').getAttribute('data-state'), text };
  } finally {
    await context.close();
  }
}

test('a longer span of several streams becomes one signed package, verified by a command and by its own page', async (t) => {
  const { id, expectedBytes } = await client.addExport({ body: { streams, ...span, name: 'Theft' } });
  const made = await ready(client, id);
  assert.ok(made.bytes > expectedBytes / 2);
  assert.ok(
    made.streams.every(({ files, durationMs, gapMs }) => files >= 3 && durationMs > 6_000 && gapMs >= 0),
  );
  const { zip, folder } = await fetched(t, client, id);

  const byCommand = await verify(zip, made.fingerprint);
  assert.equal(byCommand.exitCode, 0, byCommand.output);
  assert.match(byCommand.output, /Gate: \d+ files, .*\n {2}\S+ to \S+ (none|waiting)\n/);
  assert.match(byCommand.output, /The package is complete and unchanged/);
  assert.equal((await verify(folder)).exitCode, 0);
  assert.equal((await verify(zip, 'another-key')).exitCode, 1);

  const byPage = await verdictOfPage(folder);
  assert.equal(byPage.state, 'good', byPage.text);
  assert.ok(byPage.text.includes(made.fingerprint));

  const files = execFileSync('find', [folder, '-name', '*.mp4'], { encoding: 'utf8' }).trim().split('\n');
  for (const file of files) {
    const { stdout, stderr } = await runTool('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'format=duration',
      file,
    ]);
    assert.equal(stderr, '');
    // A second at least, of which the last frame may be a millisecond short.
    assert.match(stdout, /duration=(0\.9|[1-3])/);
  }
  await appendFile(files[0] ?? '', 'x');
  assert.equal((await verify(folder)).exitCode, 1);
  const after = await verdictOfPage(folder);
  assert.equal(after.state, 'bad');
  assert.match(after.text, /has another length/);
});

test('a server that is killed with exports in progress continues them at the next start', async (t) => {
  const asked = await Promise.all(
    [1, 2, 3].map((turn) => client.addExport({ body: { streams, ...span, name: `Turn ${turn}` } })),
  );
  await server.kill();
  server = await startServer({ dataDir, env });
  client = clientOf(server, cookie);
  for (const { id } of asked) await ready(client, id);
  const { zip } = await fetched(t, client, asked[2]?.id ?? 0);
  const { exitCode, output } = await verify(zip);
  assert.equal(exitCode, 0, output);
  for (const { id } of asked) await client.deleteExport({ params: { id } });
  const { items } = await client.listExports({ query: {} });
  assert.ok(!items.some(({ id }) => asked.some((other) => other.id === id)));
});

test('an export requires the right on each of its streams, when requested and when downloaded, and is visible only to its owner', async () => {
  const [gate = '', yard = ''] = streams;
  await client.addUser({ body: { name: 'anna', password, maxStreamCreation: 0 } });
  const anna = clientOf(server, await signIn(server, 'anna', password));
  const allow = (uid: string, archive: boolean) =>
    client.saveStreamPermissions({
      params: { uid },
      body: { items: [{ user: 'anna', view: true, archive }] },
    });
  await allow(gate, true);
  await allow(yard, false);
  await assert.rejects(anna.addExport({ body: { streams, ...span } }), isFault('Forbidden'));
  const { id } = await anna.addExport({ body: { streams: [gate], ...span } });
  await ready(anna, id);
  await assert.rejects(client.getExport({ params: { id } }), isFault('NotFound'));
  await assert.rejects(client.downloadExport({ params: { id } }), isFault('NotFound'));
  await anna.downloadExport({ params: { id } }).then((response) => response.arrayBuffer());
  await allow(gate, false);
  await assert.rejects(anna.downloadExport({ params: { id } }), isFault('Forbidden'));
  const { items } = await client.listAuditLogs({ query: { user: 'anna' } });
  assert.ok(items.some(({ action, outcome }) => action === 'addExport' && outcome === 'ok'));
  assert.ok(items.some(({ action, outcome }) => action === 'downloadExport' && outcome === 'Forbidden'));
});

test('[R9.3] an export is at most as long as a playlist, and impossible requests are refused', async () => {
  const weekMs = 604_800_000;
  const endTime = span.endTime;
  await assert.rejects(
    client.addExport({ body: { streams, startTime: endTime - weekMs - 1, endTime } }),
    isFault('TimeRangeIsTooLong'),
  );
  await assert.rejects(
    client.addExport({ body: { streams, startTime: endTime, endTime } }),
    isFault('ValidationError'),
  );
  const extent = await client.getArchiveExtent({
    params: { uid: streams[0] ?? '' },
    query: { start_time: span.startTime, end_time: span.endTime },
  });
  assert.ok(extent.bytes > 0 && extent.durationMs > 6_000);
  // The time before recording began is no gap.
  assert.ok(extent.gaps.every(({ startTime }) => startTime > span.startTime));
});
