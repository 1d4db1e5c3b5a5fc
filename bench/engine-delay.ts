/**
 * What people do to the streams: the delay of the event loop that receives and records, and the delay that the server
 * adds to live video, while PEOPLE browse, export, download and watch walls. With engine processes, and with one
 * process for everything, in the same run.
 *
 *   npm run bench engine-delay [STREAMS=200] [SECONDS=60] [PEOPLE=20] [ENGINES=1]
 *
 * The cameras send 2 Mbit/s each. The loop's delay is what `monitorEventLoopDelay` of Node shows beyond its own
 * timer's resolution, measured in the process itself.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { addressOf } from '@vidette/contract/routes';
import type { Client } from '@vidette/contract/client';
import type { WallRequest } from '@vidette/contract/wall';
import { administratorOf, until } from '../e2e/api.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { cpuSeconds, percentile } from './usage.ts';

const [streams = 200, seconds = 60, people = 20, engines = 1] = process.argv.slice(2).map(Number);
const kbitPerSecond = 2_000;
const resolutionMs = 5;
const tilesOfWall = 9;
const settleMs = 5_000;

/** Loaded into the processes of the server; it measures from the moment at which the file `begin` exists. */
const preloadOf = (folder: string) => `
  import { existsSync, writeFileSync } from 'node:fs';
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  const name = /(main|engine-main)\\.ts$/.exec(process.argv[1] ?? '')?.[1];
  if (name) {
    const delay = monitorEventLoopDelay({ resolution: ${resolutionMs} });
    let isOn = false;
    setInterval(() => {
      if (!isOn && existsSync(${JSON.stringify(join(folder, 'begin'))})) {
        isOn = true;
        delay.enable();
        delay.reset();
      }
      if (!isOn) return;
      const at = (percent) => delay.percentile(percent) / 1e6 - ${resolutionMs};
      const figures = { p50: at(50), p99: at(99), p999: at(99.9), max: delay.max / 1e6 - ${resolutionMs} };
      writeFileSync(${JSON.stringify(folder)} + '/' + name + '-' + process.pid, JSON.stringify(figures));
    }, 1000).unref();
  }`;

interface LoopFigures {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** What one person does until it is over. */
class Person {
  readonly #server: TestServer;
  readonly #client: Client;
  readonly #cookie: string;
  readonly #uids: readonly string[];

  constructor(server: TestServer, client: Client, cookie: string, uids: readonly string[]) {
    this.#server = server;
    this.#client = client;
    this.#cookie = cookie;
    this.#uids = uids;
  }

  /** Pages through the list, and polls the statuses. */
  async browse(isOver: () => boolean): Promise<void> {
    for (let page = 1; !isOver(); page = (page % 4) + 1) {
      await this.#client.listStreams({ query: { page } });
      await this.#client.listStreamStatuses({ query: {} });
      await pause(1_000);
    }
  }

  /** Downloads the last half minute of one stream after another. */
  async download(isOver: () => boolean): Promise<void> {
    for (let next = 0; !isOver(); next++) {
      const uid = this.#uids[next % this.#uids.length] ?? '';
      const query = { start_time: Date.now() - 30_000, end_time: Date.now() };
      const reply = await this.#client.downloadArchive({ params: { uid }, query }).catch(() => undefined);
      await reply?.arrayBuffer().catch(() => undefined);
      await pause(1_000);
    }
  }

  /** Watches a wall over one socket. */
  async watchWall(isOver: () => boolean): Promise<void> {
    const address = this.#server.url.replace('http', 'ws') + addressOf('watchWall', {}, {});
    const socket = new WebSocket(address, { headers: { cookie: this.#cookie, origin: this.#server.url } });
    socket.on('open', () => {
      for (const [channel, uid] of this.#uids.slice(0, tilesOfWall).entries()) {
        const request: WallRequest = {
          ...{ type: 'watch', channel, uid, picture: 'main' },
          ...{ keyFrames: false, audio: false, convert: false },
        };
        socket.send(JSON.stringify(request));
      }
    });
    while (!isOver()) await pause(200);
    socket.terminate();
  }
}

/** A camera and its viewer; resolves to the delays, ms. */
async function probe(server: TestServer, client: Client, cookie: string): Promise<number[]> {
  const script = fileURLToPath(new URL('live-probe.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value ?? '');
  const streamSource = await next();
  const archive = { isEnable: false, depthHours: -1, farAfterHours: -1 };
  const { uid } = await client.addStream({ body: { name: 'Probe', streamSource, archive } });
  child.stdin.end(`${server.url} ${cookie} ${uid} ${seconds}\n`);
  return JSON.parse(await next()) as number[];
}

async function measure(processes: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-bench-'));
  const preload = `data:text/javascript,${encodeURIComponent(preloadOf(folder))}`;
  const server = await startServer({
    env: { VIDETTE_ENGINE_PROCESSES: String(processes), NODE_OPTIONS: `--import=${preload}` },
  });
  const cameras = await LoadCameras.start(streams, kbitPerSecond, 3_600 * framesPerSecond);
  try {
    const { client, cookie } = await administratorOf(server);
    const uids: string[] = [];
    for (const [index, streamSource] of cameras.urls.entries()) {
      uids.push((await client.addStream({ body: { name: `Camera ${index}`, streamSource } })).uid);
    }
    await until(
      () => client.getStream({ params: { uid: uids.at(-1) ?? '' } }),
      ({ status }) => status === 'running',
    );
    await pause(settleMs);
    await writeFile(join(folder, 'begin'), '');
    let isOver = false;
    const over = () => isOver;
    const busy = Array.from({ length: people }, (_, index) => {
      const own = [...uids.slice(index * tilesOfWall), ...uids].slice(0, tilesOfWall);
      const person = new Person(server, client, cookie, own);
      if (index % 4 === 0) return person.watchWall(over);
      return index % 4 === 1 ? person.download(over) : person.browse(over);
    });
    const cpuBefore = cpuSeconds(server.pid);
    const delays = await probe(server, client, cookie);
    const cpu = (cpuSeconds(server.pid) - cpuBefore) / seconds;
    isOver = true;
    await Promise.all(busy);
    console.log(
      `${processes} engines, ${streams} streams, ${people} people: ${(100 * cpu).toFixed(0)} % of a core, ` +
        `load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
    for (const name of (await readdir(folder)).filter((file) => file !== 'begin')) {
      if (processes > 0 && !name.startsWith('engine-main')) continue;
      const { p50, p99, p999, max } = JSON.parse(await readFile(join(folder, name), 'utf8')) as LoopFigures;
      console.log(
        `  event loop of ${name}: median ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)} ` +
          `(goal: 20), worst ${max.toFixed(1)}`,
      );
    }
    console.log(
      `  live delay of ${delays.length} frames: median ${percentile(delays, 50).toFixed(1)} ms, ` +
        `p99 ${percentile(delays, 99).toFixed(1)} (goal: 40)`,
    );
  } finally {
    cameras.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

for (const processes of [0, engines]) await measure(processes);
