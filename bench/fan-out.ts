/**
 * CPU of sending live video to many viewers, with engine processes and with one process for everything, beside MediaMTX (RTSP over TCP)
 * and go2rtc (its WebSocket) where they are on the path, in alternating rounds of the same run.
 *
 *   npm run bench fan-out [VIEWERS=500] [STREAMS=4] [SECONDS=15] [ENGINES=2] [ROUNDS=5]
 *
 * STREAMS cameras of 4 Mbit/s that are not recorded; the viewers are spread over them. What the server needs without viewers is
 * subtracted.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf } from '@vidette/contract/routes';
import { administratorOf, until } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import type { ViewersOrder } from './raw-viewers.ts';
import { Rival, rivalsOnPath, type RivalName } from './rivals.ts';
import { cpuSeconds, median, spreadOf } from './usage.ts';

const [viewers = 500, streams = 4, seconds = 15, engines = 2, rounds = 5] = process.argv.slice(2).map(Number);
const kbitPerSecond = 4_000;
/** One process can't take in more than this many. */
const viewersPerProcess = 250;
const settleMs = 4_000;

/** Viewers in processes of their own; `bytes` is what has arrived so far. */
class Viewers {
  readonly #children: ReturnType<typeof spawn>[] = [];
  readonly #counts: number[] = [];

  constructor(order: Omit<ViewersOrder, 'count'>, count: number) {
    const script = fileURLToPath(new URL('raw-viewers.ts', import.meta.url));
    for (let left = count; left > 0; left -= viewersPerProcess) {
      const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
      const index = this.#children.push(child) - 1;
      const own: ViewersOrder = { ...order, count: Math.min(left, viewersPerProcess) };
      child.stdin.end(`${JSON.stringify(own)}\n`);
      createInterface({ input: child.stdout }).on('line', (text) => (this.#counts[index] = Number(text)));
    }
  }

  get bytes(): number {
    return this.#counts.reduce((sum, bytes) => sum + bytes, 0);
  }

  close(): void {
    for (const child of this.#children) child.kill();
  }
}

interface Figures {
  /** CPU seconds for each Gbit that arrived. */
  readonly cpuPerGbit: number;
  readonly gbitPerSecond: number;
}

/** A server that receives the cameras, and how it is watched. */
interface Side {
  readonly pid: number;
  readonly order: Omit<ViewersOrder, 'count'>;
  stop(): Promise<void>;
}

type Start = (cameras: readonly string[]) => Promise<Side>;

const vidette =
  (processes: number): Start =>
  async (cameras) => {
    const server = await startServer({ env: { VIDETTE_ENGINE_PROCESSES: String(processes) } });
    const { client, cookie } = await administratorOf(server);
    const archive = { isEnable: false, depthHours: -1, farAfterHours: -1 };
    const urls: string[] = [];
    for (const [index, streamSource] of cameras.entries()) {
      const body = { name: `Camera ${index}`, streamSource, archive, live: { onDemand: false } };
      const { uid } = await client.addStream({ body });
      urls.push(server.url.replace('http', 'ws') + addressOf('watchStream', { uid }, {}));
      await until(
        () => client.getStream({ params: { uid } }),
        ({ status }) => status === 'running',
      );
    }
    const headers = { cookie, origin: server.url };
    return { pid: server.pid, order: { urls, headers }, stop: () => server.stop() };
  };

/** go2rtc receives nothing before the first viewer: what that costs it counts as the viewers' part. */
const rival =
  (name: RivalName): Start =>
  async (cameras) => {
    const folder = await mkdtemp(join(tmpdir(), 'vidette-fan-out-'));
    const list = cameras.map((source, index) => ({ name: `camera${index}`, source }));
    const server = await Rival.start(name, folder, { streams: list });
    const order =
      name === 'mediamtx'
        ? { urls: list.map((stream) => server.rtspUrl(stream.name)) }
        : {
            urls: list.map((stream) => server.socketUrl(stream.name)),
            first: JSON.stringify({ type: 'mse', value: 'avc1.640029,mp4a.40.2' }),
          };
    return {
      pid: server.pid,
      order,
      async stop() {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  };

async function measure(start: Start): Promise<Figures> {
  const cameras = await LoadCameras.start(streams, kbitPerSecond, 3_600 * framesPerSecond);
  try {
    const side = await start(cameras.urls);
    try {
      await pause(settleMs);
      const idleBefore = cpuSeconds(side.pid);
      await pause(seconds * 1_000);
      const idle = cpuSeconds(side.pid) - idleBefore;
      const watching = new Viewers(side.order, viewers);
      await pause(settleMs);
      const [bytesBefore, before] = [watching.bytes, cpuSeconds(side.pid)];
      await pause(seconds * 1_000);
      const gbit = ((watching.bytes - bytesBefore) * 8) / 1e9;
      const used = cpuSeconds(side.pid) - before - idle;
      watching.close();
      return { cpuPerGbit: used / gbit, gbitPerSecond: gbit / seconds };
    } finally {
      await side.stop();
    }
  } finally {
    cameras.stop();
  }
}

const sides: readonly (readonly [name: string, start: Start])[] = [
  ['one process', vidette(0)],
  [`${engines} engines`, vidette(engines)],
  ...rivalsOnPath('mediamtx', 'go2rtc').map((name) => [name, rival(name)] as const),
];
const found = new Map<string, Figures[]>(sides.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, start] of round % 2 ? sides.toReversed() : sides) {
    const figures = await measure(start);
    found.get(name)?.push(figures);
    console.log(
      `${name}: ${figures.cpuPerGbit.toFixed(3)} s of CPU per Gbit, ${figures.gbitPerSecond.toFixed(2)} Gbit/s arrived, ` +
        `load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
  }
}
for (const [name, all] of found) {
  const cpu = all.map(({ cpuPerGbit }) => cpuPerGbit);
  console.log(
    `${name}: median ${median(cpu).toFixed(3)} s of CPU per Gbit (${spreadOf(cpu, 3)}), ` +
      `${median(all.map(({ gbitPerSecond }) => gbitPerSecond)).toFixed(2)} Gbit/s`,
  );
}
console.log('Goal: 0.18 with 200 viewers');
