import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { freePort } from '../server/src/ingest/fixtures/live-sources.ts';
import { administratorOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import {
  download,
  framesOf,
  pauseAndDownload,
  recorded,
  recordedFor,
  type DownloadProbe,
} from './footage.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip, type CameraClip } from './rtsp/fake-media.ts';
import { startServer, type TestServer } from './server.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const engines = 2;

const framesPerSecond = 20;

let clip: CameraClip;

before(async () => {
  clip = await encodeClip({ framesPerSecond });
});

/** By the cameras' own time stamps, no frame is missing between the first and the last. */
function assertEveryFrame(footage: DownloadProbe): void {
  const { packets } = framesOf(footage);
  for (const [index, { dts }] of packets.slice(1).entries()) {
    const seconds = dts - (packets[index]?.dts ?? 0);
    assert.ok(seconds < 1.5 / framesPerSecond, `${seconds} s between frames ${index} and ${index + 1}`);
  }
}

/** A server with engines, and cameras that it records; twice as many as engines, so that each has some. */
class Scene {
  readonly server: TestServer;
  readonly client: Client;
  readonly cookie: string;
  readonly cameras: readonly FakeCamera[];
  readonly uids: readonly string[];

  private constructor(
    server: TestServer,
    { client, cookie }: { client: Client; cookie: string },
    cameras: readonly FakeCamera[],
    uids: readonly string[],
  ) {
    this.server = server;
    this.client = client;
    this.cookie = cookie;
    this.cameras = cameras;
    this.uids = uids;
  }

  /** @param env of the server, for these cameras */
  static async open(
    env: (cameras: readonly FakeCamera[]) => Record<string, string> = () => ({}),
  ): Promise<Scene> {
    const cameras = await Promise.all(Array.from({ length: 2 * engines }, () => startFakeCamera({ clip })));
    const server = await startServer({
      dataDir: await mkdtemp(join(tmpdir(), 'vidette-engines-')),
      // The next front listens where the first did.
      port: await freePort('tcp'),
      env: { VIDETTE_ENGINE_PROCESSES: String(engines), ...env(cameras) },
    });
    const administrator = await administratorOf(server);
    const uids: string[] = [];
    for (const [index, { url }] of cameras.entries()) {
      const body = { name: `Camera ${index}`, streamSource: url };
      uids.push((await administrator.client.addStream({ body })).uid);
    }
    for (const uid of uids) await recordedFor(administrator.client, uid, 1_000);
    return new Scene(server, administrator, cameras, uids);
  }

  async close(): Promise<void> {
    await this.server.stop();
    await Promise.all(this.cameras.map((camera) => camera.stop()));
    await rm(this.server.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Processes of the server that run a program, by its name. */
  async processes(program: 'front-main.ts' | 'engine-main.ts'): Promise<number[]> {
    const { pid } = this.server;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const found: number[] = [];
    for (const child of children.split(' ').filter(Boolean)) {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      if (command.includes(program)) found.push(Number(child));
    }
    return found;
  }

  async front(): Promise<number> {
    const [pid] = await until(
      () => this.processes('front-main.ts'),
      (pids) => pids.length === 1,
    );
    return pid ?? 0;
  }

  /** The front answers, and footage grows by so much. */
  async goesOn(ms: number): Promise<void> {
    const fromMs = Date.now();
    await until(
      () =>
        this.client.listStreams({ query: {} }).then(
          () => true,
          () => false,
        ),
      (answers) => answers,
    );
    for (const uid of this.uids) {
      await until(
        async () => (await this.client.getArchiveStats({ params: { uid } })).endTime ?? 0,
        (endMs) => endMs > fromMs + ms,
      );
    }
  }

  /** Stops recording, and compares what is recorded with what the cameras sent. */
  async assertNothingLost(): Promise<void> {
    for (const [index, uid] of this.uids.entries()) {
      const camera = this.cameras[index];
      assert.equal(camera?.connections, 1, 'the connection with the camera was never interrupted');
      assert.equal((await recorded(this.client, uid)).length, 1, 'it is recorded in one piece');
      const sent = camera.frames;
      const { footage } = await pauseAndDownload(this.client, uid);
      assert.equal(footage.consoleErrors, '');
      assertEveryFrame(footage);
      // The last frames sent may still be on their way when the stream is paused.
      assert.ok(framesOf(footage).packets.length > sent - framesPerSecond / 2);
    }
  }

  /** `vidette check` of the data folder after the server has stopped. */
  async check(): Promise<string> {
    const env = { ...process.env, VIDETTE_DATA: this.server.dataDir };
    const child = spawn(process.execPath, [main, 'check'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => output.push(chunk));
    await new Promise((resolve) => child.once('close', resolve));
    return Buffer.concat(output).toString();
  }
}

test('[R15.1] no frame is lost while the front is killed again and again, and while it does not respond', async () => {
  const scene = await Scene.open();
  try {
    for (let kill = 0; kill < 3; kill++) {
      process.kill(await scene.front(), 'SIGKILL');
      await scene.goesOn(1_000);
    }
    const front = await scene.front();
    process.kill(front, 'SIGSTOP');
    const sent = scene.cameras[0]?.frames ?? 0;
    await until(
      () => scene.cameras[0]?.frames ?? 0,
      (frames) => frames > sent + 40,
    );
    process.kill(front, 'SIGCONT');
    await scene.goesOn(1_000);
    await scene.assertNothingLost();
  } finally {
    await scene.close();
  }
});

test('[R15.2] an engine that is killed costs only its own streams, which another process records again', async () => {
  const scene = await Scene.open();
  const { client, uids, cameras, server } = scene;
  try {
    const [victim] = await scene.processes('engine-main.ts');
    process.kill(victim ?? 0, 'SIGKILL');
    const hurt = () => uids.filter((_, index) => (cameras[index]?.connections ?? 0) > 1);
    await until(hurt, (found) => found.length === cameras.length / engines);
    await scene.goesOn(1_000);
    for (const uid of uids) {
      const pieces = await recorded(client, uid);
      if (!hurt().includes(uid)) {
        assert.equal(pieces.length, 1, 'a stream of another engine has no gap');
        continue;
      }
      const query = { start_time: Date.now() - 600_000, end_time: Date.now() };
      const { gaps } = await client.getArchiveRanges({ params: { uid }, query });
      const [before, since] = pieces;
      assert.ok(before && since);
      assert.equal(gaps.find(({ startTime }) => startTime >= before.endMs)?.cause, 'server-crashed');
      for (const piece of [before, { ...since, endMs: since.startMs + 1_000 }]) {
        const { footage } = await download(client, uid, piece);
        assert.equal(footage.consoleErrors, '');
        assertEveryFrame(footage);
      }
    }
    await server.stop();
    assert.equal(await scene.check(), 'The archive is in order.\n');
  } finally {
    await scene.close();
  }
});

test('[R15.2] the page of statistics shows each engine, and how often it was restarted', async () => {
  const scene = await Scene.open();
  const browser = await launchBrowser();
  try {
    const [victim] = await scene.processes('engine-main.ts');
    process.kill(victim ?? 0, 'SIGKILL');
    const enginesNow = async () => (await scene.client.getAdminStats()).now.engines;
    const shown = await until(
      enginesNow,
      (found) =>
        found.some(({ restarts }) => restarts === 1) &&
        found.every(({ isResponding, memoryBytes }) => isResponding && memoryBytes > 1e6),
    );
    assert.deepEqual(
      shown.map(({ streams }) => streams),
      [2, 2],
    );
    const context = await newPerson(browser);
    await signInByCookie(context, scene.server.url, scene.cookie);
    const page = await context.newPage();
    await page.goto(`${scene.server.url}/ui/administration/stats`);
    const rows = page.getByRole('table', { name: 'Engine processes' }).getByRole('row');
    await until(
      () => rows.allInnerTexts(),
      (texts) => texts.length === 1 + engines && texts.some((text) => /^Engine [01].*\b1$/s.test(text)),
    );
  } finally {
    await browser.close();
    await scene.close();
  }
});

test('[R15.5] a stream whose data crashes its engine three times is put in quarantine alone, until it is paused and resumed', async () => {
  const poisonous = await startFakeCamera({ clip });
  // Loaded into each process of the server: a connection with that camera soon throws where nothing catches it.
  const fault = `
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      this.once('connect', () => {
        if (this.remotePort !== ${poisonous.port}) return;
        setTimeout(() => { throw new Error('poison'); }, 100);
      });
      return connect.apply(this, args);
    };`;
  const preload = `data:text/javascript,${encodeURIComponent(fault)}`;
  const scene = await Scene.open(() => ({ NODE_OPTIONS: `--import=${preload}` }));
  const { client, uids } = scene;
  try {
    const { uid } = await client.addStream({ body: { name: 'Poison', streamSource: poisonous.url } });
    const stateOf = () => client.getStream({ params: { uid } });
    const { failureReason } = await until(
      stateOf,
      ({ status, failureReason }) => status === 'failed' && /three times/.test(failureReason ?? ''),
    );
    assert.match(failureReason ?? '', /^What this source sends crashed the recording process three times\./);
    await scene.goesOn(1_000);
    const { connections } = poisonous;
    assert.equal(connections, 3);
    for (const other of uids)
      assert.equal((await client.getStream({ params: { uid: other } })).status, 'running');
    await client.pauseStream({ body: { uid } });
    await client.resumeStream({ body: { uid } });
    await until(
      () => poisonous.connections,
      (count) => count > connections,
    );
  } finally {
    await scene.close();
    await poisonous.stop();
  }
});
