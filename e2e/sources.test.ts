import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { desktop, launchBrowser, newPerson } from './browser.ts';
import {
  assertAudio,
  inspect,
  pauseAndDownload,
  framesOf,
  recordedFor,
  type FootageTrack,
} from './footage.ts';
import { LiveViewer } from './live-viewer.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { gstAudio, gstVideo, startGstServer, type GstServer } from './rtsp/gst-server.ts';
import { startServer, type TestServer } from './server.ts';

/** How long each camera is recorded before its footage is checked. */
const recordedMs = 5_000;
const gstFramesPerSecond = 15;

let server: TestServer;
let client: Client;
let cookie: string;
let open: GstServer;
let locked: GstServer;
const fakes: FakeCamera[] = [];
/** By the name of the case. */
const uids = new Map<string, string>();

interface Case {
  readonly name: string;
  readonly address: () => string;
  /** Codec of the live video as sent to the browser. */
  readonly mimeType: RegExp;
  /** In the file, as FFmpeg names them. */
  readonly codecs: readonly string[];
  readonly hasReordering?: boolean;
}

const aac = /; codecs="avc1\.[0-9a-f]{6}, mp4a\.40\.2"$/i;
const silent = /; codecs="avc1\.[0-9a-f]{6}"$/i;
const cases: readonly Case[] = [
  {
    name: 'H.264 with B-frames and AAC',
    address: () => open.url('/b-frames-aac'),
    mimeType: aac,
    codecs: ['h264', 'aac'],
    hasReordering: true,
  },
  {
    name: 'H.265 and Opus',
    address: () => open.url('/h265-opus'),
    mimeType: /; codecs="(hvc1|hev1)\.[^,]+, opus"$/i,
    codecs: ['hevc', 'opus'],
  },
  {
    name: 'G.711 µ-law, which becomes AAC',
    address: () => open.url('/pcmu'),
    mimeType: aac,
    codecs: ['h264', 'aac'],
  },
  {
    name: 'G.711 A-law, which becomes AAC',
    address: () => open.url('/pcma'),
    mimeType: aac,
    codecs: ['h264', 'aac'],
  },
  {
    name: 'digest authentication',
    address: () => locked.url('/cam').replace('rtsp://', 'rtsp://viewer:s3cret@'),
    mimeType: silent,
    codecs: ['h264'],
  },
  {
    name: 'two tracks of which one never sends',
    address: () => fakes[0]?.url ?? '',
    mimeType: silent,
    codecs: ['h264'],
  },
];

before(async () => {
  const clip = await encodeClip({ framesPerSecond: gstFramesPerSecond, gopFrames: gstFramesPerSecond });
  fakes.push(await startFakeCamera({ clip, audio: 'never' }));
  open = await startGstServer({
    mounts: {
      '/b-frames-aac': `( ${gstVideo('h264', { bFrames: 2 })} ${gstAudio('aac')} )`,
      '/h265-opus': `( ${gstVideo('h265', { width: 160, height: 120 })} ${gstAudio('opus')} )`,
      '/pcmu': `( ${gstVideo('h264')} ${gstAudio('pcmu')} )`,
      '/pcma': `( ${gstVideo('h264')} ${gstAudio('pcma')} )`,
    },
  });
  locked = await startGstServer({
    mounts: { '/cam': `( ${gstVideo('h264')} )` },
    auth: { scheme: 'digest', user: 'viewer', password: 's3cret' },
  });
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  for (const { name, address } of cases) {
    const { uid } = await client.addStream({ body: { name, streamSource: address() } });
    uids.set(name, uid);
  }
});

after(async () => {
  await server?.stop();
  await Promise.all([open?.stop(), locked?.stop(), ...fakes.map((fake) => fake.stop())]);
});

for (const { name, mimeType, codecs, hasReordering = false } of cases) {
  test(`[R10.1] [R7.12] [R7.16] ${name}: running, live, and recorded without losing a frame`, async () => {
    const uid = uids.get(name) ?? '';
    await until(
      () => client.getStream({ params: { uid } }),
      ({ status, failureReason }) => status === 'running' && failureReason === null,
    );

    const viewer = await LiveViewer.watch(server, cookie, uid);
    try {
      const { init, initSegment, fragments } = await viewer.receive(2 * gstFramesPerSecond);
      assert.match(init.mimeType, mimeType);
      const seen = await inspect(Buffer.concat([initSegment ?? Buffer.alloc(0), ...fragments]));
      assertAudio(seen, codecs);
    } finally {
      viewer.close();
    }

    await recordedFor(client, uid, recordedMs);
    const { footage } = await pauseAndDownload(client, uid);
    assertAudio(footage, codecs);
    const frames = framesOf(footage);
    assertEveryFrame(frames);
    const isReordered = frames.packets.some(({ pts, dts }) => pts > dts);
    assert.equal(isReordered, hasReordering);
    // The last report may be a second older than the pause.
    const { videoFrames, damagedFrames } = await until(
      () => client.getStreamStats({ params: { uid } }),
      (stats) => stats.videoFrames >= frames.packets.length,
    );
    assert.equal(damagedFrames, 0);
    assert.equal(frames.packets.length, videoFrames, 'every received frame is in the file');
  });
}

test('[R10.1] H.265: the page plays it, and shows when it is transcoded for a browser that cannot', async () => {
  const uid = uids.get('H.265 and Opus') ?? '';
  await client.resumeStream({ body: { uid } });
  const browser = await launchBrowser();
  try {
    const person = await newPerson(browser, desktop);
    const [cookieName = '', value = ''] = cookie.split('=');
    await person.addCookies([{ name: cookieName, value, url: server.url }]);
    const page = await person.newPage();
    await page.goto(`${server.url}/ui/stream/${uid}/view`);
    const canPlay = await page.evaluate(() =>
      MediaSource.isTypeSupported('video/mp4; codecs="hvc1.1.6.L93.B0"'),
    );
    await page.locator('[data-player-state="playing"]').waitFor({ state: 'attached', timeout: 60_000 });
    assert.equal(await page.getByText('converted from H.265').count(), canPlay ? 0 : 1);
  } finally {
    await browser.close();
  }
});

/**
 * Asserts that frames follow each other at the camera's frame rate: a missing one would leave a hole of its
 * length. Frames shown after the last decode time are ignored: the recording was cut before frames between
 * them, which are sent later.
 */
function assertEveryFrame({ packets, decodedFrames }: FootageTrack): void {
  assert.equal(decodedFrames, packets.length);
  const lastDts = packets.at(-1)?.dts ?? 0;
  const shown = packets.map(({ pts }) => pts).filter((pts) => pts <= lastDts);
  shown.sort((a, b) => a - b);
  shown.slice(1).forEach((pts, index) => {
    const stepFrames = (pts - (shown[index] ?? 0)) * gstFramesPerSecond;
    assert.ok(stepFrames > 0.5 && stepFrames < 1.5, `a step of ${stepFrames} frames at ${pts} s`);
  });
}
