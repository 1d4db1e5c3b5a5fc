import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { atTime } from '@vidette/media/placed-sample';
import type { Sample } from '@vidette/media/sample';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Stream } from '../hub/stream.ts';
import { clipStartMs, encodeClip, type LiveClip } from './clip-fixture.ts';
import { LowLatencyHls } from './hls.ts';

let clip: LiveClip;
before(async () => {
  clip = await encodeClip({ seconds: 12 });
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const forever = new AbortController().signal;
const noQuery = new URLSearchParams();

class HlsScene {
  readonly clock = new ManualClock();
  readonly stream = new Stream('s');
  readonly hls = new LowLatencyHls({ stream: this.stream, clock: this.clock, log: silentLog });
  #written = 0;

  /** Writes the clip up to this second. */
  async writeTo(seconds: number): Promise<void> {
    const endMs = clipStartMs + seconds * 1_000;
    for (; this.#written < clip.samples.length; this.#written++) {
      const sample = clip.samples[this.#written];
      if (!sample || timeMs(sample) >= endMs) break;
      this.stream.write(sample);
    }
    await turn();
  }

  async text(file: string, query: Record<string, string> = {}): Promise<string> {
    const { body } = await this.hls.handle(file, new URLSearchParams(query), forever);
    assert.equal(typeof body, 'string');
    return String(body);
  }

  async bytes(file: string): Promise<Uint8Array> {
    const { body, contentType } = await this.hls.handle(file, noQuery, forever);
    assert.equal(contentType, 'video/mp4');
    assert.ok(body instanceof Uint8Array);
    return body;
  }
}

function timeMs({ dts, trackId }: Sample): number {
  return (dts * 1000) / (clip.tracks.find(({ id }) => id === trackId)?.timescale ?? 1);
}

/** A scene with a connected player and a running source. */
async function started(): Promise<HlsScene> {
  const scene = new HlsScene();
  scene.stream.setTracks(clip.tracks);
  await scene.writeTo(0.1);
  const first = scene.text('media.m3u8');
  await scene.writeTo(1.5);
  await first;
  return scene;
}

const values = (playlist: string, tag: RegExp) => [...playlist.matchAll(tag)].map(([, value]) => value ?? '');
const hasCode = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('[R7.12] the playlist lists segments of complete GOPs and parts within their declared duration', async () => {
  const scene = await started();
  await scene.writeTo(11.9);
  const playlist = await scene.text('media.m3u8');
  assert.match(playlist, /#EXT-X-TARGETDURATION:4\n/);
  assert.match(playlist, /CAN-BLOCK-RELOAD=YES/);
  assert.equal(values(playlist, /#EXT-X-MAP:URI="(.*)"/g).join(), 'init-1.mp4');
  const lengths = values(playlist, /#EXTINF:([\d.]+),/g).map(Number);
  assert.deepEqual(lengths, [1, 2, 2, 2, 2, 2]);
  const parts = values(playlist, /#EXT-X-PART:DURATION=([\d.]+)/g).map(Number);
  const declared = Number(values(playlist, /PART-TARGET=([\d.]+)/g)[0]);
  assert.ok(parts.every((seconds) => seconds <= declared));
  // Four frames, so that a frame waits for 100 ms on average; the last part of a GOP is one frame.
  assert.equal(declared, 0.18);
  for (const seconds of parts.filter((duration) => duration < 0.85 * declared)) assert.equal(seconds, 0.04);
  assert.equal(values(playlist, /(INDEPENDENT=YES)/g).length, 10 + 2);
  const dates = values(playlist, /#EXT-X-PROGRAM-DATE-TIME:(.*)/g).map((date) => Date.parse(date));
  assert.deepEqual(
    dates,
    [0, 1, 3, 5, 7, 9, 11].map((second) => clipStartMs + second * 1_000),
  );
  assert.doesNotMatch(playlist, /ENDLIST|DISCONTINUITY\n/);
});

test('[R7.12] audio that starts a little after the video is in the first init segment', async () => {
  const scene = new HlsScene();
  const playlist = scene.text('media.m3u8');
  scene.stream.setTracks(clip.tracks);
  const video = clip.samples.filter(({ trackId }) => trackId === 1);
  const audio = clip.samples.filter(({ trackId }) => trackId === 2);
  // The audio of the first second follows its fourth frame.
  const first = video.slice(0, 4);
  const rest = video.slice(4, 51);
  for (const sample of first) {
    scene.stream.write(sample);
    await turn();
    scene.clock.advance(40);
  }
  for (const sample of [...audio.slice(0, 48), ...rest]) scene.stream.write(sample);
  scene.clock.advance(50);
  await turn();
  assert.deepEqual(values(await playlist, /#EXT-X-MAP:URI="(.*)"/g), ['init-1.mp4']);
  assert.doesNotMatch(await playlist, /DISCONTINUITY\n/);
  assert.match(await scene.text('index.m3u8'), /mp4a\.40\.2/);
});

test('every file in the playlist exists, and the parts of a segment make up the segment', async () => {
  const scene = await started();
  await scene.writeTo(7.9);
  const playlist = await scene.text('media.m3u8');
  for (const file of values(playlist, /^(segment-.*)$/gm)) {
    const sequence = /\d+/.exec(file)?.[0] ?? '';
    const parts = values(playlist, new RegExp(`PART:.*URI="(part-${sequence}-\\d+\\.m4s)"`, 'g'));
    assert.ok(parts.length >= 3);
    const joined = Buffer.concat(await Promise.all(parts.map((part) => scene.bytes(part))));
    assert.ok(joined.equals(await scene.bytes(file)));
  }
  const multivariant = await scene.text('index.m3u8');
  assert.match(multivariant, /CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2",RESOLUTION=320x240/);
  assert.match(multivariant, /^media\.m3u8$/m);
});

test('a reload blocks until the requested part exists, and so does a request for the hinted part', async () => {
  const scene = await started();
  const playlist = await scene.text('media.m3u8');
  const hint = values(playlist, /PRELOAD-HINT:TYPE=PART,URI="(.*)"/g)[0] ?? '';
  assert.equal(hint, 'part-1-3.m4s');
  const done: string[] = [];
  const reload = scene.text('media.m3u8', { _HLS_msn: '1', _HLS_part: '3' }).then((text) => {
    done.push('reload');
    return text;
  });
  const part = scene.bytes(hint).then(() => done.push('part'));
  const segment = scene.text('media.m3u8', { _HLS_msn: '1' }).then(() => done.push('segment'));
  await turn();
  assert.equal(done.length, 0);
  await scene.writeTo(1.9);
  await Promise.all([reload, part]);
  assert.match(await reload, /URI="part-1-3\.m4s"/);
  assert.ok(!done.includes('segment'));
  await scene.writeTo(3.1);
  await segment;
});

test('wrong positions, unknown files and a viewer that left are answered without waiting', async () => {
  const scene = await started();
  await assert.rejects(scene.text('media.m3u8', { _HLS_msn: '40' }), hasCode('ValidationError'));
  await assert.rejects(scene.text('media.m3u8', { _HLS_part: '1' }), hasCode('ValidationError'));
  await assert.rejects(scene.text('media.m3u8', { _HLS_msn: '-1' }), hasCode('ValidationError'));
  for (const file of [
    'part-9-9.m4s',
    'segment-9.m4s',
    'init-9.mp4',
    'x',
    '../media.m3u8',
    'part-0-99999.m4s',
  ]) {
    await assert.rejects(scene.hls.handle(file, noQuery, forever), hasCode('NotFound'), file);
  }
  const abort = new AbortController();
  const left = scene.hls.handle('media.m3u8', new URLSearchParams({ _HLS_msn: '1' }), abort.signal);
  const reason = new Error('left');
  abort.abort(reason);
  await assert.rejects(left, reason);
  const late = scene.text('media.m3u8', { _HLS_msn: '1' });
  await turn();
  scene.clock.advance(12_000);
  await assert.rejects(late, hasCode('Unavailable'));
});

test('a source that delivers nothing is Unavailable, and reading stops after the last request', async () => {
  const scene = new HlsScene();
  const playlist = scene.text('index.m3u8');
  assert.ok(scene.hls.isActive);
  scene.clock.advance(12_000);
  await assert.rejects(playlist, hasCode('Unavailable'));
  scene.clock.advance(60_000);
  assert.ok(!scene.hls.isActive);
  assert.equal(scene.stream.readerCount, 0);
  assert.equal(scene.clock.pendingTimers, 0);
});

test('after a pause of the stream the numbering continues and a discontinuity is declared', async () => {
  const scene = await started();
  await scene.writeTo(4.5);
  scene.clock.advance(60_000);
  assert.ok(!scene.hls.isActive);
  await scene.writeTo(7.05);
  const again = scene.text('media.m3u8');
  await scene.writeTo(8.1);
  const playlist = await again;
  assert.match(playlist, /#EXT-X-MEDIA-SEQUENCE:3\n/);
  assert.equal(values(playlist, /#EXT-X-MAP:URI="(.*)"/g).join(), 'init-2.mp4');
});

test('new parameters and a source that returns begin a segment after a discontinuity', async () => {
  const scene = await started();
  await scene.writeTo(4.5);
  scene.stream.pause('no-frames');
  scene.stream.setTracks(clip.tracks.map((track) => ({ ...track })));
  await scene.writeTo(8.5);
  const playlist = await scene.text('media.m3u8');
  assert.equal(values(playlist, /(#EXT-X-DISCONTINUITY)\n/g).length, 1);
  assert.deepEqual(values(playlist, /#EXT-X-MAP:URI="(.*)"/g), ['init-1.mp4', 'init-2.mp4']);
});

test('the end of the stream is written to the playlist and wakes waiting requests', async () => {
  const scene = await started();
  const waiting = scene.text('media.m3u8', { _HLS_msn: '2' });
  scene.stream.end('removed');
  assert.match(await waiting, /#EXT-X-ENDLIST/);
});

test('the window is bounded however long it runs', async () => {
  const scene = await started();
  const seconds = 12;
  for (let round = 0; round < 10; round++) {
    for (const sample of clip.samples) {
      const timescale = clip.tracks.find(({ id }) => id === sample.trackId)?.timescale ?? 1;
      const shift = (round + 1) * seconds * timescale;
      scene.stream.write(atTime(sample, sample.dts + shift, sample.pts + shift));
    }
    await turn();
  }
  const playlist = await scene.text('media.m3u8');
  assert.ok(values(playlist, /^(segment-.*)$/gm).length <= 8);
  await assert.rejects(scene.bytes('segment-0.m4s'), hasCode('NotFound'));
});

test('ffprobe and ffmpeg read it without an error', async (t) => {
  const scene = await started();
  await scene.writeTo(11.5);
  scene.stream.end('removed');
  await turn();
  const url = await serve(t, scene.hls);
  const run = promisify(execFile);
  const probed = await run('ffprobe', [
    '-v',
    'warning',
    '-show_entries',
    'stream=codec_name',
    '-of',
    'csv=p=0',
    url,
  ]);
  assert.deepEqual(new Set(probed.stdout.trim().split(/\s+/)), new Set(['h264', 'aac']));
  assert.equal(probed.stderr, '');
  const counted = await run('ffmpeg', ['-v', 'error', '-i', url, '-map', '0:v', '-f', 'framemd5', '-']);
  assert.equal(counted.stderr, '');
  const frames = counted.stdout.split('\n').filter((line) => /^\d/.test(line));
  assert.ok(frames.length > 0 && new Set(frames).size === frames.length);
});

async function serve(t: TestContext, hls: LowLatencyHls): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    hls.handle(url.pathname.slice(1), url.searchParams, forever).then(
      ({ body, contentType }) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.m3u8`;
}
