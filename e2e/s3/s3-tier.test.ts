import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '../../server/src/base/clock.ts';
import { S3ObjectStore } from '../../server/src/s3/s3-object-store.ts';
import type { Client } from '@vidette/contract/client';
import type { ArchiveStats } from '@vidette/contract/entities';
import { administratorOf, clientOf, until } from '../api.ts';
import { recordPast } from '../past-footage.ts';
import { shownFrame } from '../frame.ts';
import { startServer, type TestServer } from '../server.ts';
import { TestEnv } from '../test-env.ts';
import { SwiftStore } from './swift.ts';

// Old footage in a real store: OpenStack Swift behind its S3 interface, one server, one browser.

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const run = promisify(execFile);
const WAIT_MS = 60_000;
/** End of the footage that is older than an hour; the next file reaches that age only in some minutes. */
const borderMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000 - 1_000;

let store: SwiftStore;
let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
/** The client of the first server that has the bucket. */
let testEnv: TestEnv;
/** Recorded in the past; its camera no longer exists. */
let past: string;
/** Currently recorded. */
let present: string;
let pastBefore: string;
let printed = '';

const onOutput = (text: string) => (printed += text);
const start = (): Promise<TestServer> => startServer({ dataDir, env: store.env, onOutput });

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-far-'));
  [store] = await Promise.all([SwiftStore.start(), recordBefore()]);
  server = await start();
  client = clientOf(server, cookie);
  testEnv = await TestEnv.over(server, cookie);
  pastBefore = await seen(past, borderMs - 30_000, borderMs + 60_000);
});

/** Recorded by a server without a bucket: two adjacent files at the boundary. */
async function recordBefore(): Promise<void> {
  const first = await startServer({ dataDir });
  ({ client, cookie } = await administratorOf(first));
  const body = { name: 'Yard', streamSource: 'rtsp://127.0.0.1:1/gone' };
  ({ uid: past } = await client.addStream({ body }));
  ({ uid: present } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:?fps=5' } }));
  // The next start trusts its clock because of today's footage: without it the past would be too young to move.
  await until(
    () => statsOf(present),
    ({ bytes }) => bytes > 0,
    WAIT_MS,
  );
  await first.stop();
  const spans = [
    { startMs: borderMs - 58_000, endMs: borderMs },
    { startMs: borderMs, endMs: borderMs + 300_000 },
  ];
  await recordPast(dataDir, past, spans, { segmentMs: 600_000 });
}

after(async () => {
  await testEnv?.close();
  await server?.stop();
  await store?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, { headers: { cookie, ...headers } });
}

/** Everything a viewer gets of a range: the playlist with all the bytes in it, a download, a snapshot. */
async function seen(uid: string, startMs: number, endMs: number): Promise<string> {
  const hash = createHash('sha256');
  const of = `/v1/stream/${uid}/archive`;
  const span = `start_time=${startMs}&end_time=${endMs}`;
  const playlist = await (await get(`${of}/index.m3u8?${span}`)).text();
  hash.update(playlist);
  let pieces = 0;
  for (const [, length, offset, file] of playlist.matchAll(
    /BYTERANGE:(\d+)@(\d+)\n(?:#.*\n)*(segment\/\S+)/g,
  )) {
    const range = `bytes=${offset}-${Number(offset) + Number(length) - 1}`;
    const piece = await get(`${of}/${file}`, { range });
    assert.equal(piece.status, 206, `${file} ${range}`);
    hash.update(await piece.bytes());
    pieces++;
  }
  assert.ok(pieces > 0, playlist);
  const download = await get(`${of}/download?${span}`);
  assert.equal(download.status, 200);
  const bytes = await download.bytes();
  assert.equal(bytes.length, Number(download.headers.get('content-length')));
  return hash.update(bytes).digest('hex');
}

const statsOf = (uid: string) => client.getArchiveStats({ params: { uid } });

async function moveAfter(uid: string, farAfterHours: number): Promise<void> {
  await client.saveStream({ params: { uid }, body: { archive: { farAfterHours } } });
}

let moved: Promise<ArchiveStats> | undefined;

/** The older file of `past` is in the bucket, the newer one on the disk: resolves with the statistics of that moment. */
function pastIsMoved(): Promise<ArchiveStats> {
  moved ??= (async () => {
    await moveAfter(past, 1);
    const stats = await until(
      () => statsOf(past),
      ({ farBytes }) => farBytes > 0,
      WAIT_MS,
    );
    await moveAfter(past, -1);
    return stats;
  })();
  return moved;
}

/** Waits until enough of `present` is recorded, and ends its recording. */
async function presentEnds(): Promise<void> {
  await until(
    () => statsOf(present),
    ({ durationMs }) => durationMs > 3_000,
    WAIT_MS,
  );
  await client.pauseStream({ body: { uid: present } });
}

/** Waits until nothing of the stream's footage is on the disk any more. */
async function untilAllMoved(uid: string): Promise<void> {
  await until(
    () => statsOf(uid),
    ({ bytes, farBytes }) => farBytes === bytes,
    WAIT_MS,
  );
}

async function filesOf(uid: string): Promise<string[]> {
  const all = await readdir(join(dataDir, 'archive', uid), { recursive: true }).catch(() => []);
  return all.filter((name) => name.endsWith('.mp4'));
}

/** The state of the store as an administrator sees it. */
async function remote() {
  const stats = (await client.getSystemStats()).far;
  assert.ok(stats);
  return stats;
}

async function warnings(): Promise<string[]> {
  return (await client.getHealth()).warnings.map(({ code, subject }) => `${code} ${subject}`);
}

/** Runs a command of the product on the folder of a stopped server. */
async function vidette(...args: string[]): Promise<string> {
  const env = { ...process.env, VIDETTE_DATA: dataDir, ...store.env };
  const { stdout } = await run(process.execPath, [main, ...args], { env });
  return stdout;
}

test('a bucket stores and returns objects as the archive needs, multi-part too, and reports its errors', async () => {
  const { endpoint, accessKey: accessKeyId, secretKey: secretAccessKey } = store;
  const usual = { endpoint, region: 'us-east-1', bucket: 'footage', accessKeyId, secretAccessKey };
  const open = (other: Partial<typeof usual> = {}) =>
    new S3ObjectStore({ ...usual, ...other, pathStyle: true, bytesPerSecond: undefined, clock: systemClock });
  const bucket = open();
  const file = Buffer.alloc(17_000_000, 'footage ');
  file.writeUInt32BE(0xfee1dead, 8_388_606);
  const reader = { read: async (offset: number, length: number) => file.subarray(offset, offset + length) };
  await bucket.send('parts/a.mp4', reader, file.length, { 'vidette-sha256': 'x' });
  const found = await bucket.find('parts/a.mp4');
  // The entity tag of a multi-part object ends with the number of parts.
  assert.match(found?.etag ?? '', /^"[0-9a-f]{32}-3"$/);
  assert.deepEqual(found, { bytes: file.length, metadata: { 'vidette-sha256': 'x' }, etag: found?.etag });
  const span = await (await bucket.read('parts/a.mp4', 8_388_600, 20))?.toArray();
  assert.deepEqual(Buffer.concat((span ?? []) as Buffer[]), file.subarray(8_388_600, 8_388_620));
  const listed = [];
  for await (const object of bucket.list('parts/')) listed.push(object);
  assert.deepEqual(listed, [{ key: 'parts/a.mp4', bytes: file.length }]);
  await bucket.abandonSending('parts/');
  await bucket.remove(['parts/a.mp4', 'parts/none.mp4']);
  assert.equal(await bucket.find('parts/a.mp4'), undefined);
  assert.equal(await bucket.read('parts/a.mp4', 0, 10), undefined);
  bucket.close();

  for (const [other, trouble] of [
    [{ secretAccessKey: 'another' }, 'refused'],
    [{ bucket: 'nowhere' }, 'refused'],
    [{ endpoint: 'http://127.0.0.1:1' }, 'away'],
  ] as const) {
    const wrong = open(other);
    await assert.rejects(wrong.send('a.mp4', reader, 1_000, {}), { name: 'FarStoreError', trouble });
    wrong.close();
  }
});

test('[R7.16] [R7.17] footage that is old enough is moved, newer footage stays, and all of it is identical byte for byte', async () => {
  const stats = await pastIsMoved();
  assert.ok(stats.farBytes < stats.bytes, 'the second file is still here');
  assert.deepEqual(
    await until(
      () => filesOf(past),
      (files) => files.length === 1,
    ),
    await filesOf(past),
  );
  const [key = ''] = await store.segments();
  assert.match(key, new RegExp(`^cameras/north/main/${past}/\\d{4}-\\d\\d-\\d\\d/[\\d.-]+\\.mp4$`));
  assert.equal(await seen(past, borderMs - 30_000, borderMs + 60_000), pastBefore);
});

test('[R4.9] in the browser the video continues across the boundary between disk and bucket', async () => {
  await pastIsMoved();
  await testEnv.open(`/stream/${past}/view?t=${borderMs - 3_000}`, async (page) => {
    await page.locator('[data-player-state=playing][data-player-mode=archive]').waitFor({
      state: 'attached',
      timeout: WAIT_MS,
    });
    await until(
      () => shownFrame(page),
      (frame) => (frame?.atMs ?? 0) > borderMs + 1_000,
      WAIT_MS,
    );
  });
  await testEnv.open(`/stream/${past}/info`, (page) =>
    page.getByText(/of it in S3 storage, .* on the disk/).waitFor({ timeout: WAIT_MS }),
  );
});

test('[R3.9] the store fails: recording continues, the page reports remote footage as unavailable, local footage plays; when it returns everything is moved automatically', async () => {
  await pastIsMoved();
  await presentEnds();
  const { startTime } = await statsOf(present);
  const startMs = startTime ?? 0;
  const closedMs = Date.now();
  await until(
    async () => (await remote()).problem,
    (problem) => problem === null,
  );
  await store.halt();
  await moveAfter(present, 0);
  await until(warnings, (found) => found.includes('far-archive FarArchiveUnavailable'), WAIT_MS);
  const before = await seen(present, startMs - 1_000, closedMs);
  const { problem, waitingSegments } = await remote();
  assert.equal(problem?.code, 'FarArchiveUnavailable');
  assert.ok(waitingSegments >= 1);

  const still = await get(`/v1/stream/${past}/archive/picture?time=${borderMs - 10_000}`);
  assert.deepEqual(
    [still.status, ((await still.json()) as { code: string }).code],
    [503, 'FarArchiveUnavailable'],
  );
  assert.equal((await get(`/v1/stream/${past}/archive/picture?time=${borderMs + 10_000}`)).status, 200);
  await testEnv.open(`/stream/${past}/view?t=${borderMs - 10_000}`, async (page) => {
    const words = page.getByText('The storage that holds this part of the archive does not answer').first();
    await words.waitFor({ timeout: WAIT_MS });
    await store.resume();
    // Automatically, when the store is back.
    await page.locator('[data-player-state=playing][data-player-mode=archive]').waitFor({
      state: 'attached',
      timeout: WAIT_MS,
    });
  });
  await until(warnings, (found) => !found.some((warning) => warning.startsWith('far-archive')), WAIT_MS);
  await untilAllMoved(present);
  assert.equal(await seen(present, startMs - 1_000, closedMs), before);
});

test('[R10.3] kill -9 in the middle of an upload: the next start continues, and nothing is lost or duplicated', async () => {
  await pastIsMoved();
  store.freeze();
  await moveAfter(past, 0);
  const catalog = new DatabaseSync(join(dataDir, 'archive.sqlite'), { readOnly: true });
  const isSending = () => catalog.prepare('SELECT count(*) AS count FROM far_sending').get()?.['count'] === 1;
  try {
    await until(isSending, (sending) => sending, WAIT_MS);
  } finally {
    catalog.close();
  }
  await server.kill();
  store.thaw();
  server = await start();
  client = clientOf(server, cookie);
  await untilAllMoved(past);
  assert.equal(await seen(past, borderMs - 30_000, borderMs + 60_000), pastBefore);
  await until(
    () => filesOf(past),
    (files) => files.length === 0,
  );
  assert.equal((await store.segments()).filter((key) => key.includes(`/${past}/`)).length, 2);
});

test('a purge deletes the objects, `check` finds both in order, and the secret can’t be read anywhere', async () => {
  await pastIsMoved();
  await presentEnds();
  await moveAfter(present, 0);
  await untilAllMoved(present);
  await client.deleteStream({ params: { uid: past }, query: { purge: true } });
  await until(
    () => store.segments(),
    (keys) => !keys.some((key) => key.includes(`/${past}/`)),
    WAIT_MS,
  );
  const shown = await Promise.all([
    get('/v1/admin/configuration').then((answer) => answer.text()),
    get('/v1/system/logs?level=debug').then((answer) => answer.text()),
    get('/v1/system/internal/ui/settings').then((answer) => answer.text()),
    get('/v1/admin/stats').then((answer) => answer.text()),
  ]);
  assert.ok(shown.every((text) => text.length > 2));
  assert.match(shown[0], /"secretAccessKey":"\*\*\*"/);
  for (const text of [...shown, printed]) assert.ok(!text.includes(store.secretKey));
  await server.stop();
  assert.match(await vidette('check', '--read-objects'), /The archive is in order/);
  const keys = await store.segments();
  assert.ok(keys.length > 0, 'the other stream keeps its objects');
});
