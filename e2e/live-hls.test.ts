import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type HlsPlayer from 'hls.js';
import { chromium, type Browser } from 'playwright-core';
import { atTime } from '@vidette/media/placed-sample';
import { systemClock } from '../server/src/base/clock.ts';
import { silentLog } from '../server/src/base/log.ts';
import { encodeClip, type LiveClip } from '../server/src/live/clip-fixture.ts';
import { LowLatencyHls } from '../server/src/live/hls.ts';
import { Stream } from '../server/src/hub/stream.ts';

const clipSeconds = 4;
const page = `<!doctype html><video id="v" muted></video><script src="/hls.min.js"></script>`;

let browser: Browser;
let server: Server;
let stopCamera: () => void;
let clip: LiveClip;
const stream = new Stream('s');
const hls = new LowLatencyHls({ stream, clock: systemClock, log: silentLog });

before(async () => {
  clip = await encodeClip({ seconds: clipSeconds });
  stopCamera = playInALoop(clip, stream);
  const script = await readFile(new URL('../node_modules/hls.js/dist/hls.min.js', import.meta.url));
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    else if (pathname === '/hls.min.js') response.end(script);
    else {
      const abort = new AbortController();
      response.on('close', () => abort.abort());
      hls.handle(pathname.slice(1), searchParams, abort.signal).then(
        (reply) =>
          response.writeHead(200, { 'content-type': reply.contentType, ...reply.headers }).end(reply.body),
        () => response.writeHead(404).end(),
      );
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
});

after(async () => {
  await browser.close();
  stopCamera();
  stream.end('removed');
  hls.close();
  server.closeAllConnections();
  server.close();
});

/** Writes the clip repeatedly in real time, as a camera does. */
function playInALoop({ samples, tracks }: LiveClip, to: Stream): () => void {
  const timescaleOf = (trackId: number) => tracks.find(({ id }) => id === trackId)?.timescale ?? 1;
  const startMs = Date.now();
  let written = 0;
  to.setTracks(tracks);
  const timer = setInterval(() => {
    for (;;) {
      const round = Math.floor(written / samples.length);
      const sample = samples[written % samples.length];
      if (!sample) return;
      const timescale = timescaleOf(sample.trackId);
      const firstDts = (samples.find(({ trackId }) => trackId === sample.trackId)?.dts ?? 0) / timescale;
      const mediaSeconds = sample.dts / timescale - firstDts + round * clipSeconds;
      if (startMs + mediaSeconds * 1000 > Date.now()) return;
      const shift = round * clipSeconds * timescale;
      to.write(atTime(sample, sample.dts + shift, sample.pts + shift));
      written++;
    }
  }, 10);
  return () => clearInterval(timer);
}

test('[R7.12] hls.js plays the live stream with low latency, and the video moves', async () => {
  const tab = await browser.newPage();
  await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const seen = await tab.evaluate(
    () =>
      new Promise<{
        frames: number;
        seconds: number;
        errors: string[];
        latency: number;
        isLowLatency: boolean;
      }>((resolve) => {
        const { Hls } = window as unknown as { Hls: typeof HlsPlayer };
        const video = document.querySelector('video');
        if (!video) return;
        const errors: string[] = [];
        const player = new Hls({ lowLatencyMode: true });
        player.on(Hls.Events.ERROR, (_, data) => errors.push(data.details));
        player.loadSource('/index.m3u8');
        player.attachMedia(video);
        let frames = 0;
        let first: number | undefined;
        const onFrame = (_: number, { mediaTime }: { mediaTime: number }) => {
          frames++;
          first ??= mediaTime;
          if (frames < 60) video.requestVideoFrameCallback(onFrame);
          else {
            const isLowLatency = player.latestLevelDetails?.canBlockReload ?? false;
            resolve({ frames, seconds: mediaTime - first, errors, latency: player.latency, isLowLatency });
          }
        };
        video.requestVideoFrameCallback(onFrame);
        void video.play();
      }),
  );
  assert.deepEqual(seen.errors, []);
  assert.ok(seen.isLowLatency);
  assert.ok(seen.seconds > 1.5, `the video advanced by ${seen.seconds} s`);
  await tab.close();
});
