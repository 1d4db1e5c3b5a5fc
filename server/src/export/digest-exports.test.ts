import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { ErrorCode } from '@vidette/contract/errors';
import type { Export } from '@vidette/contract/entities';
import { openArchive, recordSpan, temporaryRoot } from '../archive/fixtures/archive-fixture.ts';
import { footageOf, footageStartMs as t0 } from '../archive/fixtures/footage-fixture.ts';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { eventually, until, untilAsync } from '../base/until-fixture.ts';
import { digestLayout } from '../ffmpeg/digest-layout.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import type { ExportedDigest, ExportedPart } from '../store/exports.ts';
import { Store } from '../store/store.ts';
import { newUser } from '../store/user-fixture.ts';
import { Exports, type ExportsOptions } from './exports.ts';
import { SigningKey } from './signing-key.ts';

const run = promisify(execFile);
const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
after(() => pool.dispose('the test is over'));

const streams = [
  { uid: 'gate', name: 'Gate' },
  { uid: 'yard', name: 'Двор: 50 % {pts} \'"' },
  { uid: 'far', name: 'Nothing here' },
];

/** A camera in H.264 with audio that changes its aspect ratio, one in H.265, and one without footage. */
async function scene(t: TestContext, options: Partial<ExportsOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-digests-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { archive } = await openArchive(t, await temporaryRoot(t));
  await recordSpan(archive, 'gate', footageOf('h264-b-pyramid.mp4', 'aac.mp4'), t0, t0 + 12_000);
  await recordSpan(archive, 'gate', footageOf('h264-wide.mp4', 'aac.mp4'), t0 + 12_000, t0 + 20_000);
  await recordSpan(archive, 'yard', footageOf('h265-no-b.mp4'), t0, t0 + 20_000);
  const store = await Store.open({ file: join(folder, 'vidette.sqlite'), redact: (source) => source });
  t.after(() => store.close());
  const { id: userId } = await store.users.add(
    newUser('ann', { email: 'ann@example.org', maxStreamCreation: -1, createdMs: t0 }),
  );
  const open = (changes: Partial<ExportsOptions> = {}) => {
    const exports = new Exports({
      archive: archive.reader,
      records: store.exports,
      clock: systemClock,
      load: new LoadLevel(),
      log: silentLog,
      key: new SigningKey(Buffer.alloc(32, 7)),
      version: '1.2.3',
      node: 'main',
      pool,
      hasFfmpeg: true,
      folder: join(folder, 'exports'),
      limits: () => ({ keepMs: 3_600_000, quotaBytes: 1e12, minFreeBytes: 0 }),
      elsewhere: () => Promise.reject(new Fault('Unavailable', 'There is no other node.')),
      refusal: () => Promise.resolve(undefined),
      loginOf: () => Promise.resolve('ann'),
      ...options,
      ...changes,
    });
    t.after(() => exports.close());
    return exports;
  };
  const reaches = (exports: Exports, id: number, status: Export['status']): Promise<Export> =>
    eventually(
      async () => {
        const record = await store.exports.byId(id);
        if (record?.status !== status)
          throw new Error(`it is ${record?.status} (${record?.failure}), not ${status}`);
        return exports.view(record);
      },
      () => true,
    );
  const request = { userId, streams, startMs: t0, endMs: t0 + 40_000, name: 'Last night' };
  return { folder: join(folder, 'exports'), store, open, reaches, request };
}

function digest(parts: readonly ExportedPart[], speed = 4): ExportedDigest {
  return { speed, lengthMs: 10_000, timeZone: 'Europe/Moscow', language: 'en', parts };
}

const mixed = digest([
  ['clip', 0, t0 + 1_000, t0 + 9_000],
  ['clip', 1, t0 + 2_000, t0 + 10_000],
  ['gap', 0, t0 + 20_000, t0 + 35_000],
  ['clip', 0, t0 + 10_000, t0 + 18_000],
  ['clip', 2, t0 + 1_000, t0 + 9_000],
]);

interface Probed {
  readonly streams: readonly {
    readonly codec_name: string;
    readonly width: number;
    readonly height: number;
    readonly nb_read_packets: string;
  }[];
  readonly format: { readonly duration: string };
}

async function probe(path: string): Promise<Probed> {
  const show = 'stream=codec_name,width,height,nb_read_packets:format=duration';
  const args = ['-v', 'error', '-count_packets', '-show_entries', show, '-of', 'json', path];
  const { stdout, stderr } = await run('ffprobe', args);
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Probed;
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
}

const { width, videoHeight, stripHeight } = digestLayout;

/** The luma of the frame at a time. */
async function frameAt(path: string, seconds: number): Promise<Buffer> {
  const cut = [
    '-ss',
    String(seconds),
    '-i',
    path,
    '-frames:v',
    '1',
    '-pix_fmt',
    'gray',
    '-f',
    'rawvideo',
    '-',
  ];
  const { stdout } = await run('ffmpeg', ['-v', 'error', ...cut], { encoding: 'buffer', maxBuffer: 1 << 24 });
  assert.equal(stdout.length, width * (videoHeight + stripHeight));
  return stdout;
}

/** Bright pixels in a rectangle. */
function bright(frame: Buffer, left: number, top: number, columns: number, rows: number): number {
  let count = 0;
  for (let row = top; row < top + rows; row++) {
    for (const luma of frame.subarray(row * width + left, row * width + left + columns)) {
      if (luma > 180) count++;
    }
  }
  return count;
}

function clockOf(frame: Buffer): Buffer {
  const rows = [];
  for (let row = videoHeight; row < videoHeight + stripHeight; row++)
    rows.push(frame.subarray((row + 0.5) * width, (row + 1) * width));
  return Buffer.concat(rows);
}

test('a digest shows clips of cameras of any codec and shape one after the other, with the time, and says gaps and what it cannot show', async (t) => {
  const { folder, open, reaches, request } = await scene(t);
  const exports = open();
  const { id, kind } = await exports.addDigest(request, mixed);
  assert.equal(kind, 'digest');
  const made = await reaches(exports, id, 'ready');
  const path = join(folder, `${id}.mp4`);
  assert.deepEqual([made.share, made.streams.map(({ files }) => files)], [1, [2, 1, 1]]);
  const { streams: tracks, format } = await probe(path);
  assert.deepEqual(
    tracks.map((track) => [track.codec_name, track.width, track.height]),
    [['h264', width, videoHeight + stripHeight]],
  );
  // Three clips of eight seconds at four times the speed, a gap of 1.5 s, and 2 s of words.
  assert.ok(Math.abs(Number(format.duration) - 9.5) < 0.3, format.duration);
  assert.ok(Number(tracks[0]?.nb_read_packets) > 20 * 6, 'the movement is fluid');

  const [first, later, gap, unreadable] = await Promise.all(
    [0.2, 1.5, 4.7, 8.5].map((seconds) => frameAt(path, seconds)),
  );
  assert.ok(first && later && gap && unreadable);
  assert.ok(bright(first, 0, videoHeight, 200, stripHeight) > 100, 'the name is below the video');
  assert.ok(bright(first, width - 400, videoHeight, 400, stripHeight) > 400, 'and so is the time');
  assert.notDeepEqual(clockOf(first), clockOf(later), 'the time goes on');
  for (const still of [gap, unreadable]) {
    assert.ok(bright(still, 200, 300, 880, 120) > 1_000, 'words are in the middle');
    assert.equal(bright(still, 0, 0, width, 200), 0, 'and no video');
  }
});

test('a digest of gaps alone is a file that says them', async (t) => {
  const { folder, open, reaches, request } = await scene(t);
  const exports = open();
  const { id } = await exports.addDigest(request, digest([['gap', 2, t0, t0 + 30_000]]));
  await reaches(exports, id, 'ready');
  const path = join(folder, `${id}.mp4`);
  const { format } = await probe(path);
  assert.ok(Math.abs(Number(format.duration) - 1.5) < 0.3, format.duration);
  assert.ok(bright(await frameAt(path, 0.5), 200, 300, 880, 120) > 1_000, 'words are in the middle');
});

test('a digest of 100 parts is made with one process at a time', async (t) => {
  let open = 0;
  let most = 0;
  const counted: Pick<FfmpegPool, 'open'> = {
    open: (makeRequest, role, listener) => {
      most = Math.max(most, ++open);
      const job = pool.open(makeRequest, role, listener);
      let isOpen = true;
      return {
        ...job,
        close: () => {
          if (isOpen) open--;
          isOpen = false;
          job.close();
        },
      };
    },
  };
  const { folder, open: openExports, reaches, request } = await scene(t, { pool: counted });
  const exports = openExports();
  const parts = Array.from({ length: 100 }, (_, place): ExportedPart => {
    const fromMs = t0 + 1_000 + (place % 9) * 1_000;
    return place % 10 === 9 ? ['gap', 0, fromMs, fromMs + 500] : ['clip', place % 2, fromMs, fromMs + 2_000];
  });
  const { id } = await exports.addDigest(request, digest(parts, 16));
  await reaches(exports, id, 'ready');
  const { format } = await probe(join(folder, `${id}.mp4`));
  assert.ok(Math.abs(Number(format.duration) - (90 * 0.125 + 10 * 1.5)) < 3, format.duration);
  assert.deepEqual([most, open], [1, 0]);
});

test('a digest that is cancelled ends its process and leaves no file', async (t) => {
  const { folder, store, open, request } = await scene(t);
  const exports = open();
  const { id } = await exports.addDigest(
    request,
    digest(
      Array.from({ length: 50 }, () => mixed.parts[0] ?? ['gap', 0, 0, 1]),
      1,
    ),
  );
  // It is rendering.
  await untilAsync(async () => (await sizeOf(join(folder, `${id}.mp4.part`))) > 100_000);
  const { pids } = pool;
  assert.ok(pids.length > 0);
  const record = await store.exports.byId(id);
  assert.ok(record);
  await exports.remove(record);
  assert.deepEqual(await readdir(folder), []);
  await until(() => !pids.some((pid) => pool.pids.includes(pid)));
});

test('a digest that a stop interrupted is made again at the next start', async (t) => {
  const { folder, open, reaches, request } = await scene(t);
  const before = open();
  const { id } = await before.addDigest(request, mixed);
  await untilAsync(async () => (await sizeOf(join(folder, `${id}.mp4.part`))) > 100_000);
  await before.close();
  assert.ok(!(await readdir(folder)).includes(`${id}.mp4`), 'no half file has the final name');
  const next = open();
  next.resume();
  await reaches(next, id, 'ready');
  assert.deepEqual(await readdir(folder), [`${id}.mp4`]);
  assert.ok(Math.abs(Number((await probe(join(folder, `${id}.mp4`))).format.duration) - 9.5) < 0.3);
});

test('a digest fails clearly: without room, without the right, without footage, without FFmpeg', async (t) => {
  const { folder, open, reaches, request } = await scene(t);
  let quotaBytes = 1e12;
  const limits = () => ({ keepMs: 3_600_000, quotaBytes, minFreeBytes: 0 });
  let refused: ErrorCode | undefined;
  const exports = open({
    limits,
    refusal: (_, uid) => Promise.resolve(uid === 'yard' ? refused : undefined),
  });
  const failed = async (part: ExportedPart, change: () => void) => {
    const adding = exports.addDigest(request, digest([part]));
    const { id } = await adding;
    change();
    return (await reaches(exports, id, 'failed')).failure;
  };
  assert.equal(await failed(['clip', 2, t0, t0 + 5_000], () => {}), 'nothing-recorded');
  assert.equal(await failed(['clip', 0, t0, t0 + 8_000], () => (quotaBytes = 1_000)), 'disk-full');
  quotaBytes = 1e12;
  assert.equal(await failed(['clip', 1, t0, t0 + 8_000], () => (refused = 'Forbidden')), 'forbidden');
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.mp4')),
    [],
  );
  const without = open({ hasFfmpeg: false });
  await assert.rejects(without.addDigest(request, mixed), { code: 'Unavailable' });
});
