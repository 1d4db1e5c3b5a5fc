/**
 * A camera and a viewer of its stream in a process of their own, which measures what the server adds: the time from
 * the moment at which the camera sends a frame to the one at which the viewer has it. Prints the address of the camera
 * as its first line, reads one line `URL COOKIE UID SECONDS`, and prints the delays, ms, as a JSON array.
 *
 * The stream must run on demand and have no other viewer, so that the viewer's first frame is the camera's first.
 */
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { addressOf } from '@vidette/contract/routes';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import { startFakeCamera } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';

/** The first frames wait for what the viewer has to know of the stream. */
const settleMs = 3_000;

const sentMs: number[] = [];
const camera = await startFakeCamera({
  clip: await encodeClip({ framesPerSecond: 25 }),
  shows: (frame) => {
    sentMs[frame] = performance.now();
    return true;
  },
});
console.log(camera.url);
const input = createInterface({ input: process.stdin });
const [url = '', cookie = '', uid = '', seconds = '0'] = (await input.question('')).split(' ');
input.close();

const delaysMs: number[] = [];
const startMs = performance.now();
let frames = 0;
const address = url.replace('http', 'ws') + addressOf('watchStream', { uid }, {});
const socket = new WebSocket(address, { headers: { cookie, origin: url } });
socket.on('message', (bytes: Buffer, isBinary: boolean) => {
  if (!isBinary || bytes.toString('latin1', 4, 8) !== 'moof') return;
  const nowMs = performance.now();
  const [video] = parseFragmentHeader(bytes.subarray(0, bytes.readUInt32BE(0))).tracks;
  frames += video?.samples.length ?? 0;
  if (nowMs - startMs > settleMs) delaysMs.push(nowMs - (sentMs[frames - 1] ?? NaN));
});
await pause(Number(seconds) * 1_000);
socket.terminate();
await camera.stop();
console.log(JSON.stringify(delaysMs));
