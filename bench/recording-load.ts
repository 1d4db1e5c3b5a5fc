/** CPU and memory of receiving and recording cameras of 4 Mbit/s, for comparisons in one run. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setUp, startServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { cpuSeconds, median, memoryMB, spreadOf } from './usage.ts';

/**
 * Memory per added stream is the slope between these stream counts; it settles sooner than a CPU round lasts.
 */
const few = 10;
const many = 40;
const memorySeconds = 20;
const kbitPerSecond = 4000;

interface Figures {
  /**
   * Percent of one core per stream: all CPU time used for these streams, including connecting, divided by their
   * length.
   */
  readonly cpu: number;
  /** The same between 40 and 80 percent of the run. */
  readonly runningCpu: number;
  /** Mean over the same period, MB. */
  readonly memory: number;
}

/** How a version of the server is started; this one's unless said otherwise. */
export interface ServerVersion {
  readonly startServer: typeof startServer;
  readonly setUp: typeof setUp;
}

/** The processes of one side: their use while all streams run, and in total. */
export interface Side {
  readonly pids: readonly number[];
  /** Resolves when all streams are received and recorded, with the total CPU seconds. */
  finish(): Promise<number>;
  /** Stops everything, so that the files can be counted. */
  close(): Promise<void>;
  /** The frames of video that it recorded, after `close`; undefined: those of all MP4 files. */
  readonly recordedFrames?: () => number;
}

/** A side of one process and its descendants, whose CPU counts from `before`. */
export function sideOf(
  server: { readonly pid: number; stop(): Promise<void> },
  cameras: LoadCameras,
  before = 0,
): Side {
  return {
    pids: [server.pid],
    async finish() {
      await cameras.finished;
      // The last GOP is still being written to the disk.
      await pause(1000);
      return cpuSeconds(server.pid) - before;
    },
    close: () => server.stop(),
  };
}

export type Start = (cameras: LoadCameras, folder: string) => Promise<Side>;

/** One server with these settings in its environment; counted from the first call that adds a stream. */
export const videtteWith =
  (env: Record<string, string>, version: ServerVersion = { startServer, setUp }): Start =>
  async (cameras, folder) => {
    const server = await version.startServer({ dataDir: folder, env });
    const headers = {
      cookie: await version.setUp(server),
      'content-type': 'application/json',
      origin: server.url,
    };
    const before = cpuSeconds(server.pid);
    for (const [index, streamSource] of cameras.urls.entries()) {
      const body = JSON.stringify({ name: `Camera ${index}`, streamSource, archive: { isEnable: true } });
      const reply = await fetch(`${server.url}/v1/stream`, { method: 'POST', headers, body });
      if (!reply.ok) throw new Error(`adding a stream: ${reply.status} ${await reply.text()}`);
    }
    return sideOf(server, cameras, before);
  };

/** What is measured, and what its rounds resulted in. */
export class Contender {
  readonly name: string;
  readonly start: Start;
  readonly cpu: number[] = [];
  readonly runningCpu: number[] = [];
  readonly memorySlope: number[] = [];

  constructor(name: string, start: Start) {
    this.name = name;
    this.start = start;
  }

  /** One round of CPU with `streams` cameras for `seconds`, and two of memory. */
  async round(streams: number, seconds: number): Promise<void> {
    const main = await measure(this, streams, seconds);
    if (main) {
      this.cpu.push(main.cpu);
      this.runningCpu.push(main.runningCpu);
    }
    const low = await measure(this, few, memorySeconds);
    const high = await measure(this, many, memorySeconds);
    if (low && high) this.memorySlope.push((high.memory - low.memory) / (many - few));
  }
}

/** Rounds of all, every other one in the opposite order. */
export async function alternate(
  contenders: readonly Contender[],
  { rounds, streams, seconds }: { rounds: number; streams: number; seconds: number },
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const contender of round % 2 ? contenders.toReversed() : contenders)
      await contender.round(streams, seconds);
  const valid = contenders.map(({ name, cpu }) => `${name} ${cpu.length}`).join(', ');
  console.log(`\nMedians of valid rounds (${valid}), in brackets the least and the largest:`);
}

/** Prints the medians of one figure, and the ratio of the last contender to each of the others. */
export function compare(
  what: string,
  contenders: readonly Contender[],
  of: (contender: Contender) => readonly number[],
  goal = '',
): void {
  const figures = contenders.map(
    (one) => `${one.name} ${median(of(one)).toFixed(3)} (${spreadOf(of(one), 3)})`,
  );
  const last = contenders.at(-1);
  const ratios = contenders
    .slice(0, -1)
    .map((one) => `${(median(last ? of(last) : []) / median(of(one))).toFixed(3)} of ${one.name}`);
  console.log(`${what}: ${figures.join(', ')}; ${last?.name} has ${ratios.join(', ')}${goal}`);
}

/** CPU seconds for each GB received, while running. */
export function cpuPerGB({ runningCpu }: Contender): number[] {
  const gbPerSecond = (kbitPerSecond * 1_000) / 8 / 1e9;
  return runningCpu.map((percent) => percent / 100 / gbPerSecond);
}

/** One side with a number of streams; undefined when the round is void. */
async function measure(
  { name, start }: Contender,
  count: number,
  lengthSeconds: number,
): Promise<Figures | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-bench-'));
  const frames = lengthSeconds * framesPerSecond;
  const cameras = await LoadCameras.start(count, kbitPerSecond, frames);
  try {
    const side = await start(cameras, folder);
    const running = await watch(side, lengthSeconds);
    const total = await side.finish();
    await side.close();
    const figures: Figures = {
      cpu: (100 * total) / lengthSeconds / count,
      runningCpu: (100 * running.cpuPerSecond) / count,
      memory: running.memory,
    };
    const recorded = side.recordedFrames?.() ?? recordedFrames(folder);
    const sent = count * frames;
    const verdict = recorded === sent ? `${sent} frames` : `VOID: ${recorded} frames of ${sent}`;
    console.log(
      `${name.padEnd(8)} ${count} streams of ${lengthSeconds} s: ${figures.cpu.toFixed(3)} % of a core each ` +
        `(${figures.runningCpu.toFixed(3)} % while running), ${figures.memory.toFixed(1)} MB in all, ${verdict}, ` +
        `load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
    return recorded === sent ? figures : undefined;
  } finally {
    cameras.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures a side between 40 and 80 percent of the run. */
async function watch(
  { pids }: Side,
  lengthSeconds: number,
): Promise<{ cpuPerSecond: number; memory: number }> {
  const looks = 8;
  await pause(lengthSeconds * 400);
  const cpuBefore = cpuSeconds(...pids);
  const startMs = performance.now();
  let memory = 0;
  for (let look = 0; look < looks; look++) {
    memory += memoryMB(...pids) / looks;
    await pause((lengthSeconds * 400) / looks);
  }
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  return { cpuPerSecond: (cpuSeconds(...pids) - cpuBefore) / elapsedSeconds, memory };
}

/** Counts the video packets of every file below a folder. */
function recordedFrames(folder: string): number {
  const options =
    '-v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0';
  return globSync('**/*.mp4', { cwd: folder }).reduce((sum, file) => {
    const text = execFileSync('ffprobe', [...options.split(' '), join(folder, file)], { encoding: 'utf8' });
    return sum + Number.parseInt(text, 10);
  }, 0);
}
