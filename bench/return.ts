/**
 * `npm run bench return [OUTAGES=30] [CAMERAS=15]`: how long it takes until a stream is recorded again after
 * its source has returned. CAMERAS disappear together, for 7 s and for 30 s, until there were OUTAGES of each;
 * first their programs are restarted (new connections are refused meanwhile), then they listen and have no stream (404, as a
 * media server without its publisher), then their cable is cut (nothing answers; needs root on Linux).
 *
 * Measured from the moment at which they listen, or the cable is reconnected, to the first frame on the disk. Beside it, the same
 * cameras are recorded by `ffmpeg -c copy`, started again a second after its end, and by MediaMTX where it is on the path.
 * The cameras' encoders keep running meanwhile, with a GOP of 2 s: waiting for the key frame accounts for 1.0 s
 * of the median and 1.8 s of the 90th percentile.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { administratorOf, until } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { Rival, rivalsOnPath } from './rivals.ts';

const [outages = 30, count = 15] = process.argv.slice(2).map(Number);
const lengthsMs = [7_000, 30_000];
/** A camera that ran for ten seconds counts as stable; and some more. */
const goodMs = 13_000;
const goalsSeconds = { median: 1.2, ninetieth: 2.2 };

/** A namespace with the cameras, at the other end of a cable; undefined if none can be created. */
class Cable {
  readonly through: readonly string[];
  readonly hosts: readonly string[];
  readonly #space = `vidette-return-${process.pid}`;
  readonly #device = `vr0-${process.pid}`;

  private constructor(hosts: readonly string[]) {
    this.hosts = hosts;
    this.through = ['ip', 'netns', 'exec', this.#space];
  }

  static make(): Cable | undefined {
    const cable = new Cable(Array.from({ length: count }, (_, index) => `10.214.0.${index + 10}`));
    try {
      cable.#build();
      return cable;
    } catch (error) {
      console.log(`No cable: ${String(error)}`);
      cable.remove();
      return undefined;
    }
  }

  #build(): void {
    const bridge = `vrb-${process.pid}`;
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('addr', 'add', '10.214.0.1/24', 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    ip('netns', 'add', this.#space);
    ip('link', 'add', this.#device, 'type', 'veth', 'peer', 'name', 'cameras', 'netns', this.#space);
    ip('link', 'set', this.#device, 'master', bridge, 'up');
    for (const host of this.hosts) ip('-n', this.#space, 'addr', 'add', `${host}/24`, 'dev', 'cameras');
    ip('-n', this.#space, 'link', 'set', 'lo', 'up');
    ip('-n', this.#space, 'link', 'set', 'cameras', 'up');
  }

  cut(): void {
    ip('link', 'set', this.#device, 'nomaster');
  }

  mend(): void {
    ip('link', 'set', this.#device, 'master', `vrb-${process.pid}`);
  }

  remove(): void {
    for (const words of [
      ['netns', 'del', this.#space],
      ['link', 'del', `vrb-${process.pid}`],
    ]) {
      try {
        ip(...words);
      } catch (error) {
        console.log(String(error));
      }
    }
  }
}

function ip(...words: string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** The process of the cameras. */
async function startCameras(hosts: readonly string[], through: readonly string[]) {
  const script = fileURLToPath(new URL('return-cameras.ts', import.meta.url));
  const [program = process.execPath, ...words] = [...through, process.execPath, script, ...hosts];
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [first] = (await once(lines, 'line')) as [string];
  const { urls } = JSON.parse(first) as { urls: string[] };
  return {
    urls,
    async say(word: 'down' | 'empty' | 'up') {
      child.stdin.write(`${word}\n`);
      await once(lines, 'line');
    },
    stop: () => child.kill(),
  };
}

/** Another recorder of the same cameras. */
interface OtherRecorder {
  readonly name: string;
  /** When the first file of a camera was begun after a time, ms since the epoch. */
  firstAfter(camera: number, timeMs: number): number | undefined;
  stop(): Promise<void>;
}

/** The earliest of some times that is not before another one. */
function firstOf(times: readonly number[], timeMs: number): number | undefined {
  const later = times.filter((time) => time >= timeMs);
  return later.length === 0 ? undefined : Math.min(...later);
}

/** One process for each camera, which gives up a silent connection after five seconds. */
function restartedFfmpeg(urls: readonly string[], folder: string): OtherRecorder {
  let isOver = false;
  const running = new Set<ChildProcess>();
  const record = async (url: string, index: number) => {
    const own = join(folder, String(index));
    mkdirSync(own);
    for (let number = 0; !isOver; number++) {
      const input = ['-v', 'quiet', '-rtsp_transport', 'tcp', '-timeout', '5000000', '-i', url];
      const output = ['-c', 'copy', '-f', 'segment', '-segment_time', '60', join(own, `${number}-%03d.mp4`)];
      const child = spawn('ffmpeg', [...input, ...output], { stdio: 'ignore' });
      running.add(child);
      await once(child, 'exit');
      running.delete(child);
      await pause(1_000);
    }
  };
  const recordings = urls.map(record);
  return {
    name: 'ffmpeg',
    firstAfter(camera, timeMs) {
      const own = join(folder, String(camera));
      return firstOf(
        readdirSync(own).map((name) => statSync(join(own, name)).birthtimeMs),
        timeMs,
      );
    },
    async stop() {
      isOver = true;
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(recordings);
    },
  };
}

async function mediamtx(urls: readonly string[], folder: string): Promise<OtherRecorder> {
  const streams = urls.map((source, index) => ({ name: `camera${index}`, source }));
  const server = await Rival.start('mediamtx', folder, { streams, isRecorded: true });
  return {
    name: 'mediamtx',
    firstAfter(camera, timeMs) {
      const own = join(folder, 'recordings', `camera${camera}`);
      return firstOf(existsSync(own) ? readdirSync(own).map(timeInName) : [], timeMs);
    },
    stop: () => server.stop(),
  };
}

/** Of `2026-01-31_12-34-56-123456.mp4`, local time: when its first frame arrived, ms since the epoch. */
function timeInName(name: string): number {
  const [year = 0, month = 0, ...rest] = (name.match(/\d+/g) ?? []).map(Number);
  const [day = 0, hour = 0, minute = 0, second = 0, micros = 0] = rest;
  return new Date(year, month - 1, day, hour, minute, second).getTime() + micros / 1_000;
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

const cable = Cable.make();
const hosts = cable?.hosts ?? Array.from({ length: count }, (_, index) => `127.0.0.${index + 10}`);
const cameras = await startCameras(hosts, cable?.through ?? []);
const server = await startServer();
const folder = mkdtempSync(join(tmpdir(), 'vidette-return-'));
const others: OtherRecorder[] = [];
let isGood = true;
try {
  const { client } = await administratorOf(server);
  const uids: string[] = [];
  for (const [index, streamSource] of cameras.urls.entries())
    uids.push((await client.addStream({ body: { name: `Camera ${index}`, streamSource } })).uid);
  mkdirSync(join(folder, 'ffmpeg'));
  others.push(restartedFfmpeg(cameras.urls, join(folder, 'ffmpeg')));
  for (const name of rivalsOnPath('mediamtx')) others.push(await mediamtx(cameras.urls, join(folder, name)));
  const running = async () => {
    const streams = await Promise.all(uids.map((uid) => client.getStream({ params: { uid } })));
    return streams.filter(({ status }) => status === 'running').length;
  };

  /**
   * Ends of the gaps that contain the return, ms: one outage may be several gaps, by cause. None for a stream
   * that lost nothing.
   */
  const returns = async (awayMs: number, backMs: number): Promise<number[]> => {
    const ends = await Promise.all(
      uids.map(async (uid) => {
        const query = { start_time: awayMs - 5_000, end_time: Date.now() + 5_000 };
        const { gaps } = await client.getArchiveRanges({ params: { uid }, query });
        return gaps.find(({ endTime }) => endTime >= backMs)?.endTime ?? Number.NaN;
      }),
    );
    return ends.filter((end) => !Number.isNaN(end));
  };

  const kinds: Record<string, { away(): Promise<void>; back(): Promise<void> }> = {
    'restarted cameras': { away: () => cameras.say('down'), back: () => cameras.say('up') },
    'streams without a publisher': { away: () => cameras.say('empty'), back: () => cameras.say('up') },
  };
  if (cable)
    kinds['a cut cable'] = {
      away: () => Promise.resolve(cable.cut()),
      back: () => Promise.resolve(cable.mend()),
    };
  for (const [name, kind] of Object.entries(kinds)) {
    for (const lengthMs of lengthsMs) {
      const seconds: number[] = [];
      const othersSeconds = new Map<string, number[]>(others.map(({ name: other }) => [other, []]));
      let unhurt = 0;
      while (seconds.length + unhurt < outages) {
        await until(running, (many) => many === count, 120_000);
        await pause(goodMs);
        const awayMs = Date.now();
        await kind.away();
        await pause(lengthMs - (Date.now() - awayMs));
        await kind.back();
        const backMs = Date.now();
        // The longest pause between two attempts, and the time to connect.
        await pause(15_000);
        await until(running, (many) => many === count, 120_000);
        await pause(3_000);
        const ends = await returns(awayMs, backMs);
        unhurt += count - ends.length;
        seconds.push(...ends.map((end) => (end - backMs) / 1000));
        for (const other of others)
          for (const index of uids.keys()) {
            const firstMs = other.firstAfter(index, backMs);
            if (firstMs !== undefined) othersSeconds.get(other.name)?.push((firstMs - backMs) / 1000);
          }
      }
      const sorted = seconds.toSorted((a, b) => a - b);
      const [median, ninetieth] = [share(sorted, 0.5), share(sorted, 0.9)];
      console.log(
        `${name}, away for ${lengthMs / 1000} s: median ${median.toFixed(2)} s, 90th percentile ${ninetieth.toFixed(2)} s, ` +
          `worst ${share(sorted, 1).toFixed(2)} s of ${sorted.length} (${unhurt} without a gap): ` +
          sorted.map((value) => value.toFixed(1)).join(' '),
      );
      for (const [other, values] of othersSeconds) {
        const theirs = values.toSorted((a, b) => a - b);
        const figures = [0.5, 0.9, 1].map((part) => share(theirs, part).toFixed(2)).join(', ');
        console.log(`  ${other}: ${figures} s of ${theirs.length}`);
      }
      if (median > goalsSeconds.median || ninetieth > goalsSeconds.ninetieth) isGood = false;
    }
  }
} finally {
  for (const other of others) await other.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  cameras.stop();
  cable?.remove();
}
process.exit(isGood ? 0 : 1);
