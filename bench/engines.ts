/**
 * `npm run bench engines [KILLS=50] [STREAMS=4] [ENGINES=4] [BUSY=60] [UPGRADES=10]`: what is lost of STREAMS cameras of 25 fps
 * while the front of a server with ENGINES engines is killed KILLS times, stopped for ten seconds and continued, kept busy for
 * BUSY seconds, and the server is upgraded UPGRADES times, each time to a newer version of another checkout. The frames carry
 * their numbers, and all of them must be in the files, once. Then, with other cameras, one engine is killed: its streams may
 * lose what passes until another process records them, the others nothing. Exit code 1 when more is lost.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from '@vidette/contract/client';
import { freePort } from '../server/src/ingest/fixtures/live-sources.ts';
import { administratorOf } from '../e2e/api.ts';
import { frontOf, processesOf } from '../e2e/engine-scene.ts';
import { checkout, raiseVersion } from '../e2e/checkout.ts';
import { breaksOf, numbered, recordedNumbers } from '../e2e/numbered-frames.ts';
import { startFakeCamera } from '../e2e/rtsp/fake-camera.ts';
import { encodeClip } from '../e2e/rtsp/fake-media.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';

const run = promisify(execFile);
const [kills = 50, streams = 4, engines = 4, busySeconds = 60, upgrades = 10] = process.argv
  .slice(2)
  .map(Number);
const framesPerSecond = 25;
const kbitPerSecond = 4_000;
const stoppedMs = 10_000;

/** Adds the cameras as streams; their uids in the order of the cameras. */
async function add(client: Client, urls: readonly string[]): Promise<string[]> {
  const uids: string[] = [];
  for (const [index, url] of urls.entries()) {
    uids.push((await client.addStream({ body: { name: `Camera ${index}`, streamSource: url } })).uid);
  }
  return uids;
}

/** Video frames in the files of a stream. */
async function recordedFrames(dataDir: string, uid: string): Promise<number> {
  const folder = join(dataDir, 'archive', uid);
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.mp4'));
  let frames = 0;
  for (const file of files) {
    const { stdout } = await run('ffprobe', [
      ...['-v', 'error', '-select_streams', 'v', '-count_packets', '-show_entries', 'stream=nb_read_packets'],
      ...['-of', 'csv=p=0', join(folder, file)],
    ]);
    frames += Number.parseInt(stdout, 10);
  }
  return frames;
}

/** Frames that are missing of each stream, once its last ones are on the disk. */
async function lostOf(
  server: TestServer,
  client: Client,
  uids: readonly string[],
  sent: number,
): Promise<number[]> {
  for (const uid of uids) await client.pauseStream({ body: { uid } });
  await pause(2_000);
  return Promise.all(uids.map(async (uid) => sent - (await recordedFrames(server.dataDir, uid))));
}

/** Replaces all processes by those of another checkout, whose version grows each time. */
async function upgrade(): Promise<void> {
  if (upgrades === 0) return;
  const next = await checkout('99.0.0');
  const env = { ...process.env, VIDETTE_DATA: server.dataDir };
  for (let time = 1; time <= upgrades; time++) {
    await raiseVersion(next, `99.0.${time}`);
    await run(process.execPath, [join(next, 'server/src/main.ts'), 'upgrade'], { env });
    await pause(1_000 + Math.random() * 1_000);
  }
}

/** Loaded into each front: its event loop hardly turns while the file exists. */
const preloadOf = (file: string) => `
  import { existsSync } from 'node:fs';
  if (process.argv[1]?.endsWith('front-main.ts')) {
    setInterval(() => {
      const untilMs = performance.now() + 950;
      while (existsSync(${JSON.stringify(file)}) && performance.now() < untilMs);
    }, 50).unref();
  }`;

const folder = await mkdtemp(join(tmpdir(), 'vidette-bench-'));
const busyFile = join(folder, 'busy');
const preload = `data:text/javascript,${encodeURIComponent(preloadOf(busyFile))}`;
const server = await startServer({
  port: await freePort('tcp'),
  env: { VIDETTE_ENGINE_PROCESSES: String(engines), NODE_OPTIONS: `--import=${preload}` },
});
let hasFailed = false;
try {
  const { client } = await administratorOf(server);
  const clip = await encodeClip({ framesPerSecond });
  const cameras = await Promise.all(
    Array.from({ length: streams }, () => startFakeCamera({ clip, ...numbered() })),
  );
  const uids = await add(
    client,
    cameras.map(({ url }) => url),
  );
  await pause(3_000);
  for (let kill = 0; kill < kills; kill++) {
    process.kill(await frontOf(server), 'SIGKILL');
    await pause(2_000 + Math.random() * 2_000);
  }
  const stopped = await frontOf(server);
  process.kill(stopped, 'SIGSTOP');
  await pause(stoppedMs);
  process.kill(stopped, 'SIGCONT');
  await writeFile(busyFile, '');
  await pause(busySeconds * 1_000);
  await rm(busyFile);
  await upgrade();
  await pause(3_000);
  const missing: number[] = [];
  for (const [index, uid] of uids.entries()) {
    const sentThen = cameras[index]?.frames ?? 0;
    const numbers = await recordedNumbers(client, uid);
    const { losses, repeated } = breaksOf(numbers);
    const isBehind = (numbers.at(-1) ?? 0) < sentThen - framesPerSecond;
    missing.push(losses.reduce((sum, lost) => sum + lost, 0));
    hasFailed ||= losses.length > 0 || repeated > 0 || isBehind;
    console.log(
      `camera ${index}: ${numbers.length} frames recorded, ${repeated} twice, lost ${losses.join(', ') || 0}`,
    );
  }
  console.log(
    `front killed ${kills} times, stopped for ${stoppedMs / 1000} s and busy for ${busySeconds} s, server upgraded ` +
      `${upgrades} times: lost ${missing.join(', ')} frames`,
  );
  await Promise.all(cameras.map((camera) => camera.stop()));

  const sentAgain = 20 * framesPerSecond;
  const others = await LoadCameras.start(streams, kbitPerSecond, sentAgain);
  const uidsAgain = await add(client, others.urls);
  await pause(8_000);
  const [engine] = await processesOf(server, 'engine-main.ts');
  process.kill(engine ?? 0, 'SIGKILL');
  await pause(20_000);
  const lostAgain = (await lostOf(server, client, uidsAgain, sentAgain)).sort((a, b) => a - b);
  // A camera of this bench plays from its beginning for the process that comes next: negative figures are frames recorded twice.
  const spared = streams - Math.ceil(streams / engines);
  hasFailed ||= lostAgain.filter((frames) => frames === 0).length < spared;
  console.log(`one of ${engines} engines killed: of ${sentAgain} frames each, lost ${lostAgain.join(', ')}`);
  others.stop();
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}
process.exitCode = hasFailed ? 1 : 0;
