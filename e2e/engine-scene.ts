import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@vidette/contract/client';
import { freePort } from '../server/src/ingest/fixtures/live-sources.ts';
import { administratorOf, until } from './api.ts';
import { framesOf, pauseAndDownload, recorded, recordedFor, type DownloadProbe } from './footage.ts';
import { breaksOf, recordedNumbers } from './numbered-frames.ts';
import { startFakeCamera, type FakeCamera, type FakeCameraOptions } from './rtsp/fake-camera.ts';
import { encodeClip, type CameraClip, type CameraClipOptions } from './rtsp/fake-media.ts';
import { startServer, type TestServer } from './server.ts';

/** The product's own program. */
export const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
/** How many engines the server of a scene has. */
export const engines = 2;

const framesPerSecond = 20;

/** What the cameras of a scene send. */
export function encodeSceneClip(options: CameraClipOptions = {}): Promise<CameraClip> {
  return encodeClip({ framesPerSecond, ...options });
}

/** By the cameras' own time stamps, no frame is missing between the first and the last. */
export function assertEveryFrame(footage: DownloadProbe): void {
  const { packets } = framesOf(footage);
  for (const [index, { dts }] of packets.slice(1).entries()) {
    const seconds = dts - (packets[index]?.dts ?? 0);
    assert.ok(seconds < 1.5 / framesPerSecond, `${seconds} s between frames ${index} and ${index + 1}`);
  }
}

type Program = 'front-main.ts' | 'engine-main.ts';

/** Processes of a server that run a program, by its name. */
export async function processesOf({ pid }: TestServer, program: Program): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const found: number[] = [];
  for (const child of children.split(' ').filter(Boolean)) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(program)) found.push(Number(child));
  }
  return found;
}

/** The front of a server, once there is one. */
export async function frontOf(server: TestServer): Promise<number> {
  const [pid] = await until(
    () => processesOf(server, 'front-main.ts'),
    (pids) => pids.length === 1,
  );
  return pid ?? 0;
}

/** A server with engines, and cameras that it records; twice as many as engines, so that each has some. */
export class Scene {
  readonly server: TestServer;
  readonly client: Client;
  readonly cookie: string;
  readonly cameras: readonly FakeCamera[];
  readonly uids: readonly string[];
  readonly #env: Readonly<Record<string, string>>;

  private constructor(
    server: TestServer,
    { client, cookie }: { client: Client; cookie: string },
    cameras: readonly FakeCamera[],
    uids: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    this.#env = env;
    this.server = server;
    this.client = client;
    this.cookie = cookie;
    this.cameras = cameras;
    this.uids = uids;
  }

  /**
   * @param clip that all cameras send
   * @param env of the server, for these cameras
   * @param camera beside the clip, by index
   */
  static async open(
    clip: CameraClip,
    env: (cameras: readonly FakeCamera[]) => Record<string, string> = () => ({}),
    camera: (index: number) => Partial<FakeCameraOptions> = () => ({}),
  ): Promise<Scene> {
    const cameras = await Promise.all(
      Array.from({ length: 2 * engines }, (_, index) => startFakeCamera({ clip, ...camera(index) })),
    );
    const its = { VIDETTE_ENGINE_PROCESSES: String(engines), ...env(cameras) };
    const server = await startServer({
      dataDir: await mkdtemp(join(tmpdir(), 'vidette-engines-')),
      // The next front listens where the first did.
      port: await freePort('tcp'),
      env: its,
    });
    const administrator = await administratorOf(server);
    const uids: string[] = [];
    for (const [index, { url }] of cameras.entries()) {
      const { auth } = camera(index);
      const user = auth ? `${auth.user}:${auth.password}@` : '';
      const body = { name: `Camera ${index}`, streamSource: url.replace('//', `//${user}`) };
      uids.push((await administrator.client.addStream({ body })).uid);
    }
    for (const uid of uids) await recordedFor(administrator.client, uid, 1_000);
    return new Scene(server, administrator, cameras, uids, its);
  }

  async close(): Promise<void> {
    await this.server.stop();
    await Promise.all(this.cameras.map((camera) => camera.stop()));
    await rm(this.server.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  processes(program: Program): Promise<number[]> {
    return processesOf(this.server, program);
  }

  front(): Promise<number> {
    return frontOf(this.server);
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

  /** The numbers of a stream's frames, which are recorded in one piece: none is lost, and none is there again. */
  async numbersInOnePiece(uid: string): Promise<number[]> {
    assert.equal((await recorded(this.client, uid)).length, 1, 'the timeline shows one piece');
    const numbers = await recordedNumbers(this.client, uid);
    assert.deepEqual(breaksOf(numbers), { losses: [], repeated: 0 });
    return numbers;
  }

  /** Stops the server, which leaves its archive in order. */
  async endsInOrder(): Promise<void> {
    await this.server.stop();
    assert.equal(await this.check(), 'The archive is in order.\n');
  }

  /** `vidette check` of the data folder after the server has stopped. */
  async check(): Promise<string> {
    return (await this.command(main, 'check')).output;
  }

  /** Runs a command of the product on the data folder, by the program of a checkout. */
  async command(program: string, ...words: string[]): Promise<{ code: number | null; output: string }> {
    const env = { ...process.env, ...this.#env, VIDETTE_DATA: this.server.dataDir };
    const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => output.push(chunk));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output: Buffer.concat(output).toString() };
  }
}
