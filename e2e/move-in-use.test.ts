// Everything that a server does with footage, done with recordings of another program, alone and together with its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { ChangeLine } from '@vidette/contract/archive-changes';
import type { Client } from '@vidette/contract/client';
import { runCommand } from '../server/src/cli/command-line.ts';
import { administratorOf, until } from './api.ts';
import { download, inspect, recorded } from './footage.ts';
import { startServer, type TestServer } from './server.ts';

const run = promisify(execFile);
const fileMs = 10_000;
/** When the other program began: it recorded 20 s of H.264 with audio, and 20 s of H.265 with larger frames. */
const startMs = Math.floor(Date.now() / fileMs) * fileMs - 90_000;
const endMs = startMs + 4 * fileMs;
const framesPerSecond = 25;

let folder: string;
let theirs: string;
let server: TestServer;
let client: Client;
let uid: string;
/** Of the recording by this server. */
let own: { startMs: number; endMs: number };

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-move-in-use-'));
  theirs = join(folder, 'recordings');
  [server] = await Promise.all([startServer({ env: { VIDETTE_EXPORT_MIN_FREE_BYTES: '0' } }), record()]);
  ({ client } = await administratorOf(server));
  ({ uid } = await client.addStream({
    body: { name: 'gate', streamSource: 'demo:', archive: { isEnable: true } },
  }));
  const { secret } = await client.addToken({ body: { name: 'import', expireTime: null } });
  await writeFile(
    join(folder, 'config.yml'),
    'cameras: { gate: { ffmpeg: { inputs: [{ path: "rtsp://127.0.0.1:9/a", roles: [record] }] } } }',
  );
  const env = { VIDETTE_DATA: server.dataDir, VIDETTE_TOKEN: secret };
  const lines: string[] = [];
  const code = await runCommand(
    'import',
    ['frigate', folder, server.url],
    env,
    (line) => void lines.push(line),
  );
  assert.equal(code, 0, lines.join('\n'));
  // The import began after the last file, and the recording by this server still later.
  const pieces = await until(
    () => recorded(client, uid),
    (found) => found.some((piece) => piece.startMs > endMs && piece.endMs - piece.startMs > 4_000),
    60_000,
  );
  const last = pieces.at(-1);
  assert.ok(last && last.startMs > endMs);
  own = { startMs: Math.ceil(last.startMs), endMs: Math.floor(last.startMs) + 3_000 };
});

after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function record(): Promise<void> {
  const cut = join(folder, 'cut');
  await mkdir(cut);
  const make = async (size: string, name: string, coding: readonly string[]) => {
    const video = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${framesPerSecond}:d=20`];
    const audio = ['-f', 'lavfi', '-i', 'sine=r=48000:d=20', '-c:a', 'aac'];
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
    await run('ffmpeg', [
      ...[
        '-v',
        'error',
        ...video,
        ...audio,
        ...coding,
        '-pix_fmt',
        'yuv420p',
        '-force_key_frames',
        'expr:gte(t,n_forced*2)',
      ],
      ...[...segments, join(cut, `${name}%d.mp4`)],
    ]);
  };
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
  await make('320x180', 'a', ['-c:v', 'libx264', '-preset', 'ultrafast']);
  await make('640x360', 'b', hevc);
  for (const [index, name] of ['a0', 'a1', 'b0', 'b1'].entries()) {
    const [day = '', time = ''] = new Date(startMs + index * fileMs).toISOString().split('T');
    const path = join(theirs, day, time.slice(0, 2), 'gate', `${time.slice(3, 5)}.${time.slice(6, 8)}.mp4`);
    await mkdir(dirname(path), { recursive: true });
    await rename(join(cut, `${name}.mp4`), path);
  }
}

/** Names of all files of the other program. */
async function files(): Promise<string[]> {
  return (await readdir(theirs, { recursive: true })).filter((name) => name.endsWith('.mp4')).sort();
}

test('[R16.3] stills and converted video of imported footage, of either codec', async () => {
  const params = { uid };
  // As many as the search by eye shows at a time.
  const times = Array.from({ length: 16 }, (_, index) => startMs + 1_000 + index * 2_400);
  const stills = await Promise.all(
    times.map(async (time) => {
      const still = await client.getArchivePicture({ params, query: { time, width: 320 } });
      return {
        atMs: Number(still.headers.get('x-picture-time')),
        bytes: (await still.arrayBuffer()).byteLength,
      };
    }),
  );
  assert.deepEqual(
    stills.map(({ atMs }) => atMs),
    times.map((time) => startMs + Math.floor((time - startMs) / 2_000) * 2_000),
  );
  assert.ok(stills.every(({ bytes }) => bytes > 1_000));
  const reply = await client.getArchiveConverted({ params, query: { time: endMs - 5_000 } });
  const { tracks } = await inspect(new Uint8Array(await reply.arrayBuffer()));
  const video = tracks.find(({ kind }) => kind === 'video');
  assert.deepEqual([video?.codec, video?.width], ['h264', 640]);
});

test('[R16.3] a download, a playlist and an export have imported footage of two codecs and own footage', async (t) => {
  const span = { startMs, endMs: own.endMs };
  await t.test('download', async () => {
    // Each file has one codec, and says where the next one begins.
    const found: unknown[] = [];
    for (let fromMs = startMs, isMore = true; isMore;) {
      const { footage, headers } = await download(client, uid, { ...span, startMs: fromMs });
      assert.equal(footage.consoleErrors, '');
      const video = footage.tracks.find(({ kind }) => kind === 'video');
      fromMs = Number(headers.get('x-archive-end'));
      isMore = headers.get('x-archive-stops-at-change') === 'true';
      found.push([
        video?.codec,
        isMore ? video?.decodedFrames : undefined,
        isMore ? fromMs - startMs : undefined,
      ]);
    }
    const frames = 20 * framesPerSecond;
    assert.deepEqual(found, [
      ['h264', frames, 2 * fileMs],
      ['hevc', frames, 4 * fileMs],
      ['h264', undefined, undefined],
    ]);
    const part = await download(client, uid, { startMs: startMs + 4_000, endMs: startMs + 6_000 });
    assert.equal(
      part.footage.tracks.find(({ kind }) => kind === 'video')?.decodedFrames,
      2 * framesPerSecond,
    );
  });
  await t.test('playlist', async () => {
    const query = { start_time: startMs, end_time: own.endMs };
    const playlist = await (await client.getArchivePlaylist({ params: { uid }, query })).text();
    const durations = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds));
    const seconds = durations.reduce((sum, one) => sum + one, 0);
    assert.ok(seconds > 42 && seconds < 46, playlist);
    assert.ok((playlist.match(/#EXT-X-DISCONTINUITY\n/g)?.length ?? 0) >= 2, playlist);
  });
  await t.test('export', async () => {
    const body = { streams: [uid], startTime: startMs, endTime: own.endMs, name: 'Both' };
    const { id } = await client.addExport({ body });
    const made = await until(
      () => client.getExport({ params: { id } }),
      ({ status }) => status === 'ready' || status === 'failed',
      60_000,
    );
    assert.equal(made.status, 'ready', JSON.stringify(made));
    const zip = join(folder, 'package.zip');
    await writeFile(
      zip,
      new Uint8Array(await (await client.downloadExport({ params: { id } })).arrayBuffer()),
    );
    const lines: string[] = [];
    assert.equal(await runCommand('verify', [zip], {}, (line) => void lines.push(line)), 0, lines.join('\n'));
    assert.match(lines.join('\n'), /gate: \d+ files, 4[2-5]\.\d s, gaps: \d\n/);
  });
});

test('[R16.3] a digest and the search for a change work on imported footage', async () => {
  const time = startMs + 18_000;
  const add = { streamId: uid, kind: 'person', time, timeEnd: time + 4_000, note: '' };
  await client.addAnnotation({ body: add });
  const span = { startTime: startMs, endTime: endMs };
  const { id } = await client.addDigestExport({
    body: { streams: [uid], ...span, name: '', timeZone: 'UTC', language: 'en' },
  });
  const made = await until(
    () => client.getExport({ params: { id } }),
    ({ status }) => status === 'ready' || status === 'failed',
    60_000,
  );
  assert.equal(made.status, 'ready', JSON.stringify(made));
  const reply = await client.downloadExport({ params: { id } });
  const { tracks } = await inspect(new Uint8Array(await reply.arrayBuffer()));
  const video = tracks.find(({ kind }) => kind === 'video');
  // The event, from H.264 to H.265, with two seconds before and after it.
  const last = video?.packets.at(-1);
  assert.ok(last && Math.abs(last.pts + last.durationSeconds - 8) < 0.5, JSON.stringify(last));

  const query = { start_time: startMs, end_time: endMs, left: 0, top: 0, width: 1, height: 1 };
  const lines = (await (await client.searchArchiveChanges({ params: { uid }, query })).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ChangeLine);
  const end = lines.at(-1);
  assert.ok(end?.type === 'end' && end.reason === 'complete' && end.unreadable === 0, JSON.stringify(lines));
});

test('[R16.3] a depth and holds leave imported footage as it is; deleting all footage takes it off the timeline', async () => {
  const found = await files();
  const params = { uid };
  assert.deepEqual(await client.listHolds({ params }), { items: [] });
  const { bytes, importedBytes, startTime } = await client.getArchiveStats({ params });
  assert.ok(importedBytes !== undefined && importedBytes > 0 && importedBytes < bytes);
  assert.equal(startTime, startMs);
  const loss = await client.getArchiveLoss({ params, query: { depth_hours: 1 } });
  assert.equal(loss.bytes, 0);
  await client.saveStream({ params, body: { archive: { depthHours: 1 } } });
  const query = { start_time: startMs, end_time: endMs };
  const { ranges } = await client.getArchiveRanges({ params, query });
  assert.deepEqual(
    ranges.map(({ date, status }) => [date - startMs, status]),
    [[0, 'fragment']],
  );
  assert.deepEqual(await files(), found);
  await client.deleteStream({ params, query: { purge: true } });
  assert.deepEqual(await files(), found);
});
