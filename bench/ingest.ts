/**
 * CPU and memory of receiving and recording RTSP streams of 4 Mbit/s (H.264 1080p25, AAC), compared with one
 * `ffmpeg -c copy` process per stream, in the same run and in alternating order. See README.md for how to read
 * it.
 *
 *   npm run bench ingest [ROUNDS=5] [STREAMS=30] [SECONDS=15]
 *
 * A round in which the frames on the disk differ from the frames sent is void. The flush of every fragment is
 * included.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setUp, startServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { cpuSeconds, endedChildrenCpuSeconds, median, memoryMB } from './usage.ts';

const [rounds = 5, streams = 30, seconds = 15] = process.argv.slice(2).map(Number);
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

/** The processes of one side: their use while all streams run, and in total. */
interface Side {
  readonly pids: readonly number[];
  /** Resolves when all streams are received and recorded, with the total CPU seconds. */
  finish(): Promise<number>;
  /** Stops everything, so that the files can be counted. */
  close(): Promise<void>;
}

type Start = (cameras: LoadCameras, folder: string) => Promise<Side>;

/** One process per stream. All of its work is for its stream, so its start counts as well. */
const startFfmpeg: Start = (cameras, folder) => {
  const before = endedChildrenCpuSeconds();
  const processes = cameras.urls.map((url, index) => {
    const output = join(folder, String(index));
    mkdirSync(output);
    const input = ['-v', 'error', '-rtsp_transport', 'tcp', '-i', url];
    const segments = ['-c', 'copy', '-f', 'segment', '-segment_time', '60', join(output, '%03d.mp4')];
    return spawn('ffmpeg', [...input, ...segments], { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  const exits = processes.map((child) => once(child, 'exit'));
  return Promise.resolve({
    pids: processes.map((child) => child.pid ?? 0),
    async finish() {
      await Promise.all(exits);
      return endedChildrenCpuSeconds() - before;
    },
    close: () => Promise.resolve(),
  });
};

/** One server; counted from the first call that adds a stream. */
const startVidette: Start = async (cameras, folder) => {
  const server = await startServer({ dataDir: folder });
  const headers = { cookie: await setUp(server), 'content-type': 'application/json', origin: server.url };
  const before = cpuSeconds(server.pid);
  for (const [index, streamSource] of cameras.urls.entries()) {
    const body = JSON.stringify({ name: `Camera ${index}`, streamSource, archive: { isEnable: true } });
    const reply = await fetch(`${server.url}/v1/stream`, { method: 'POST', headers, body });
    if (!reply.ok) throw new Error(`adding a stream: ${reply.status} ${await reply.text()}`);
  }
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
};

const sides: Record<string, Start> = { ffmpeg: startFfmpeg, vidette: startVidette };

/** One side with a number of streams; undefined when the round is void. */
async function measure(name: string, count: number, lengthSeconds: number): Promise<Figures | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-bench-'));
  const frames = lengthSeconds * framesPerSecond;
  const cameras = await LoadCameras.start(count, kbitPerSecond, frames);
  try {
    const side = await sides[name]!(cameras, folder);
    const running = await watch(side, lengthSeconds);
    const total = await side.finish();
    await side.close();
    const figures: Figures = {
      cpu: (100 * total) / lengthSeconds / count,
      runningCpu: (100 * running.cpuPerSecond) / count,
      memory: running.memory,
    };
    const recorded = recordedFrames(folder);
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

class Results {
  readonly cpu: number[] = [];
  readonly runningCpu: number[] = [];
  readonly memorySlope: number[] = [];

  async round(name: string): Promise<void> {
    const main = await measure(name, streams, seconds);
    if (main) {
      this.cpu.push(main.cpu);
      this.runningCpu.push(main.runningCpu);
    }
    const low = await measure(name, few, memorySeconds);
    const high = await measure(name, many, memorySeconds);
    if (low && high) this.memorySlope.push((high.memory - low.memory) / (many - few));
  }
}

const ffmpeg = new Results();
const vidette = new Results();
for (let round = 0; round < rounds; round++) {
  const order = [ffmpeg, vidette];
  if (round % 2) order.reverse();
  for (const results of order) await results.round(results === ffmpeg ? 'ffmpeg' : 'vidette');
}

function compare(what: string, of: (results: Results) => number[], goal: string): void {
  const [theirs, ours] = [median(of(ffmpeg)), median(of(vidette))];
  console.log(
    `${what}: ffmpeg ${theirs.toFixed(3)}, vidette ${ours.toFixed(3)}, ratio ${(ours / theirs).toFixed(3)}${goal}`,
  );
}

console.log(`\nMedians of ${ffmpeg.cpu.length} and ${vidette.cpu.length} valid rounds:`);
compare('CPU per stream, % of a core', (results) => results.cpu, ' (goal: at most 0.4)');
compare('the same while running', (results) => results.runningCpu, '');
compare('memory per added stream, MB', (results) => results.memorySlope, ' (goal: at most 0.12)');
