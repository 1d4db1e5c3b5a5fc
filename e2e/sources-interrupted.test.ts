import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type HlsPlayer from 'hls.js';
import { addressOf } from '@vidette/contract/routes';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { desktop, launchBrowser, newPerson } from './browser.ts';
import {
  download,
  pauseAndDownload,
  framesOf,
  recordedFor,
  runTool,
  type DownloadProbe,
  type Fragment,
} from './footage.ts';
import { LiveViewer } from './live-viewer.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { gstVideo, startGstServer, type GstServer } from './rtsp/gst-server.ts';
import { startServer, type TestServer } from './server.ts';
import { maxAheadMs } from '../server/src/ingest/timing.ts';

const framesPerSecond = 20;
const frameMs = 1000 / framesPerSecond;
const gopFrames = 10;
/** Shorter GOPs share a fragment, see `server/src/archive/gop-assembler.ts`. */
const leastFragmentMs = 450;
/** Frames that a camera sends before it hangs or changes. */
const firstFrames = 100;

let server: TestServer;
let client: Client;
let cookie: string;
let dropping: GstServer;
const cameras: FakeCamera[] = [];
const uids = { dropping: '', stalling: '', changing: '' };
let viewer: LiveViewer;

before(async () => {
  const clip = await encodeClip({ framesPerSecond, gopFrames });
  const other = await encodeClip({ framesPerSecond, gopFrames, width: 160, height: 120 });
  const stalling = await startFakeCamera({ clip, stallAfter: firstFrames });
  const changing = await startFakeCamera({ clip, change: { at: firstFrames, clip: other } });
  cameras.push(stalling, changing);
  dropping = await startGstServer({ mounts: { '/cam': `( ${gstVideo('h264')} )` }, dropEverySeconds: 8 });
  server = await startServer({ env: { VIDETTE_SOURCE_NO_FRAMES_SECONDS: '2' } });
  ({ client, cookie } = await administratorOf(server));
  uids.changing = await add('Changes', changing.url);
  viewer = await LiveViewer.watch(server, cookie, uids.changing);
  uids.stalling = await add('Stalls', stalling.url);
  uids.dropping = await add('Drops', dropping.url('/cam'));
});

after(async () => {
  viewer?.close();
  await server?.stop();
  await Promise.all([dropping?.stop(), ...cameras.map((camera) => camera.stop())]);
});

async function add(name: string, streamSource: string): Promise<string> {
  const { uid } = await client.addStream({ body: { name, streamSource } });
  return uid;
}

test('[R10.2] [R4.9] a camera that stops sending while its socket stays open is detected, reported, and recorded again', async () => {
  const uid = uids.stalling;
  const failed = await until(
    () => client.getStream({ params: { uid } }),
    ({ status }) => status === 'failed',
  );
  assert.match(failed.failureReason ?? '', /stopped sending video/);
  const [first, second] = await recordedFor(client, uid, 2_000, 2);
  assert.ok(first && second);
  assert.ok(second.startMs - first.endMs >= 2_000, 'the gap holds the silence that was waited for');
  const { footage, headers } = await download(client, uid, first);
  const { packets, decodedFrames } = framesOf(footage);
  assert.equal(footage.consoleErrors, '');
  assert.equal(packets.length, firstFrames);
  assert.equal(decodedFrames, firstFrames);
  const durationMs = Number(headers.get('x-archive-duration'));
  assertEven(durationMs, firstFrames * frameMs);
  assertLength(footage, durationMs);
});

test('[R10.2] [R10.3] a server that drops its clients repeatedly: each drop is a gap, everything in between is recorded', async () => {
  const uid = uids.dropping;
  const pieces = await recordedFor(client, uid, 4_000, 2);
  const [first, second] = pieces.filter(({ startMs, endMs }) => endMs - startMs >= 4_000);
  assert.ok(first && second && second.startMs > first.endMs);
  const { items } = await client.getStreamLogs({ params: { uid } });
  assert.ok(items.some(({ message }) => /closed the connection/.test(message)));
  for (const piece of [first, second]) {
    const { footage } = await download(client, uid, piece);
    assert.equal(footage.consoleErrors, '');
    const times = framesOf(footage).packets.map(({ dts }) => dts);
    times.slice(1).forEach((dts, index) => assert.ok((dts - (times[index] ?? 0)) * 15 < 1.5));
  }
});

test('[R10.1] [R10.3] parameter sets that change midway begin a new file, and both parts play', async () => {
  const uid = uids.changing;
  const media = await until(
    () => viewer.media,
    (seen) => seen.length >= 2 && (seen[1]?.fragments.length ?? 0) > framesPerSecond,
  );
  const widths = media.map(({ init }) => init.tracks[0]?.width);
  assert.deepEqual(widths, [320, 160]);
  const changeMs = media[1]?.init.startMs ?? 0;
  const whole = await pauseAndDownload(client, uid);
  const first = await download(client, uid, { startMs: changeMs - 60_000, endMs: changeMs });
  const rest = await download(client, uid, { startMs: changeMs, endMs: Date.now() });
  assert.equal(framesOf(first.footage).packets.length, firstFrames);
  assert.deepEqual(
    [first, rest].map(({ footage }) => framesOf(footage).width),
    [320, 160],
  );
  for (const { footage } of [whole, first, rest]) {
    assert.equal(footage.consoleErrors, '');
    const { packets, decodedFrames } = framesOf(footage);
    assert.equal(decodedFrames, packets.length);
  }
  const parts = [first, rest].map(({ footage }) => framesOf(footage).packets.length);
  assert.equal(
    framesOf(whole.footage).packets.length,
    parts.reduce((sum, count) => sum + count, 0),
  );
  const { text } = await playlistOf(uid, { startMs: changeMs - 60_000, endMs: Date.now() });
  assert.equal(text.match(/#EXT-X-MAP:/g)?.length, 2);
  assert.equal(text.match(/#EXT-X-DISCONTINUITY\n/g)?.length, 1);
});

test('[R7.16] [R9.3] the length of a download is the requested span minus its gap, within one frame at each end', async () => {
  const uid = uids.stalling;
  const [first, second] = await recordedFor(client, uid, 3_000, 2);
  assert.ok(first && second);
  const gapMs = second.startMs - first.endMs;
  const asked = { startMs: first.startMs + 1_730, endMs: second.startMs + 1_270 };
  const inGop = await download(client, uid, asked);
  const startMs = Number(inGop.headers.get('x-archive-start'));
  assert.equal(inGop.headers.get('x-archive-exact'), 'gop');
  const earlyMs = asked.startMs - startMs;
  // One GOP; or two, if the correction of `assertEven` made them too short for a fragment of their own.
  assert.ok(earlyMs >= 0 && earlyMs < 2 * leastFragmentMs, `${earlyMs} ms before what was requested`);
  assertLength(inGop.footage, asked.endMs - startMs - gapMs);
  const onKey = await download(client, uid, { ...asked, startMs });
  assert.equal(onKey.headers.get('x-archive-exact'), 'frame');
  assertLength(onKey.footage, asked.endMs - startMs - gapMs);
  assert.equal(inGop.footage.consoleErrors + onKey.footage.consoleErrors, '');
});

test('[R7.17] FFmpeg reads the playlist across the gap: every frame, no warning', async () => {
  const uid = uids.stalling;
  const [first, second] = await recordedFor(client, uid, 3_000, 2);
  assert.ok(first && second);
  const { url, text } = await playlistOf(uid, { startMs: first.startMs, endMs: second.startMs + 2_000 });
  assert.equal(text.match(/#EXT-X-DISCONTINUITY\n/g)?.length, 1);
  const input = ['-headers', `cookie: ${cookie}\r\n`, '-i', url];
  const probed = await runTool('ffprobe', [
    ...['-v', 'warning', ...input, '-count_packets', '-show_entries', 'stream=nb_read_packets'],
    ...['-of', 'csv=p=0'],
  ]);
  assert.equal(probed.stderr, '');
  const seconds = [...text.matchAll(/#EXTINF:([\d.]+)/g)].reduce(
    (sum, [, length]) => sum + Number(length),
    0,
  );
  // FFmpeg numbers each programme it finds in a playlist and lists the stream there again.
  const frames = Number(probed.stdout.trim().split('\n')[0]);
  assertEven(seconds * 1_000, frames * frameMs);
  const whole = await Promise.all(
    [first, { startMs: second.startMs, endMs: second.startMs + 2_000 }].map((span) =>
      download(client, uid, span),
    ),
  );
  const recordedFrames = whole.map(({ footage }) => framesOf(footage).packets.length);
  // A playlist continues to the end of the GOP.
  const missing = recordedFrames.reduce((sum, count) => sum + count, 0) - frames;
  assert.ok(
    missing <= 0 && missing > -gopFrames,
    `${recordedFrames.join(' + ')} frames, ${frames} in the playlist`,
  );
  // With the frames' own times: counted in twentieths of a second, as FFmpeg does otherwise, two frames of
  // which one is 10 ms shorter (see `assertEven`) may get the same number, which it reports.
  const ownTimes = ['-fps_mode', 'passthrough', '-enc_time_base', '1/90000'];
  const decode = ['-v', 'warning', ...input, '-threads', '1', ...ownTimes, '-f', 'null', '-'];
  const decoded = await runTool('ffmpeg', decode);
  assert.equal(decoded.stderr, '');
});

test('[R7.17] [R4.8] hls.js plays the playlist across the gap', async () => {
  const uid = uids.stalling;
  const [first, second] = await recordedFor(client, uid, 3_000, 2);
  assert.ok(first && second);
  const { url } = await playlistOf(uid, { startMs: first.startMs, endMs: second.startMs + 2_000 });
  const script = await readFile(new URL('../node_modules/hls.js/dist/hls.min.js', import.meta.url), 'utf8');
  const browser = await launchBrowser();
  try {
    const person = await newPerson(browser, desktop);
    const [name = '', value = ''] = cookie.split('=');
    await person.addCookies([{ name, value, url: server.url }]);
    const page = await person.newPage();
    const html = '<!doctype html><video muted></video><script src="/player.js"></script>';
    await page.route('**/player.html', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.route('**/player.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    );
    await page.goto(`${server.url}/player.html`);
    const firstSeconds = (first.endMs - first.startMs) / 1000;
    const seen = await page.evaluate(
      ({ address, untilSeconds }) =>
        new Promise<{ errors: string[]; frames: number; buffered: number[][] }>((resolve) => {
          const { Hls } = window as unknown as { Hls: typeof HlsPlayer };
          const video = document.querySelector('video');
          if (!video) return;
          const errors: string[] = [];
          const player = new Hls({ startPosition: 0 });
          player.on(Hls.Events.ERROR, (_, { details, fatal, error, buffer = 0 }) => {
            // Warnings of the player: that an append changed nothing, which the final buffer shows; and that a
            // browser that is slow to decode will not continue, which the frames show.
            const isSuspicion =
              details === Hls.ErrorDetails.BUFFER_APPEND_NO_PROGRESS ||
              (details === Hls.ErrorDetails.BUFFER_STALLED_ERROR && buffer > 0.5);
            if (fatal || !isSuspicion) errors.push(`${details}: ${error.message}`);
          });
          player.loadSource(address);
          player.attachMedia(video);
          let frames = 0;
          const onFrame = (_: number, { mediaTime }: { mediaTime: number }) => {
            frames++;
            const buffered = Array.from({ length: video.buffered.length }, (_, index) => [
              video.buffered.start(index),
              video.buffered.end(index),
            ]);
            if (mediaTime > untilSeconds) resolve({ errors, frames, buffered });
            else video.requestVideoFrameCallback(onFrame);
          };
          video.requestVideoFrameCallback(onFrame);
          video.playbackRate = 2;
          void video.play();
        }),
      { address: url, untilSeconds: firstSeconds + 1 },
    );
    assert.deepEqual(seen.errors, []);
    assert.equal(seen.buffered.length, 1, `without a hole: ${JSON.stringify(seen.buffered)}`);
    const [fromSeconds = NaN, toSeconds = NaN] = seen.buffered[0] ?? [];
    assert.ok(
      fromSeconds <= 0.1 && toSeconds >= firstSeconds + 1,
      `${fromSeconds} to ${toSeconds} s of ${firstSeconds} and 1`,
    );
    assert.ok(seen.frames > framesPerSecond, `${seen.frames} frames were shown`);
  } finally {
    await browser.close();
  }
});

async function playlistOf(uid: string, { startMs, endMs }: Fragment): Promise<{ url: string; text: string }> {
  const query = { start_time: startMs, end_time: endMs };
  const response = await client.getArchivePlaylist({ params: { uid }, query });
  return { url: server.url + addressOf('getArchivePlaylist', { uid }, query), text: await response.text() };
}

/**
 * Asserts that this many frames last this long. A first packet that was delayed on a busy machine dates all
 * later ones too late; the correction shortens the frames that follow by up to `maxAheadMs` together, and none
 * is missing.
 */
function assertEven(actualMs: number, expectedMs: number): void {
  assert.ok(
    actualMs <= expectedMs * 1.01 + 1 && actualMs >= expectedMs - maxAheadMs,
    `${actualMs} ms for ${expectedMs} ms`,
  );
}

/**
 * Asserts that the shown video, from the first frame to the end of the last, is this long, within one frame.
 */
function assertLength(footage: DownloadProbe, expectedMs: number): void {
  const { packets } = framesOf(footage);
  const [first, last] = [packets[0], packets.at(-1)];
  assert.ok(first && last);
  const lengthMs = (last.pts + last.durationSeconds - first.pts) * 1000;
  assert.ok(Math.abs(lengthMs - expectedMs) <= frameMs + 2, `${lengthMs} ms for ${expectedMs} ms`);
}
