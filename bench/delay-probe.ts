/**
 * Cameras and their only viewers in one process, which measures what a server between them adds. Prints the addresses of the
 * cameras, separated by commas; reads one line of JSON, a `ProbeOrder`; prints the delays, ms, as JSON.
 *
 * The streams must run on demand. The first is watched as people watch it, the second over LL-HLS (only of Vidette): the delay of a frame is the
 * time from the camera's writing it to its arrival; frames carry their numbers. Each of the others is watched until its first key frame, which its
 * camera sends with the reply to PLAY: the delay is that from the request.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { addressOf } from '@vidette/contract/routes';
import { startFakeCamera, numberMark } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { createDial } from '../server/src/dial/dial.ts';
import { RtspSession } from '../server/src/ingest/rtsp/session.ts';

/** How the streams are watched. */
export type ProbeOrder = { readonly seconds: number } & (
  | {
      readonly by: 'vidette';
      readonly url: string;
      readonly cookie: string;
      readonly uids: readonly string[];
    }
  /** Addresses of a server, one for each camera. */
  | { readonly by: 'rtsp' | 'mse'; readonly urls: readonly string[] }
  /** No server: `ffmpeg -c copy` reads the camera. */
  | { readonly by: 'ffmpeg' }
);

/** Calls `take` with the number of each frame that arrives. Returns how to stop. */
type Watch = (camera: number, take: (frame: number) => void) => () => void;

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
      isNumbered: true,
      shows: (frame) => {
        times[frame] = performance.now();
        return true;
      },
    });
  }),
);
console.log(cameras.map(({ url }) => url).join());
const input = createInterface({ input: process.stdin });
const order = JSON.parse(await input.question('')) as ProbeOrder;
input.close();
const durationMs = order.seconds * 1_000;

const watch = watchBy(order);
const live = await delaysOf(watch);
const hls = order.by === 'vidette' ? await overHls(order) : [];
const clicks: number[] = [];
for (let camera = 2; camera < cameras.length; camera++) {
  clicks.push(await clickToKeyFrame(watch, camera));
  await pause(200);
}
for (const camera of cameras) await camera.stop();
console.log(JSON.stringify({ live, hls, clicks }));
process.exit();

function watchBy(given: ProbeOrder): Watch {
  switch (given.by) {
    case 'vidette': {
      const { url, cookie, uids } = given;
      const address = (camera: number) => addressOf('watchStream', { uid: uids[camera] ?? '' }, {});
      const headers = { cookie, origin: url };
      return (camera, take) =>
        overSocket(url.replace('http', 'ws') + address(camera), headers, undefined, numbersTo(take));
    }
    case 'mse': {
      const first = JSON.stringify({ type: 'mse', value: 'avc1.640029' });
      return (camera, take) => overSocket(given.urls[camera] ?? '', {}, first, endsTo(camera, take));
    }
    case 'rtsp':
      return (camera, take) => overRtsp(given.urls[camera] ?? '', numbersTo(take));
    case 'ffmpeg':
      return (camera, take) => byFfmpeg(cameras[camera]?.url ?? '', numbersTo(take));
  }
}

function overSocket(
  url: string,
  headers: Record<string, string>,
  first: string | undefined,
  take: (bytes: Uint8Array) => void,
): () => void {
  const socket = new WebSocket(url, { headers });
  if (first !== undefined) socket.on('open', () => socket.send(first));
  // Messages that arrive together are emitted in one turn, so that awaiting them one by one would miss some.
  socket.on('message', (bytes: Buffer, isBinary: boolean) => {
    if (isBinary) take(bytes);
  });
  return () => socket.terminate();
}

function overRtsp(url: string, take: (bytes: Uint8Array) => void): () => void {
  const stopping = new AbortController();
  const dial = createDial({ allowLoopback: true, clock: systemClock });
  const nothing = () => {};
  const sink = {
    ...{ tracks: nothing, awaiting: nothing, lost: nothing, note: nothing },
    sample: ({ data }: { readonly data: readonly Uint8Array[] }) => take(Buffer.concat(data)),
  };
  new RtspSession({ url, clock: systemClock, dial }).run(sink, stopping.signal).catch((error: unknown) => {
    throw error;
  });
  return () => stopping.abort();
}

/** With the options that delay least. */
function byFfmpeg(url: string, take: (bytes: Uint8Array) => void): () => void {
  const quick = ['-fflags', 'nobuffer', '-analyzeduration', '0', '-rtsp_transport', 'tcp'];
  const output = ['-c', 'copy', '-f', 'h264', '-flush_packets', '1', '-'];
  const child = spawn('ffmpeg', ['-v', 'error', ...quick, '-i', url, ...output], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.on('data', take);
  return () => child.kill('SIGKILL');
}

/** Calls `take` with the number of each frame. A number may be split between what arrives. */
function numbersTo(take: (frame: number) => void): (bytes: Uint8Array) => void {
  const length = numberMark.length + 8;
  let left = Buffer.alloc(0);
  return (bytes) => {
    const all = Buffer.concat([left, bytes]);
    let from = 0;
    for (;;) {
      const at = all.indexOf(numberMark, from);
      if (at < 0 || at + length > all.length) break;
      from = at + length;
      take(Number.parseInt(all.toString('latin1', at + numberMark.length, from), 16));
    }
    left = all.subarray(Math.max(from, all.length - length + 1));
  };
}

/**
 * The same for a server that leaves the numbers out: the last bytes of what arrives tell which frame of the clip it ends with.
 */
function endsTo(camera: number, take: (frame: number) => void): (bytes: Uint8Array) => void {
  const endOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(-12)).toString('hex');
  const places = new Map(
    clip.frames.map(({ nals }, place) => [endOf(nals.at(-1) ?? Buffer.alloc(0)), place]),
  );
  return (bytes) => {
    const place = places.get(endOf(bytes));
    if (place === undefined) return;
    const newest = (sentMs[camera]?.length ?? 0) - 1;
    take(newest - ((newest - place) % clip.frames.length));
  };
}

async function delaysOf(by: Watch): Promise<number[]> {
  const delays: number[] = [];
  const startMs = performance.now();
  const stop = by(0, (frame) => {
    const nowMs = performance.now();
    if (nowMs - startMs > settleMs) delays.push(nowMs - (sentMs[0]?.[frame] ?? NaN));
  });
  await pause(settleMs + durationMs);
  stop();
  return delays;
}

/** As a player that requests each part before it exists. */
async function overHls({ url, cookie, uids }: ProbeOrder & { readonly by: 'vidette' }): Promise<number[]> {
  const base = new URL(url + addressOf('getLiveFile', { uid: uids[1] ?? '', file: 'media.m3u8' }, {}));
  const request = (file: string) => fetch(new URL(file, base), { headers: { cookie } });
  for (let answer = await request('media.m3u8'); !answer.ok; answer = await request('media.m3u8'))
    await pause(100);
  const delays: number[] = [];
  const startMs = performance.now();
  let [segment, part] = [0, 0];
  while (performance.now() - startMs < settleMs + durationMs) {
    const answer = await request(`part-${segment}-${part++}.m4s`);
    if (!answer.ok) {
      await answer.body?.cancel();
      [segment, part] = [segment + 1, 0];
      continue;
    }
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const nowMs = performance.now();
    const take = numbersTo((frame) => {
      if (nowMs - startMs > settleMs) delays.push(nowMs - (sentMs[1]?.[frame] ?? NaN));
    });
    take(bytes);
  }
  return delays;
}

async function clickToKeyFrame(by: Watch, camera: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const startMs = performance.now();
  const stop = by(camera, (frame) => {
    // Over RTSP frames may come first that can't be shown. Video for a page begins with a key frame.
    const isShown = order.by === 'mse' || clip.frames[frame % clip.frames.length]?.isKey === true;
    if (isShown) resolve(performance.now() - startMs);
  });
  const delayMs = await promise;
  stop();
  return delayMs;
}
