/**
 * Cameras and their only viewers in one process, which measures what the server adds. Reads one line `URL COOKIE SECONDS UIDS`
 * after it has printed the addresses of the cameras, separated by commas; prints the delays, ms, as JSON.
 *
 * The streams must run on demand. The first is watched over a WebSocket, the second over LL-HLS: the delay of a frame is the
 * time from the camera's writing it to its arrival. Each of the others is watched until its first key frame, which its
 * camera sends with the reply to PLAY: the delay is that from the request.
 */
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { addressOf } from '@vidette/contract/routes';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import { startFakeCamera } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';

/** The first frames wait for what the viewer has to know of the stream. */
const settleMs = 3_000;
const [starts = 10] = process.argv.slice(2).map(Number);

const clip = await encodeClip({ framesPerSecond: 25, gopFrames: 50, frames: 100 });
const sentMs: number[][] = [];
const cameras = await Promise.all(
  Array.from({ length: 2 + starts }, (_, camera) => {
    const times: number[] = (sentMs[camera] = []);
    return startFakeCamera({
      clip,
      startsEarly: true,
      shows: (frame) => {
        times[frame] = performance.now();
        return true;
      },
    });
  }),
);
console.log(cameras.map(({ url }) => url).join());
const input = createInterface({ input: process.stdin });
const [url = '', cookie = '', seconds = '0', list = ''] = (await input.question('')).split(' ');
input.close();
const uids = list.split(',');
const durationMs = Number(seconds) * 1_000;

const socket = await overSocket(uids[0] ?? '');
const hls = await overHls(uids[1] ?? '');
const clicks: number[] = [];
for (const uid of uids.slice(2)) {
  clicks.push(await clickToKeyFrame(uid));
  await pause(200);
}
for (const camera of cameras) await camera.stop();
console.log(JSON.stringify({ socket, hls, clicks }));
process.exit();

function watch(uid: string): WebSocket {
  return new WebSocket(url.replace('http', 'ws') + addressOf('watchStream', { uid }, {}), {
    headers: { cookie, origin: url },
  });
}

/** Video frames in a fragment, or in several. */
function framesIn(bytes: Uint8Array): number {
  let frames = 0;
  for (const box of walkBoxes(bytes)) {
    if (box.type !== 'moof') continue;
    const [video] = parseFragmentHeader(bytes.subarray(box.offset, box.offset + box.size)).tracks;
    frames += video?.samples.length ?? 0;
  }
  return frames;
}

async function overSocket(uid: string): Promise<number[]> {
  const viewer = watch(uid);
  const delays: number[] = [];
  const startMs = performance.now();
  let frames = 0;
  viewer.on('message', (bytes: Buffer, isBinary: boolean) => {
    const nowMs = performance.now();
    if (!isBinary) return;
    frames += framesIn(bytes);
    if (nowMs - startMs > settleMs && frames > 0) delays.push(nowMs - (sentMs[0]?.[frames - 1] ?? NaN));
  });
  await pause(settleMs + durationMs);
  viewer.terminate();
  return delays;
}

/** As a player that requests each part before it exists. */
async function overHls(uid: string): Promise<number[]> {
  const base = new URL(url + addressOf('getLiveFile', { uid, file: 'media.m3u8' }, {}));
  const request = (file: string) => fetch(new URL(file, base), { headers: { cookie } });
  for (let answer = await request('media.m3u8'); !answer.ok; answer = await request('media.m3u8'))
    await pause(100);
  const delays: number[] = [];
  const startMs = performance.now();
  let [frames, segment, part] = [0, 0, 0];
  while (performance.now() - startMs < settleMs + durationMs) {
    const answer = await request(`part-${segment}-${part++}.m4s`);
    if (!answer.ok) {
      await answer.body?.cancel();
      [segment, part] = [segment + 1, 0];
      continue;
    }
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const nowMs = performance.now();
    for (const end = frames + framesIn(bytes); frames < end; frames++)
      if (nowMs - startMs > settleMs) delays.push(nowMs - (sentMs[1]?.[frames] ?? NaN));
  }
  return delays;
}

async function clickToKeyFrame(uid: string): Promise<number> {
  const startMs = performance.now();
  const viewer = watch(uid);
  const { promise: delay, resolve } = Promise.withResolvers<number>();
  // Messages that arrive together are emitted in one turn, so that awaiting them one by one would miss some.
  viewer.on('message', (bytes: Buffer, isBinary: boolean) => {
    if (isBinary && framesIn(bytes) > 0) resolve(performance.now() - startMs);
  });
  await delay;
  viewer.terminate();
  return delay;
}
