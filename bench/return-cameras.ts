/**
 * Cameras that disappear and return, for `return.ts`: one at each given address, with 25 frames a second and a
 * key frame every two seconds. Their encoders keep running by the clock of this machine, each slightly later
 * than the previous one, so that a returning server joins a GOP at any position.
 *
 *   node bench/return-cameras.ts ADDRESS...
 *
 * Prints `{"urls": [...]}` when all listen. Reads `down` (connections are closed, new ones refused), `empty` (connections are
 * closed, new ones are answered 404, as by a media server without its publisher) and `up`, one per line, and prints `{"done": true}` when done.
 */
import { createInterface } from 'node:readline';
import { startFakeCamera, type FakeCamera } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';

const framesPerSecond = 25;
const gopFrames = 50;
const hosts = process.argv.slice(2);
const clip = await encodeClip({ framesPerSecond, gopFrames, frames: gopFrames });
/** Each camera's port, which stays the same. */
const ports: (number | undefined)[] = [];
let cameras: FakeCamera[] = [];

async function up(isEmpty = false): Promise<void> {
  cameras = await Promise.all(
    hosts.map((host, index) => {
      const laterMs = (index * gopFrames * 1000) / framesPerSecond / hosts.length;
      const frameNow = () => Math.floor(((Date.now() - laterMs) * framesPerSecond) / 1000);
      const port = ports[index];
      const status = isEmpty ? { status: { DESCRIBE: 404 } } : {};
      return startFakeCamera({ clip, host, frameNow, ...status, ...(port === undefined ? {} : { port }) });
    }),
  );
  for (const [index, camera] of cameras.entries()) ports[index] = camera.port;
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

await up();
say({ urls: cameras.map(({ url }) => url) });
for await (const line of createInterface({ input: process.stdin })) {
  await Promise.all(cameras.map((camera) => camera.stop()));
  if (line !== 'down') await up(line === 'empty');
  say({ done: true });
}
process.exit();
