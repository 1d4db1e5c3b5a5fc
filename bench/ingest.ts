/**
 * CPU and memory of receiving and recording RTSP streams of 4 Mbit/s (H.264 1080p25, AAC), beside one `ffmpeg -c copy`
 * process per stream, in the same run and in alternating order.
 *
 *   npm run bench ingest [ROUNDS=5] [STREAMS=30] [SECONDS=15]
 *
 * A round in which the pictures on the disk differ from the pictures sent is void. The flush of every fragment is included.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp, startServer } from '../e2e/server.ts';
import { framesPerSecond } from './load-media.ts';
import { cpuSeconds, median, memoryMB } from './usage.ts';

const [rounds = 5, streams = 30, seconds = 15] = process.argv.slice(2).map(Number);
const pictures = seconds * framesPerSecond;

interface Figures {
  /** CPU seconds for the whole round. */
  cpu: number;
  /** Memory while all streams run, MB. */
  memory: number;
  /** Pictures found on the disk. */
  recorded: number;
}

type Way = (count: number, camera: Camera, folder: string) => Promise<Figures>;

/** The process that plays the cameras; resolves `done` when every session had all its pictures. */
class Camera {
  readonly port: number;
  readonly done: Promise<void>;
  readonly #process: ChildProcess;

  constructor(process: ChildProcess, port: number, done: Promise<void>) {
    this.#process = process;
    this.port = port;
    this.done = done;
  }

  static async start(count: number): Promise<Camera> {
    const script = fileURLToPath(new URL('load-camera.ts', import.meta.url));
    const child = spawn(process.execPath, [script, '4000', String(pictures)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = Promise.withResolvers<number>();
    const done = Promise.withResolvers<void>();
    let finished = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trim().split('\n')) {
        const event = JSON.parse(line) as { port?: number };
        if (event.port) port.resolve(event.port);
        else if (++finished === count) done.resolve();
      }
    });
    return new Camera(child, await port.promise, done.promise);
  }

  url(index: number): string {
    return `rtsp://127.0.0.1:${this.port}/${index}`;
  }

  stop(): void {
    this.#process.kill();
  }
}

const ffmpegWay: Way = async (count, camera, folder) => {
  const processes = Array.from({ length: count }, (_, index) => {
    const output = join(folder, String(index));
    mkdirSync(output);
    const command = [
      'ffmpeg',
      '-v',
      'error',
      '-rtsp_transport',
      'tcp',
      '-i',
      camera.url(index),
      '-c',
      'copy',
    ];
    const segments = ['-f', 'segment', '-segment_time', '60', join(output, '%03d.mp4')];
    // The shell's own clock says what the process used in all, to the millisecond.
    const shell = `TIMEFORMAT='%U %S'; time ${[...command, ...segments].join(' ')}`;
    return spawn('bash', ['-c', shell], { stdio: ['ignore', 'ignore', 'pipe'] });
  });
  const times = processes.map(async (child) => {
    const words: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => words.push(text));
    await once(child, 'exit');
    const [user = 0, system = 0] = words.join('').trim().split(/\s+/).slice(-2).map(Number);
    return user + system;
  });
  await halfWay();
  const memory = processes.reduce((sum, child) => sum + memoryMB(child.pid ?? 0), 0);
  const cpu = (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
  return { cpu, memory, recorded: recordedPictures(folder) };
};

const videtteWay: Way = async (count, camera, folder) => {
  const server = await startServer({ dataDir: folder });
  const headers = { cookie: await setUp(server), 'content-type': 'application/json', origin: server.url };
  const before = cpuSeconds(server.pid);
  for (let index = 0; index < count; index++) {
    const body = { name: `Camera ${index}`, streamSource: camera.url(index), archive: { isEnable: true } };
    const reply = await fetch(`${server.url}/v1/stream`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`adding a stream: ${reply.status} ${await reply.text()}`);
  }
  await halfWay();
  const memory = memoryMB(server.pid);
  await camera.done;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const cpu = cpuSeconds(server.pid) - before;
  await server.stop();
  return { cpu, memory, recorded: recordedPictures(folder) };
};

const ways: Record<string, Way> = { ffmpeg: ffmpegWay, vidette: videtteWay };

async function halfWay(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, seconds * 800));
}

/** Counts the video packets of every file below a folder. */
function recordedPictures(folder: string): number {
  const options =
    '-v error -select_streams v -count_packets -show_entries stream=nb_read_packets -of csv=p=0';
  return globSync('**/*.mp4', { cwd: folder }).reduce((sum, file) => {
    const text = execFileSync('ffprobe', [...options.split(' '), join(folder, file)], { encoding: 'utf8' });
    return sum + Number.parseInt(text, 10);
  }, 0);
}

/** One way with so many streams; undefined when the round is void. */
async function measure(name: string, count: number): Promise<Figures | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-bench-'));
  const camera = await Camera.start(count);
  try {
    const figures = await ways[name]!(count, camera, folder);
    const sent = count * pictures;
    const isVoid = figures.recorded !== sent;
    const percent = ((100 * figures.cpu) / seconds / count).toFixed(3);
    const verdict = isVoid ? `VOID: ${figures.recorded} pictures of ${sent}` : `${sent} pictures`;
    console.log(
      `${name.padEnd(8)} ${count} streams: ${percent} % of a core each, ${figures.memory.toFixed(0)} MB, ${verdict}`,
    );
    return isVoid ? undefined : figures;
  } finally {
    camera.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const found: Record<string, { cpu: number[]; few: number[]; many: number[] }> = {};
for (let round = 0; round < rounds; round++) {
  const order = round % 2 ? ['vidette', 'ffmpeg'] : ['ffmpeg', 'vidette'];
  for (const name of order) {
    const figures = (found[name] ??= { cpu: [], few: [], many: [] });
    const main = await measure(name, streams);
    const few = await measure(name, 10);
    const many = await measure(name, 40);
    if (main) figures.cpu.push((100 * main.cpu) / seconds / streams);
    if (few && many) {
      figures.few.push(few.memory);
      figures.many.push(many.memory);
    }
  }
}
const slope = (name: string) => {
  const { few, many } = found[name]!;
  return median(many.map((value, index) => (value - (few[index] ?? NaN)) / 30));
};
const cpu = (name: string) => median(found[name]!.cpu);
console.log(
  `\nCPU of one core per stream: ffmpeg ${cpu('ffmpeg').toFixed(3)} %, vidette ${cpu('vidette').toFixed(3)} %`,
);
console.log(
  `ratio ${(cpu('vidette') / cpu('ffmpeg')).toFixed(2)} (goal: at most 0.40), median of ${found['vidette']!.cpu.length} rounds`,
);
console.log(
  `memory per added stream: ffmpeg ${slope('ffmpeg').toFixed(2)} MB, vidette ${slope('vidette').toFixed(2)} MB`,
);
console.log(`ratio ${(slope('vidette') / slope('ffmpeg')).toFixed(3)} (goal: at most 0.12)`);
