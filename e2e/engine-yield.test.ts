import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { yieldOrder } from '@vidette/contract/overload';
import { ApiError } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import { administratorOf, snapshotOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { assertEveryFrame, encodeSceneClip, Scene } from './engine-scene.ts';
import { pauseAndDownload, recorded, recordedFor } from './footage.ts';
import { LiveViewer } from './live-viewer.ts';
import { startFakeCamera } from './rtsp/fake-camera.ts';
import type { CameraClip } from './rtsp/fake-media.ts';
import { startServer } from './server.ts';

let clip: CameraClip;

before(async () => {
  clip = await encodeSceneClip();
});

/** The `nice` of each thread of a process (proc_pid_stat(5), field 19), each value once. */
async function nicesOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')),
  );
  const nices = stats
    .filter(Boolean)
    .map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
  return [...new Set(nices)];
}

async function oomScoreOf(pid: number): Promise<number> {
  return Number(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8'));
}

/** Processes below this one, at any depth. */
async function descendantsOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const own = children.split(' ').filter(Boolean).map(Number);
  return [...own, ...(await Promise.all(own.map(descendantsOf))).flat()];
}

/** Loaded into each process of the server: while a file exists, the event loops of one program are blocked most of the time. */
function blockingPreload(file: string, program: string): string {
  const fault = `
    import { existsSync } from 'node:fs';
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    if (process.argv[1]?.endsWith(${JSON.stringify(program)})) {
      setInterval(() => existsSync(${JSON.stringify(file)}) && Atomics.wait(sleeper, 0, 0, 600), 700).unref();
    }`;
  return `--import=data:text/javascript,${encodeURIComponent(fault)}`;
}

test('[R15.4] engines have a higher priority than the front, and the front a higher one than what renders snapshots', async () => {
  const scene = await Scene.open(clip);
  try {
    const [uid = ''] = scene.uids;
    await snapshotOf(scene.client, uid);
    const front = await scene.front();
    const [own = 0] = await nicesOf(process.pid);
    assert.deepEqual(await nicesOf(front), [Math.min(19, own + 5)]);
    const [renderer = 0] = await descendantsOf(front);
    assert.deepEqual(await nicesOf(renderer), [Math.min(19, own + 10)]);
    for (const engine of await scene.processes('engine-main.ts')) {
      const [nice = Infinity, ...others] = await nicesOf(engine);
      assert.deepEqual(others, []);
      assert.ok(nice <= own);
      assert.ok((await oomScoreOf(engine)) < (await oomScoreOf(front)));
    }
    assert.ok((await oomScoreOf(front)) < (await oomScoreOf(renderer)));
  } finally {
    await scene.close();
  }
});

test('[R15.4] while engines are overloaded everything else yields in order and says why, no frame is lost, and afterwards all goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-yield-'));
  const file = join(folder, 'overloaded');
  const scene = await Scene.open(clip, () => ({
    VIDETTE_OVERLOAD_YIELDS: 'true',
    NODE_OPTIONS: blockingPreload(file, '/engine-main.ts'),
  }));
  const { client, cookie, server } = scene;
  const [uid = '', other = ''] = scene.uids;
  const browser = await launchBrowser();
  try {
    const context = await newPerson(browser);
    // The cameras beside the player would show snapshots of the others, of which the last one is served under overload.
    await context.addInitScript(() => localStorage.setItem('vidette.cameraStrip', 'closed'));
    await signInByCookie(context, server.url, cookie);
    const page = await context.newPage();
    const watching = await LiveViewer.watch(server, cookie, uid);
    await watching.receive(10);
    const viewing = await context.newPage();
    await viewing.goto(`${server.url}/ui/stream/${uid}/view`);
    const badge = viewing.getByText('Live', { exact: true }).first();
    await badge.waitFor();
    const overload = async () => (await client.getAdminStats()).now.overload;
    assert.deepEqual(await overload(), { level: 0, waiting: [] });
    const reaches = (level: number) =>
      until(overload, (now) => now.level >= level).then(({ waiting }) => {
        assert.deepEqual(waiting, yieldOrder.slice(0, waiting.length));
      });

    await writeFile(file, '');
    await reaches(1);
    const endTime = Date.now();
    const asked = { streams: [uid], startTime: endTime - 60_000, endTime };
    const { id, isHeld } = await client.addExport({ body: asked });
    assert.ok(isHeld);
    const { warnings } = await client.getHealth();
    assert.ok(warnings.some(({ code }) => code === 'server-overloaded'));
    await reaches(2);
    await assert.rejects(
      client.getStreamPicture({ params: { uid: other }, query: {} }),
      (error) => error instanceof ApiError && error.code === 'ServerOverloaded' && error.status === 503,
    );
    const refused = await fetch(`${server.url}${addressOf('getStreamPicture', { uid: other })}`, {
      headers: { cookie },
    });
    assert.equal(refused.headers.get('retry-after'), '10');
    await page.goto(`${server.url}/ui/streams`);
    await page.getByText('No snapshot: overload').first().waitFor();
    await page.goto(`${server.url}/ui/exports`);
    await page.getByText('Waiting: the server is overloaded').waitFor();
    await page.getByRole('button', { name: /problem/ }).click();
    await page.getByText(/^The server is overloaded\. Recording continues;.*exports, thumbnails/).waitFor();
    await reaches(yieldOrder.length);
    await until(
      () => watching.messages.at(-1),
      (message) => message?.type === 'reduced' && message.isReduced,
    );
    await viewing.getByText('key frames only').waitFor();
    const shownS = () =>
      viewing
        .locator('video')
        .first()
        .evaluate((video: HTMLVideoElement) => video.currentTime);
    const fromS = await shownS();
    await until(shownS, (seconds) => seconds > fromS + 4);
    await badge.waitFor();
    const late = await LiveViewer.watch(server, cookie, other);
    await until(
      () => late.messages.at(-1),
      (message) => message?.type === 'end' && message.code === 'ServerOverloaded',
    );
    await page.goto(`${server.url}/ui/stream/${other}/view`);
    await page.getByText('The server is overloaded, and recording comes first.').waitFor();
    const held = await client.getExport({ params: { id } });
    assert.deepEqual([held.isHeld, held.bytes], [true, 0]);

    await rm(file);
    // Each relapse on a machine that is busy otherwise takes longer.
    await until(overload, ({ level }) => level === 0, 180_000);
    await until(
      () => client.getExport({ params: { id } }),
      ({ status, isHeld: stillHeld }) => status === 'ready' && !stillHeld,
    );
    await until(
      () => watching.messages.findLast(({ type }) => type === 'reduced'),
      (message) => message?.type === 'reduced' && !message.isReduced,
    );
    await page.getByText('Live', { exact: true }).first().waitFor();
    await viewing.getByText('key frames only').waitFor({ state: 'detached' });
    const againS = await shownS();
    await until(shownS, (seconds) => seconds > againS + 1);
    await snapshotOf(client, other);
    // Other programs on the machine may overload it once more.
    await until(
      async () => (await client.getHealth()).warnings.map(({ code }) => code),
      (codes) => !codes.includes('server-overloaded'),
      180_000,
    );
    watching.close();
    await scene.assertNothingLost();
  } finally {
    await browser.close();
    await scene.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('[R15.4] a server that runs everything in one process yields as well, and a lowered worker renders its snapshots', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-yield-'));
  const file = join(folder, 'overloaded');
  const camera = await startFakeCamera({ clip });
  const server = await startServer({
    env: {
      VIDETTE_ENGINE_PROCESSES: '0',
      VIDETTE_OVERLOAD_YIELDS: 'true',
      NODE_OPTIONS: blockingPreload(file, '/src/main.ts'),
    },
  });
  try {
    const { client } = await administratorOf(server);
    const { uid } = await client.addStream({ body: { name: 'Gate', streamSource: camera.url } });
    await recordedFor(client, uid, 1_000);
    await snapshotOf(client, uid);
    const [own = 0] = await nicesOf(server.pid);
    const nices = await Promise.all((await descendantsOf(server.pid)).map(nicesOf));
    assert.ok(
      nices.some(([nice]) => nice === Math.min(19, Math.max(10, own + 5))),
      JSON.stringify(nices),
    );
    await writeFile(file, '');
    const level = async () => (await client.getAdminStats()).now.overload.level;
    await until(level, (now) => now >= 1);
    const endTime = Date.now();
    const { id, isHeld } = await client.addExport({
      body: { streams: [uid], startTime: endTime - 60_000, endTime },
    });
    assert.ok(isHeld);
    await rm(file);
    await until(level, (now) => now === 0, 180_000);
    await until(
      () => client.getExport({ params: { id } }),
      ({ status }) => status === 'ready',
    );
    assert.equal(camera.connections, 1);
    assert.equal((await recorded(client, uid)).length, 1);
    const { footage } = await pauseAndDownload(client, uid);
    assertEveryFrame(footage);
  } finally {
    await server.stop();
    await camera.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
