import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { ApiError, type Client } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import { administratorOf, snapshotOf, until } from './api.ts';
import { download, framesOf, recorded, recordedFor } from './footage.ts';
import { LiveViewer } from './live-viewer.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { partsOf, startServer, type TestServer } from './server.ts';
import { startSilentHost, type SilentHost } from './silent-host.ts';

const framesPerSecond = 20;
const frameMs = 1000 / framesPerSecond;
/** How much is recorded with each of the three blocked. */
const heldMs = 5_000;
const silentPerEngine = 4;

let server: TestServer;
let client: Client;
let cookie: string;
let silent: SilentHost;
const cameras: FakeCamera[] = [];
/**
 * The eight streams that must continue. The first has frames of 140 kB, the last two have audio that a child
 * process transcodes.
 */
const uids: string[] = [];
const viewers: LiveViewer[] = [];
const downloads: IncomingMessage[] = [];

before(async () => {
  const small = await encodeClip({ framesPerSecond });
  const noisy = await encodeClip({ framesPerSecond, width: 640, height: 360, isNoisy: true });
  cameras.push(await startFakeCamera({ clip: noisy }));
  for (let index = 1; index < 6; index++) cameras.push(await startFakeCamera({ clip: small }));
  for (let index = 6; index < 8; index++) cameras.push(await startFakeCamera({ clip: small, audio: 'pcmu' }));
  silent = await startSilentHost();
  server = await startServer({ env: { VIDETTE_SOURCE_PROBE_SECONDS: '3' } });
  ({ client, cookie } = await administratorOf(server));
  for (const { url } of cameras) {
    const { uid } = await client.addStream({ body: { name: url, streamSource: url } });
    uids.push(uid);
  }
  await Promise.all(uids.map((uid) => recordedFor(client, uid, 2_000)));
});

after(async () => {
  for (const viewer of viewers) viewer.close();
  for (const reply of downloads) reply.destroy();
  await server?.stop();
  await Promise.all([silent?.stop(), ...cameras.map((camera) => camera.stop())]);
});

test('[R10.3] a viewer that stops reading delays no others', async () => {
  const [noisy = ''] = uids;
  for (let count = 0; count < 3; count++) {
    const viewer = await LiveViewer.watch(server, cookie, noisy);
    viewers.push(viewer);
    await viewer.receive(5);
    viewer.stopReading();
  }
  const { period } = await client.getArchiveRanges({
    params: { uid: noisy },
    query: { start_time: Date.now() - 60_000, end_time: Date.now() },
  });
  const span = { start_time: period?.startTime ?? 0, end_time: Date.now() };
  const address = server.url + addressOf('downloadArchive', { uid: noisy }, span);
  downloads.push(
    await new Promise<IncomingMessage>((resolve) => {
      get(address, { headers: { cookie } }, (reply) => resolve(reply.pause()));
    }),
  );
  await othersGoOn();
  // Proof that it was really blocked: the server had to drop frames for it, and reports that when it reads
  // again.
  const [slow] = viewers;
  assert.ok(slow);
  slow.resumeReading();
  await until(
    () => slow.messages,
    (messages) => messages.some(({ type }) => type === 'skipped'),
  );
});

test('[R10.3] cameras that accept the connection and send nothing delay no others, whichever engine reads them', async () => {
  for (const scheme of ['rtsp', 'http']) {
    for (let index = 0; index < silentPerEngine; index++) {
      const streamSource = `${scheme}://127.0.0.1:${silent.port}/${index}`;
      await client.addStream({ body: { name: `Silent ${scheme} ${index}`, streamSource } });
    }
  }
  const probes = ['rtsp', 'http'].map((scheme) =>
    assert.rejects(client.probeStream({ query: { url: `${scheme}://127.0.0.1:${silent.port}/x` } }), {
      code: 'EHOSTUNREACH',
    }),
  );
  await until(
    () => silent.connections,
    (connections) => connections >= 2 * (silentPerEngine + 1),
  );
  await othersGoOn();
  await Promise.all(probes);
});

test('[R10.3] media processes that hang delay no others, and are replaced', async () => {
  await snapshotOf(client, uids[1] ?? '');
  const hung = await mediaProcesses();
  // Processes for the cameras' audio, the silent cameras of the other engine, and still frames.
  assert.ok(hung.length >= 3, `${hung.length} media processes`);
  for (const pid of hung) process.kill(pid, 'SIGSTOP');
  const frame = client.getStreamPicture({ params: { uid: uids[2] ?? '' } }).then(
    () => 'made',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
  await othersGoOn();
  assert.equal(await frame, 'SERVER_NOT_RESPONSE_ERR');
  await until(
    () => mediaProcesses(),
    (pids) => hung.every((pid) => !pids.includes(pid)),
  );
  const reply = await snapshotOf(client, uids[3] ?? '');
  assert.equal(reply.headers.get('content-type'), 'image/jpeg');
});

test('[R10.3] after all that each of the eight streams is recorded in one range, without a missing frame', async () => {
  for (const uid of uids) {
    const pieces = await recorded(client, uid);
    assert.equal(pieces.length, 1, `${pieces.length} pieces`);
    const [piece] = pieces;
    assert.ok(piece);
    // A download ends where audio starts or stops; the next one begins with the very next frame.
    let { startMs } = piece;
    while (piece.endMs - startMs > frameMs) {
      const { footage, headers } = await download(client, uid, { startMs, endMs: piece.endMs });
      assert.equal(footage.consoleErrors, '');
      assertEvery(framesOf(footage).packets.map(({ dts }) => dts));
      const gotMs = Number(headers.get('x-archive-start'));
      assert.ok(Math.abs(gotMs - startMs) <= frameMs, `${gotMs - startMs} ms are missing`);
      startMs = Number(headers.get('x-archive-end'));
    }
    const { damagedFrames } = await client.getStreamStats({ params: { uid } });
    assert.equal(damagedFrames, 0);
  }
});

/**
 * Asserts that frames that arrive during the block are recorded, and calls are answered, until each stream has
 * `heldMs` more.
 */
async function othersGoOn(): Promise<void> {
  const fromMs = Date.now();
  await until(
    async () => {
      const [list] = await Promise.all([
        client.listStreams({ query: { pageSize: 100 } }),
        client.getHealth(),
        client.getArchiveStats({ params: { uid: uids[0] ?? '' } }),
      ]);
      const ours = list.items.filter(({ uid }) => uids.includes(uid));
      assert.deepEqual(
        ours.map(({ status }) => status),
        uids.map(() => 'running'),
      );
      return Promise.all(uids.map((uid) => recorded(client, uid)));
    },
    (all) => all.every((pieces) => (pieces.at(-1)?.endMs ?? 0) > fromMs + heldMs),
    60_000,
  );
}

/** Asserts that frames follow each other at the camera's frame rate; seconds. */
function assertEvery(times: readonly number[]): void {
  times.slice(1).forEach((dts, index) => {
    const stepFrames = (dts - (times[index] ?? 0)) * framesPerSecond;
    assert.ok(stepFrames > 0.5 && stepFrames < 1.5, `a step of ${stepFrames} frames at ${dts} s`);
  });
}

/** What the server's own processes have started. */
async function mediaProcesses(): Promise<number[]> {
  const own = [server.pid, ...partsOf(server.pid)];
  const children = (await Promise.all(own.map(childrenOf))).flat();
  return children.filter((pid) => !own.includes(pid));
}

/** Process ids of the children of a process, from the fourth field of proc(5) stat. */
async function childrenOf(parent: number): Promise<number[]> {
  const entries = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const children = await Promise.all(
    entries.map(async (name) => {
      // Processes start and end while they are listed.
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return ppid === parent ? [Number(name)] : [];
    }),
  );
  return children.flat();
}
