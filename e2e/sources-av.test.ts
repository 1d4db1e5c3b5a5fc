import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { close, ffmpeg, freePort, serve } from '../server/src/ingest/fixtures/live-sources.ts';
import { administratorOf, until } from './api.ts';
import { assertAudio, inspect, pauseAndDownload, framesOf, recordedFor } from './footage.ts';
import { LiveViewer } from './live-viewer.ts';
import { gstAudio, gstVideo, startGstServer, type GstServer } from './rtsp/gst-server.ts';
import { startServer, type TestServer } from './server.ts';

/** How long each source is recorded before its footage is checked. */
const recordedMs = 4_000;
/** Longer than the whole test: FFmpeg loses frames where it repeats a clip. */
const clipSeconds = 150;

let server: TestServer;
let client: Client;
let cookie: string;
let folder: string;
let datagrams: GstServer;
let web: { port: number; server: Server };
const encoders = new Set<ChildProcess>();
/** By the name of the case. */
const uids = new Map<string, string>();

const cases = [
  { name: 'HLS', codecs: ['h264', 'aac'], framesPerSecond: 15 },
  { name: 'MPEG-TS over UDP', codecs: ['h264', 'aac'], framesPerSecond: 15 },
  { name: 'RTMP', codecs: ['h264', 'aac'], framesPerSecond: 15 },
  // Its frames have only their arrival times, which can't reveal missing frames. Datagrams may be lost on a
  // busy machine.
  { name: 'RTSP over UDP only', codecs: ['h264', 'aac'], framesPerSecond: undefined },
  { name: 'MJPEG, which becomes H.264', codecs: ['h264'], framesPerSecond: undefined },
  { name: 'VP9 over RTSP, which becomes H.264', codecs: ['h264'], framesPerSecond: undefined },
] as const;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-sources-'));
  const clip = join(folder, 'clip.ts');
  const frame = `-f lavfi -i testsrc=size=160x120:rate=15 -f lavfi -i sine=frequency=440 -t ${clipSeconds}`;
  await ffmpeg(`${frame} -c:v libx264 -preset ultrafast -threads 1 -bf 2 -g 15 -c:a aac ${clip}`);
  web = await serve((request, response) => {
    if (request.url === '/mjpeg') {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace;boundary=ffmpeg' });
      const source = '-re -f lavfi -i testsrc=size=320x240:rate=10';
      const encoder = encode(`${source} -c:v mjpeg -f mpjpeg -boundary_tag ffmpeg -`, 'pipe');
      encoder.stdout?.pipe(response);
      response.once('close', () => encoder.kill('SIGKILL'));
      return;
    }
    createReadStream(join(folder, basename(request.url ?? '')))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  const [udpPort, rtmpPort] = [await freePort('udp'), await freePort('tcp')];
  const live = `-re -i ${clip} -c copy`;
  encode(
    `${live} -f hls -hls_time 1 -hls_list_size 6 -hls_flags delete_segments ${join(folder, 'live.m3u8')}`,
  );
  encode(`${live} -f mpegts udp://127.0.0.1:${udpPort}?pkt_size=1316`);
  encode(`${live} -bsf:a aac_adtstoasc -f flv -listen 1 rtmp://127.0.0.1:${rtmpPort}/live/gate`);
  const vp9 =
    'video/x-raw,width=160,height=120,framerate=10/1 ! vp9enc deadline=1 cpu-used=8 keyframe-max-dist=10';
  const mounts = {
    '/cam': `( ${gstVideo('h264')} ${gstAudio('aac')} )`,
    '/vp9': `( videotestsrc is-live=true ! ${vp9} ! rtpvp9pay name=pay0 pt=96 )`,
  };
  datagrams = await startGstServer({ mounts, transport: 'udp' });
  const addresses: Readonly<Record<(typeof cases)[number]['name'], string>> = {
    HLS: `http://127.0.0.1:${web.port}/live.m3u8`,
    'MPEG-TS over UDP': `udp://127.0.0.1:${udpPort}`,
    'RTSP over UDP only': datagrams.url('/cam'),
    RTMP: `rtmp://127.0.0.1:${rtmpPort}/live/gate`,
    'VP9 over RTSP, which becomes H.264': datagrams.url('/vp9'),
    'MJPEG, which becomes H.264': `http://127.0.0.1:${web.port}/mjpeg`,
  };
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  for (const { name } of cases) {
    const { uid } = await client.addStream({ body: { name, streamSource: addresses[name] } });
    uids.set(name, uid);
  }
});

after(async () => {
  await server?.stop();
  await datagrams?.stop();
  for (const encoder of encoders) encoder.kill('SIGKILL');
  close(web.server);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function encode(options: string, stdout: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  const child = spawn('nice', ['ffmpeg', '-v', 'error', '-y', ...options.split(' ')], {
    stdio: ['ignore', stdout, 'ignore'],
  });
  encoders.add(child);
  child.once('exit', () => encoders.delete(child));
  return child;
}

for (const { name, codecs, framesPerSecond } of cases) {
  test(`[R10.1] [R7.12] [R7.16] ${name}: running, live and recorded`, async () => {
    const uid = uids.get(name) ?? '';
    await until(
      () => client.getStream({ params: { uid } }),
      ({ status, failureReason }) => status === 'running' && failureReason === null,
    );
    const viewer = await LiveViewer.watch(server, cookie, uid);
    try {
      const { initSegment, fragments } = await viewer.receive(20);
      assertAudio(await inspect(Buffer.concat([initSegment ?? Buffer.alloc(0), ...fragments])), codecs);
    } finally {
      viewer.close();
    }
    await recordedFor(client, uid, recordedMs);
    const { footage } = await pauseAndDownload(client, uid);
    assertAudio(footage, codecs);
    const { packets } = framesOf(footage);
    if (framesPerSecond === undefined) return;
    const seconds = (packets.at(-1)?.dts ?? 0) - (packets[0]?.dts ?? 0);
    const lost = Math.round(seconds * framesPerSecond) - (packets.length - 1);
    assert.ok(lost <= 0, `${lost} frames are missing in ${seconds} s`);
  });
}
