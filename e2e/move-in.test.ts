// Recordings of other programs: made with FFmpeg and laid out as Frigate, MediaMTX and Moonfire NVR do, indexed in place, and played.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { runCommand } from '../server/src/cli/command-line.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { assertMoves } from './frame.ts';
import { launchBrowser, openPage } from './browser.ts';
import { writeMoonfire } from './moonfire-files.ts';
import { inspect } from './footage.ts';
import { startServer, type TestServer } from './server.ts';

const run = promisify(execFile);
const hourMs = 3_600_000;
/** Noon of the day before yesterday. */
const dayMs = Math.floor(Date.now() / (24 * hourMs) - 2) * 24 * hourMs;
const noonMs = dayMs + 12 * hourMs;
const day = new Date(dayMs).toISOString().slice(0, 10);
/** As long as one file. */
const fileMs = 10_000;

let folder: string;
/** The folder of the other programs. */
let theirs: string;
let server: TestServer;
let client: Client;
let cookie: string;
let token: string;
let browser: Browser;
/** Of Moonfire NVR, which holds it as long as it runs. */
let database: DatabaseSync | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-move-in-'));
  theirs = join(folder, 'theirs');
  [server, browser] = await Promise.all([startServer(), launchBrowser(), record()]);
  ({ client, cookie } = await administratorOf(server));
  ({ secret: token } = await client.addToken({ body: { name: 'import', expireTime: null } }));
});

after(async () => {
  await browser?.close();
  await server?.stop();
  database?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Four files of ten seconds, and one of forty in fragments. */
async function record(): Promise<void> {
  const [cut, made] = [join(folder, 'cut'), join(folder, 'made.mkv')];
  await mkdir(cut);
  const ffmpeg = (...args: string[]) => run('ffmpeg', ['-v', 'error', '-y', ...args]);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=40', '-f', 'lavfi', '-i', 'sine=r=48000:d=40'],
    ...['-c:v', 'libx264', '-g', '50', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', made],
  );
  const segments = [
    '-f',
    'segment',
    '-segment_time',
    '10',
    '-segment_format',
    'mp4',
    '-reset_timestamps',
    '1',
  ];
  await ffmpeg('-i', made, '-c', 'copy', ...segments, join(cut, '%d.mp4'));
  // The last file of an hour, and three of the next one.
  const names = ['11/gate/59.50', '12/gate/00.00', '12/gate/00.10', '12/gate/00.20'];
  for (const [index, name] of names.entries()) {
    const path = join(theirs, 'recordings', day, `${name}.mp4`);
    await mkdir(dirname(path), { recursive: true });
    await rename(join(cut, `${index}.mp4`), path);
  }
  const yard = join(theirs, 'mediamtx', 'recordings', 'house', 'yard');
  await mkdir(yard, { recursive: true });
  const fragments = ['-movflags', 'empty_moov+default_base_moof+frag_keyframe'];
  await ffmpeg('-i', made, '-c', 'copy', ...fragments, join(yard, `${day}_12-00-00-250000.mp4`));
  await recordMoonfire(made);
  await breakSome(join(theirs, 'recordings', day, '12/gate'));
  await writeFile(
    join(theirs, 'config.yml'),
    'cameras: { gate: { ffmpeg: { inputs: [{ path: "rtsp://127.0.0.1:9/a", roles: [record] }] }, zones: { Street: {} } } }',
  );
  await writeFile(
    join(theirs, 'mediamtx', 'mediamtx.yml'),
    'paths: { house/yard: { source: "rtsp://127.0.0.1:9/b", record: no } }',
  );
}

/** Two recordings of H.264, whose camera's clock is slow, and one of H.265. */
async function recordMoonfire(made: string): Promise<void> {
  const [court, hall] = [join(folder, 'court.mp4'), join(folder, 'hall.mp4')];
  const hevc = [
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-x265-params',
    'bframes=0:log-level=none',
    '-tag:v',
    'hvc1',
  ];
  await run('ffmpeg', ['-v', 'error', '-y', '-i', made, '-an', '-c', 'copy', court]);
  await run('ffmpeg', ['-v', 'error', '-y', '-i', made, '-an', '-t', '4', ...hevc, hall]);
  database = await writeMoonfire(join(theirs, 'moonfire'), [
    { name: 'court', movie: court, startMs: noonMs, frameTicks: 3600, frames: [500, 500], driftTicks: 810 },
    { name: 'hall', movie: hall, startMs: noonMs + 50, frameTicks: 3600, frames: [100], driftTicks: 0 },
  ]);
}

/** Files that can't be played, of which one leads out of the folder. */
async function breakSome(gate: string): Promise<void> {
  const whole = await readFile(join(gate, '00.00.mp4'));
  await writeFile(join(gate, '00.30.mp4'), whole.subarray(0, whole.length >> 1));
  await writeFile(join(gate, '00.40.mp4'), '');
  await writeFile(join(gate, '00.50.mp4'), 'not a recording at all');
  for (const name of ['00.30.mp4', '00.50.mp4']) await utimes(join(gate, name), noonMs / 1000, noonMs / 1000);
  await copyFile(join(gate, '00.00.mp4'), join(folder, 'outside.mp4'));
  await symlink(join(folder, 'outside.mp4'), join(gate, '01.00.mp4'));
  await writeFile(join(gate, 'strange\nname.mp4'), 'x');
  await writeFile(join(gate, '99.99.mp4'), 'x');
}

/** `vidette import` beside the server; `to`: adds what it finds. */
async function imports(args: readonly string[], to = server.url) {
  const lines: string[] = [];
  const env = { VIDETTE_DATA: server.dataDir, VIDETTE_TOKEN: token, TZ: 'UTC' };
  const [product = '', ...others] = args;
  const words = [product, ...others.slice(0, 1), ...(to === '' ? [] : [to]), ...others.slice(1), '--json'];
  const code = await runCommand('import', words, env, (line) => void lines.push(line));
  const answer = JSON.parse(lines.join('')) as {
    messages: string[];
    recordings: {
      stream: string;
      files: number;
      knownFiles: number;
      goneFiles: number;
      durationMs: number;
      notes: { reason: string; files: number; example: string }[];
    }[];
  };
  return { code, ...answer };
}

async function uidOf(name: string): Promise<string> {
  const { items } = await client.listStreams({ query: {} });
  return items.find((stream) => stream.name === name)?.uid ?? '';
}

/** Of footage between two times, ms after noon. */
async function footage(name: string, fromMs: number, toMs: number) {
  const params = { uid: await uidOf(name) };
  const query = { start_time: noonMs + fromMs, end_time: noonMs + toMs };
  return (await client.getArchiveRanges({ params, query })).ranges.map(({ date, status }) => [
    date - noonMs,
    status,
  ]);
}

async function inspected(name: string, fromMs: number, toMs: number) {
  const uid = await uidOf(name);
  const query = `start_time=${noonMs + fromMs}&end_time=${noonMs + toMs}`;
  const response = await fetch(`${server.url}/v1/stream/${uid}/archive/download?${query}`, {
    headers: { cookie },
  });
  assert.equal(response.status, 200, await (response.ok ? '' : response.text()));
  return inspect(new Uint8Array(await response.arrayBuffer()));
}

/** Everything in the folders of the other programs: names, contents, and times of change. */
async function contentsOf(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile()) found.push(file);
    else {
      const { mtimeMs, mode } = await stat(file);
      const digest = createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
      found.push([file, mtimeMs, mode, digest].join(' '));
    }
  }
  return found.sort();
}

test('[R16.3] recordings of Frigate, MediaMTX and Moonfire NVR are previewed, indexed in place and played like our own', async (t) => {
  const untouched = await contentsOf(theirs);
  const preview = await imports(['frigate', theirs], '');
  assert.equal(preview.code, 0, preview.messages.join('\n'));
  const [gate] = preview.recordings;
  assert.deepEqual([gate?.stream, gate?.files, gate?.durationMs], ['gate', 4, 4 * fileMs]);
  assert.deepEqual(gate?.notes.map(({ reason, files }) => [reason, files]).sort(), [
    ["it can't be played: it has no moov box: the recording was not finished", 1],
    ["it can't be played: it is no MP4 file", 1],
    ['it is a symbolic link', 1],
    ['it is empty', 1],
    ['its name has no valid time', 1],
  ]);
  assert.equal((await client.listStreams({ query: {} })).total, 0);

  const frigate = await imports(['frigate', theirs]);
  assert.equal(frigate.code, 0, frigate.messages.join('\n'));
  const mediamtx = await imports(['mediamtx', join(theirs, 'mediamtx')]);
  assert.equal(mediamtx.code, 0, mediamtx.messages.join('\n'));
  const moonfire = await imports(['moonfire', join(theirs, 'moonfire')]);
  assert.equal(moonfire.code, 0, moonfire.messages.join('\n'));
  assert.deepEqual(
    moonfire.recordings.map(({ stream, files, durationMs, notes }) => [stream, files, durationMs, notes]),
    [
      ['court', 2, 2 * (20_000 + 9), []],
      ['hall', 1, 4_000, []],
    ],
  );
  await until(
    () => footage('gate', -60_000, 60_000),
    (ranges) => ranges.length === 3,
  );

  await t.test('the timeline shows them without a gap', async () => {
    assert.deepEqual(await footage('gate', -60_000, 60_000), [
      [-60_000, 'gap'],
      [-10_000, 'fragment'],
      [30_000, 'gap'],
    ]);
    const [, [beginMs, status] = [], [endMs] = []] = await footage('house/yard', -60_000, 60_000);
    assert.deepEqual([beginMs, status], [250, 'fragment']);
    // One recording follows the other by the recorder's clock.
    assert.deepEqual(await footage('court', -60_000, 60_000), [
      [-60_000, 'gap'],
      [0, 'fragment'],
      [40_018, 'gap'],
    ]);
    // FFmpeg rounds the last frame of a fragment.
    assert.ok(Math.abs(Number(endMs) - 40_250) < 40, String(endMs));
    const params = { uid: await uidOf('gate') };
    const month = { start_time: dayMs - 7 * 24 * hourMs, end_time: dayMs + 24 * hourMs };
    const { days } = await client.getArchiveDays({ params, query: { ...month, timezone_offset: 0 } });
    assert.deepEqual(days, [day]);
    const { segments, durationMs, bytes, importedBytes } = await client.getArchiveStats({ params });
    assert.deepEqual([segments, durationMs, importedBytes], [4, 4 * fileMs, bytes]);
  });

  await t.test('every byte range of a playlist can be read, and a download has all frames', async () => {
    for (const [name, fromMs, frames] of [
      ['gate', -10_000, 1000],
      ['house/yard', 250, 1000],
      ['court', 0, 1000],
      ['hall', 50, 100],
    ] as const) {
      const { tracks, consoleErrors } = await inspected(name, fromMs, fromMs + 40_018);
      assert.equal(consoleErrors, '');
      const hasAudio = ['gate', 'house/yard'].includes(name);
      assert.deepEqual(tracks.map(({ kind }) => kind).sort(), hasAudio ? ['audio', 'video'] : ['video']);
      const video = tracks.find(({ kind }) => kind === 'video');
      assert.equal(video?.decodedFrames, frames);
      const uid = await uidOf(name);
      const base = `${server.url}/v1/stream/${uid}/archive/`;
      const query = `start_time=${noonMs - 30_000}&end_time=${noonMs + 60_000}`;
      const playlist = await (await fetch(`${base}index.m3u8?${query}`, { headers: { cookie } })).text();
      const ranges = [...playlist.matchAll(/#EXT-X-BYTERANGE:(\d+)@(\d+)\n(\S+)/g)];
      assert.ok(ranges.length >= frames / 200, playlist);
      assert.ok(!playlist.includes('DISCONTINUITY'), playlist);
      for (const [, length, offset, file] of ranges) {
        const range = `bytes=${offset}-${Number(offset) + Number(length) - 1}`;
        const response = await fetch(new URL(file ?? '', base), { headers: { cookie, range } });
        assert.equal(response.status, 206);
        const bytes = Buffer.from(await response.arrayBuffer());
        assert.deepEqual([bytes.length, bytes.subarray(4, 8).toString()], [Number(length), 'moof']);
      }
    }
  });

  await t.test('the page plays them', async (inner) => {
    const page = await openPage(
      inner,
      { browser, url: server.url, cookie },
      `/stream/${await uidOf('gate')}/view?t=${noonMs - 5_000}`,
    );
    await page
      .locator('[data-player-state=playing][data-player-mode=archive]')
      .waitFor({ state: 'attached' });
    await assertMoves(page);
    // A user who deletes the stream with its footage reads what becomes of the files.
    await page.goto(`${server.url}/ui/stream/${await uidOf('gate')}/setting`);
    await page.getByRole('button', { name: 'Delete gate…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete gate?' });
    await dialog.getByText('their files are never deleted').waitFor();
    assert.deepEqual(await seriousFaults(page), []);
  });

  await t.test('importing again takes what is new and forgets what is gone', async () => {
    const gateFolder = join(theirs, 'recordings', day, '12/gate');
    const again = await imports(['frigate', theirs]);
    assert.deepEqual([again.recordings[0]?.files, again.recordings[0]?.knownFiles], [4, 4]);
    // Both streams have their files in one folder.
    const moonfireAgain = await imports(['moonfire', join(theirs, 'moonfire')]);
    assert.deepEqual(
      moonfireAgain.recordings.map(({ files, knownFiles, goneFiles }) => [files, knownFiles, goneFiles]),
      [
        [2, 2, 0],
        [1, 1, 0],
      ],
    );
    assert.deepEqual(await contentsOf(theirs), untouched);
    await copyFile(join(gateFolder, '00.00.mp4'), join(gateFolder, '01.10.mp4'));
    await rename(join(gateFolder, '00.10.mp4'), join(folder, 'moved.mp4'));
    const later = await imports(['frigate', theirs]);
    const { files, knownFiles, goneFiles } = later.recordings[0] ?? {};
    assert.deepEqual([files, knownFiles, goneFiles], [4, 3, 1]);
    assert.deepEqual(await footage('gate', -60_000, 120_000), [
      [-60_000, 'gap'],
      [-10_000, 'fragment'],
      [10_000, 'gap'],
      [20_000, 'fragment'],
      [30_000, 'gap'],
      [70_000, 'fragment'],
      [80_000, 'gap'],
    ]);
  });

  await t.test('a file that the other program deletes becomes a gap', async () => {
    await rm(join(theirs, 'recordings', day, '12/gate/01.10.mp4'));
    const { tracks } = await inspected('gate', 0, 90_000);
    assert.equal(tracks.find(({ kind }) => kind === 'video')?.decodedFrames, 500);
    assert.deepEqual(await footage('gate', 40_000, 120_000), [[40_000, 'gap']]);
    await rm(join(theirs, 'moonfire/sample/0000000100000001'));
    const { tracks: left } = await inspected('court', 0, 60_000);
    assert.equal(left[0]?.decodedFrames, 500);
  });

  await t.test(
    'they survive a restart, `check` finds nothing, and removing the stream leaves the files',
    async () => {
      const { dataDir } = server;
      await server.kill();
      server = await startServer({ dataDir });
      client = clientOf(server, cookie);
      assert.equal((await footage('house/yard', -60_000, 60_000)).length, 3);
      const lines: string[] = [];
      const code = await runCommand('check', [], { VIDETTE_DATA: dataDir }, (line) => void lines.push(line));
      assert.deepEqual([code, lines], [0, ['The archive is in order.']]);
      const kept = await contentsOf(theirs);
      await client.deleteStream({ params: { uid: await uidOf('house/yard') }, query: { purge: true } });
      const again = await imports(['mediamtx', join(theirs, 'mediamtx')]);
      assert.deepEqual([again.recordings[0]?.files, again.recordings[0]?.knownFiles], [1, 0]);
      assert.deepEqual(await contentsOf(theirs), kept);
    },
  );
});
