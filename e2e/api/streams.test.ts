import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { ApiError, type Client } from '@vidette/contract/client';
import { administratorOf, snapshotOf, until } from '../api.ts';
import { signIn, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: Client;
let cookie: string;
/** A generated stream that is recorded. No test changes it. */
let demo: string;
const demoBody = { name: 'Demo', streamSource: 'demo:', tags: ['Hall', 'hall', 'B'] };
/** A camera that isn't there: a new one for each test. */
let gate: string;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-api-'));
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  ({ uid: demo } = await client.addStream({ body: demoBody }));
});

beforeEach(async () => {
  ({ uid: gate } = await client.addStream({
    body: {
      name: 'Ворота',
      streamSource: 'rtsp://user:p%40ss@127.0.0.1:1/gate?x=1',
      tags: ['Двор'],
      archive: { isEnable: true, depthHours: 48 },
      live: { onDemand: false },
      location: { name: 'Север', latitude: 55.7, longitude: 37.6, timeZone: 'Asia/Yekaterinburg' },
    },
  }));
});

afterEach(async () => {
  const { items } = await client.listStreams();
  for (const { uid } of items) if (uid !== demo) await client.deleteStream({ params: { uid } });
});

after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const hasCode = (code: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, code);
  return true;
};

const hasStatus = (uid: string, expected: string) =>
  until(
    () => client.getStream({ params: { uid } }),
    ({ status }) => status === expected,
  );

/** Resolves once enough of the generated stream is recorded to play. */
const recorded = () =>
  until(
    () => client.getArchiveStats({ params: { uid: demo } }),
    ({ durationMs }) => durationMs > 3_000,
  );

test('[R7.2, R7.5, R3.1] a stream is added with few fields and read back completely', async () => {
  const stream = await client.getStream({ params: { uid: gate } });
  const { id, createdAt, status, failureReason, ...rest } = stream;
  assert.ok(id > 0 && createdAt > 0 && ['pending', 'failed'].includes(status) && failureReason !== '');
  assert.deepEqual(rest, {
    uid: gate,
    name: 'Ворота',
    streamSource: 'rtsp://user:p%40ss@127.0.0.1:1/gate?x=1',
    subStreamSource: null,
    tags: ['Двор'],
    location: { name: 'Север', latitude: 55.7, longitude: 37.6, timeZone: 'Asia/Yekaterinburg' },
    meta: { marker: null },
    live: { onDemand: false },
    archive: { isEnable: true, depthHours: 48, farAfterHours: -1 },
    motion: { isEnable: true },
    node: { id: 'main', available: true },
    createdBy: 'admin',
    revision: 1,
    canEdit: true,
    canArchive: true,
    canShare: true,
    isPublic: false,
  });
  assert.deepEqual((await client.getStream({ params: { uid: demo } })).tags, ['Hall', 'B']);
});

test('[R4.1, R10.2] a source that can’t be reached fails with its reason, in the reader’s language', async () => {
  const failed = await hasStatus(gate, 'failed');
  assert.match(failed.failureReason ?? '', /\w+ \w+/);
  assert.doesNotMatch(failed.failureReason ?? '', /p@ss|p%40ss/);
  await client.saveProfile({ body: { language: 'ru' } });
  assert.match((await client.getStream({ params: { uid: gate } })).failureReason ?? '', /[а-я]{3}/);
  await client.saveProfile({ body: { language: 'en' } });
});

test('[R4.1, R7.1] the list: statuses, paging, sort, groups, search, only available', async () => {
  await hasStatus(demo, 'running');
  await hasStatus(gate, 'failed');
  const all = await client.listStreams();
  assert.deepEqual(
    all.items.map((item) => [item.name, item.status, item.group]),
    [
      ['Demo', 'running', null],
      ['Ворота', 'failed', null],
    ],
  );
  assert.deepEqual([all.total, all.page], [2, 1]);
  const names = async (query: Parameters<Client['listStreams']>[0]) =>
    (await client.listStreams(query)).items.map((item) => item.name);
  assert.deepEqual(await names({ query: { sortType: '-name', pageSize: 1 } }), ['Ворота']);
  assert.deepEqual(await names({ query: { sortType: '-name', pageSize: 1, page: 2 } }), ['Demo']);
  assert.deepEqual(await names({ query: { onlyAvailable: true } }), ['Demo']);
  assert.deepEqual(await names({ query: { isOnlyAvailable: true } }), ['Demo']);
  assert.deepEqual(await names({ query: { searchingValues: ['ВОРОТ', 'сев'] } }), ['Ворота']);
  assert.deepEqual(await names({ query: { searchingValues: ['двор', 'hall'] } }), []);
  const grouped = await client.listStreams({ query: { groupType: 'tag' } });
  assert.deepEqual(
    grouped.items.map((item) => [item.group, item.name]),
    [
      ['B', 'Demo'],
      ['Hall', 'Demo'],
      ['Двор', 'Ворота'],
    ],
  );
  assert.deepEqual(grouped.groups, [
    { name: 'B', total: 1 },
    { name: 'Hall', total: 1 },
    { name: 'Двор', total: 1 },
  ]);
  assert.deepEqual(
    (await client.listStreamTags()).items.map((tag) => tag.name),
    ['B', 'Hall', 'Двор'],
  );
});

test('a poll of statuses answers with what changed since the last one', async () => {
  await hasStatus(demo, 'running');
  await hasStatus(gate, 'failed');
  const first = await client.listStreamStatuses();
  assert.equal(first.items.length, 2);
  assert.equal(first.listChanged, true);
  await client.pauseStream({ body: { uid: gate } });
  const second = await client.listStreamStatuses({ query: { since: first.revision } });
  assert.deepEqual(
    second.items.map(({ uid, status }) => [uid, status]),
    [[gate, 'paused']],
  );
  assert.equal(second.listChanged, false);
  await client.saveStream({ params: { uid: gate }, body: { name: 'Gate' } });
  const third = await client.listStreamStatuses({ query: { since: second.revision } });
  assert.equal(third.listChanged, true);
  // A node of a cluster may be notified again of its own change.
  let last = third;
  const idle = await until(
    async () => (last = await client.listStreamStatuses({ query: { since: last.revision } })),
    ({ items }) => items.length === 0,
  );
  assert.equal(idle.listChanged, false);
});

test('[R7.6, R4.2] pause and resume answer with the new status', async () => {
  await client.pauseStream({ body: { uid: gate } });
  assert.deepEqual(await client.resumeStream({ body: { uid: gate } }), { status: 'pending' });
  assert.deepEqual(await client.pauseStream({ body: { uid: gate } }), { status: 'paused' });
  assert.deepEqual(await client.pauseStream({ body: { uid: gate } }), { status: 'paused' });
  await assert.rejects(client.pauseStream({ body: { uid: 'nosuch' } }), hasCode('NotFound'));
});

test('[R7.3] saving changes the given members and keeps the rest', async () => {
  await client.pauseStream({ body: { uid: gate } });
  const saved = await client.saveStream({
    params: { uid: gate },
    body: { location: { name: '' }, tags: [], archive: { isEnable: false } },
  });
  assert.deepEqual([saved.location.name, saved.location.latitude, saved.tags], ['', 55.7, []]);
  assert.equal(saved.location.timeZone, 'Asia/Yekaterinburg');
  const saveZone = (timeZone: string | null) =>
    client.saveStream({ params: { uid: gate }, body: { location: { timeZone } } });
  assert.equal((await saveZone(null)).location.timeZone, null);
  await assert.rejects(saveZone('Nowhere/Near'), hasCode('ValidationError'));
  assert.deepEqual(saved.archive, { isEnable: false, depthHours: 48, farAfterHours: -1 });
  assert.deepEqual(saved.motion, { isEnable: true });
  assert.equal(saved.streamSource, 'rtsp://user:p%40ss@127.0.0.1:1/gate?x=1');
  assert.equal(saved.status, 'paused');
});

test('[R7.7, R7.8] probing returns the tracks and a snapshot; a dead port has its code', async () => {
  const { tracks } = await client.probeStream({ query: { url: 'demo:' } });
  assert.deepEqual(
    tracks.map((track) => track.codec),
    ['h264', 'aac'],
  );
  assert.deepEqual([tracks[0]?.width, tracks[0]?.height], [1280, 720]);
  await assertJpeg(await client.previewStream({ query: { url: 'demo:' } }));
  const dead = { query: { url: 'rtsp://127.0.0.1:1/gate' } };
  await assert.rejects(client.probeStream(dead), hasCode('EHOSTUNREACH'));
  await assert.rejects(client.previewStream(dead), hasCode('EHOSTUNREACH'));
});

test('[R7.8, R7.11] a running stream has a snapshot, a log and statistics', async () => {
  await hasStatus(demo, 'running');
  await client.pauseStream({ body: { uid: gate } });
  await assertJpeg(await snapshotOf(client, demo, { width: 320 }));
  const { items } = await client.getStreamLogs({ params: { uid: demo } });
  assert.ok(items.length > 0 && items.every((line) => line.message !== ''));
  const last = items.at(-1)?.id ?? 0;
  assert.deepEqual((await client.getStreamLogs({ params: { uid: demo }, query: { after: last } })).items, []);
  // The process that receives it reports them once a second.
  const stats = await until(
    () => client.getStreamStats({ params: { uid: demo } }),
    ({ videoFrames }) => videoFrames > 0,
  );
  assert.ok(stats.tracks.length === 2 && stats.status === 'running');
  await assert.rejects(client.getStreamPicture({ params: { uid: gate } }), hasCode('Unavailable'));
});

test('[R7.13, R7.14, R7.15, R3.10] the recording: ranges, statistics, days', async () => {
  const stats = await until(
    () => client.getArchiveStats({ params: { uid: demo } }),
    (answer) => answer.durationMs > 3_000 && (answer.recorded?.day.share ?? 0) > 0,
  );
  assert.ok(stats.bytes > 0 && stats.segments > 0 && stats.bitrate > 0);
  const { day, month: thirtyDays } = stats.recorded ?? assert.fail('the stream is recorded');
  assert.ok(day.recordedMs > 0 && day.recordedMs <= day.expectedMs && (day.share ?? 0) > 0);
  assert.deepEqual(thirtyDays, day, 'nothing was to be recorded before the stream was there');
  const { recorded } = await until(
    () => client.getSystemStats(),
    (answer) => answer.recorded.day.share !== null,
  );
  assert.ok(recorded.day.expectedMs > 0);
  const endMs = Date.now();
  const query = { start_time: endMs - 600_000, end_time: endMs + 60_000 };
  const { period, ranges } = await client.getArchiveRanges({ params: { uid: demo }, query });
  assert.equal(period?.startTime, stats.startTime);
  assert.deepEqual(
    ranges.slice(0, 3).map((range) => range.status),
    ['gap', 'fragment', 'live'],
  );
  assert.equal(ranges[0]?.date, query.start_time);
  assert.equal(ranges[1]?.date, period?.startTime);
  const month = { start_time: endMs - 30 * 86_400_000, end_time: endMs + 60_000, resolution_seconds: 300 };
  const coarse = await client.getArchiveRanges({ params: { uid: demo }, query: month });
  assert.deepEqual(
    coarse.ranges.map((range) => range.status),
    ['gap', 'fragment', 'live'],
  );
  assert.deepEqual([coarse.period?.startTime, coarse.ranges[1]?.date], [stats.startTime, stats.startTime]);
  const days = await client.getArchiveDays({
    params: { uid: demo },
    query: { start_time: endMs - 86_400_000, end_time: endMs, timezone_offset: 180 },
  });
  const local = new Date((period?.startTime ?? 0) + 180 * 60_000).toISOString().slice(0, 10);
  assert.deepEqual(days.days, [local]);
  const [share = 0] = days.shares;
  assert.ok(share >= 0 && share <= 1);
  const inZone = (zone: string) =>
    client.getArchiveDays({
      params: { uid: demo },
      query: { start_time: 0, end_time: endMs, time_zone: zone },
    });
  assert.deepEqual((await inZone('Europe/Moscow')).days, [local]);
  await assert.rejects(inZone('Nowhere/Near'), { code: 'ValidationError' });
  const empty = await client.getArchiveRanges({ params: { uid: gate }, query });
  assert.deepEqual([empty.period, empty.ranges.map((range) => range.status)], [null, ['gap']]);
});

test('[R7.16, R7.17] a download is one MP4, and a playlist plays by byte ranges', async () => {
  const { startTime, endTime } = await recorded();
  const query = { start_time: startTime ?? 0, end_time: endTime ?? 0 };
  const download = await client.downloadArchive({ params: { uid: demo }, query });
  const bytes = Buffer.from(await download.arrayBuffer());
  assert.equal(Number(download.headers.get('content-length')), bytes.length);
  assert.match(
    download.headers.get('content-disposition') ?? '',
    /^attachment; filename="Demo \d{4}-\d\d-\d\d /,
  );
  const file = join(folder, 'download.mp4');
  await writeFile(file, bytes);
  assertPlays([file]);
  const playlist = `${server.url}/v1/stream/${demo}/archive/index.m3u8?start_time=${query.start_time}&end_time=${query.end_time}`;
  assertPlays(['-headers', `Cookie: ${cookie}\r\n`, playlist]);
  assert.equal((await fetch(playlist)).status, 401);
  const text = await (await fetch(playlist, { headers: { cookie } })).text();
  const segment = /segment\/\w+\.mp4/.exec(text)?.[0] ?? '';
  const url = `${server.url}/v1/stream/${demo}/archive/${segment}`;
  const part = await fetch(url, { headers: { cookie, range: 'bytes=4-7' } });
  assert.deepEqual([part.status, await part.text()], [206, 'ftyp']);
  assert.match(part.headers.get('content-range') ?? '', /^bytes 4-7\/\d+$/);
  assert.equal((await fetch(url, { headers: { cookie, range: 'bytes=999999999-' } })).status, 416);
  assert.equal((await fetch(url)).status, 401);
  await assertJpeg(await client.getArchivePicture({ params: { uid: demo }, query: { time: Date.now() } }));
});

test('[R4.4, R7.16, R7.47] a browser revalidates cached footage before showing it; that counts as viewing and requires the right', async () => {
  const { startTime } = await recorded();
  const address = `${server.url}/v1/stream/${demo}/archive/picture?time=${(startTime ?? 0) + 500}`;
  const first = await fetch(address, { headers: { cookie } });
  assert.equal(first.headers.get('cache-control'), 'private, no-cache');
  const tag = first.headers.get('etag') ?? '';
  const password = 'three green kites';
  await client.addUser({ body: { name: 'olga', password } });
  const next = await signIn(server, 'olga', password);
  const again = () => fetch(address, { headers: { cookie: next, 'if-none-match': tag } });
  assert.ok([403, 404].includes((await again()).status), 'the next person at the browser');
  await client.saveStreamPermissions({
    params: { uid: demo },
    body: { items: [{ user: 'olga', view: true, archive: true }] },
  });
  const held = await again();
  assert.deepEqual([held.status, (await held.arrayBuffer()).byteLength], [304, 0]);
  await until(
    async () => (await client.listAuditLogs({ query: { action: 'watchStills' } })).items,
    (items) => items.some(({ user, target }) => user === 'olga' && target === demo),
  );
  await client.saveStreamPermissions({ params: { uid: demo }, body: { items: [] } });
  assert.ok([403, 404].includes((await again()).status), 'the right is gone');
  await client.deleteUser({ params: { login: 'olga' } });
});

test('[R7.12] low-latency HLS is available to external players of users who may view', async () => {
  await hasStatus(demo, 'running');
  const path = `${server.url}/v1/stream/${demo}/live/index.m3u8`;
  const playlist = await fetch(path, { headers: { cookie } });
  assert.equal(playlist.headers.get('content-type'), 'application/vnd.apple.mpegurl');
  assert.match(await playlist.text(), /^#EXTM3U/);
  assert.equal((await fetch(path)).status, 401);
});

test('[R7.18, R10.6] annotations and bookmarks on the timeline', async () => {
  const at = Date.now();
  const made = await client.addAnnotation({
    body: { streamId: demo, kind: 'motion', time: at, timeEnd: at + 5 },
  });
  assert.equal(made.type, 'event');
  const { items } = await client.listAnnotations({ query: { streamId: demo, from: at, to: at + 1 } });
  assert.deepEqual(items, [made]);
  const bookmark = await client.addBookmark({
    body: { stream: demo, startTime: at, note: 'Красная машина' },
  });
  assert.deepEqual([bookmark.streamName, bookmark.endTime, bookmark.createdBy], ['Demo', null, 'admin']);
  const found = await client.listBookmarks({ query: { searchingValues: ['красн', 'demo'] } });
  assert.deepEqual(found.items, [bookmark]);
  const saved = await client.saveBookmark({ params: { id: bookmark.id }, body: { endTime: at + 10 } });
  assert.equal(saved.endTime, at + 10);
  await client.deleteBookmark({ params: { id: bookmark.id } });
  assert.equal((await client.listBookmarks()).total, 0);
});

test('[R7.40, R7.41, R7.42, R7.43, R7.44, R3.6] mosaics are created, changed and deleted', async () => {
  const cell = { x: 0, y: 0, width: 1, height: 1, page: 0, stream: demo };
  const layout = { columns: 2, rows: 1, cells: [cell, { ...cell, x: 1, stream: null }] };
  const made = await client.addMosaic({ body: { name: 'Wall', layout } });
  assert.deepEqual([made.layout, made.meta.canAdmin, made.isShared], [layout, true, false]);
  assert.deepEqual(
    made.streams.map(({ uid, canArchive }) => [uid, canArchive]),
    [[demo, true]],
  );
  const overlapping = { ...layout, cells: [cell, cell] };
  await assert.rejects(
    client.addMosaic({ body: { name: 'x', layout: overlapping } }),
    hasCode('ValidationError'),
  );
  const pages = { ...layout, cells: [cell, { ...cell, page: 1 }] };
  const turned = await client.saveMosaic({ params: { id: made.id }, body: { layout: pages } });
  assert.deepEqual(turned.layout, pages);
  const saved = await client.saveMosaic({ params: { id: made.id }, body: { isShared: true } });
  assert.deepEqual([saved.name, saved.isShared], ['Wall', true]);
  assert.equal(
    (await client.getMosaic({ params: { id: made.id }, query: { extend_lease: true } })).name,
    'Wall',
  );
  assert.equal((await client.listMosaics({ query: { searchingValues: ['WAL'] } })).total, 1);
  await client.deleteMosaic({ params: { id: made.id } });
  await assert.rejects(client.getMosaic({ params: { id: made.id } }), hasCode('NotFound'));
});

test('[R7.29, R7.31, R7.33, R7.34, R7.35] the server’s information about itself', async () => {
  await hasStatus(demo, 'running');
  await client.pauseStream({ body: { uid: gate } });
  const body = { name: 'Gate', location: { name: '' }, tags: [], archive: { isEnable: false } };
  await client.saveStream({ params: { uid: gate }, body });
  await client.resumeStream({ body: { uid: gate } });
  await client.saveStream({ params: { uid: gate }, body: { archive: { isEnable: true } } });
  const health = await until(
    () => client.getHealth(),
    (answer) => answer.warnings.some((warning) => warning.code === 'stream-not-recording'),
  );
  assert.equal(health.warnings.find((warning) => warning.code === 'stream-not-recording')?.subject, gate);
  const found = await client.search({ query: { query: 'gat' } });
  assert.deepEqual(found.items[0], { kind: 'stream', id: gate, name: 'Gate', note: '' });
  const logs = await client.getSystemLogs({ query: { search: gate } });
  assert.ok(logs.items.length > 0);
  await until(
    async () => {
      const { streams, streamsRunning } = await client.getSystemStats();
      return [streams, streamsRunning];
    },
    ([streams, running]) => streams === 2 && running === 1,
  );
  assert.equal((await client.getLicense()).productType, 'community');
  await assert.rejects(client.saveLicense({ body: { text: 'nonsense' } }), hasCode('IncorrectLicense'));
  const document = await client.getOpenApi();
  assert.equal(document['openapi'], '3.1.0');
});

test('[R7.4, R4.3] a stream is deleted; with purge its archive is deleted too', async () => {
  const { uid } = await client.addStream({ body: demoBody });
  await until(
    () => client.getArchiveStats({ params: { uid } }),
    ({ bytes }) => bytes > 0,
  );
  await hasStatus(gate, 'failed');
  await client.deleteStream({ params: { uid }, query: { purge: true } });
  await assert.rejects(client.getStream({ params: { uid } }), hasCode('NotFound'));
  await assert.rejects(client.getArchiveStats({ params: { uid } }), hasCode('NotFound'));
  assert.equal((await client.listStreams()).total, 2);
  await client.deleteStream({ params: { uid: gate } });
  await assert.rejects(client.deleteStream({ params: { uid: gate } }), hasCode('NotFound'));
  assert.doesNotMatch(server.output, /p@ss|p%40ss/);
});

async function assertJpeg(response: Response): Promise<void> {
  assert.equal(response.headers.get('content-type'), 'image/jpeg');
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.deepEqual([...bytes.subarray(0, 3)], [0xff, 0xd8, 0xff]);
}

/** ffprobe counts frames without an error. */
function assertPlays(input: string[]): void {
  const options = [
    '-v',
    'error',
    '-count_packets',
    '-select_streams',
    'v',
    '-show_entries',
    'stream=nb_read_packets',
  ];
  const { stdout, stderr } = spawnSync('ffprobe', [...options, '-of', 'csv=p=0', ...input], {
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  assert.ok(Number(stdout.trim().split('\n')[0]) > 10, stdout);
}
