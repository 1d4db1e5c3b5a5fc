/**
 * What another version of the server, or Moonfire NVR, and this one cost when they record the same load at the same time: a
 * machine whose speed changes is as slow for one as for the other.
 *
 *   npm run bench versions FOLDER [ROUNDS=4] [STREAMS=30] [SECONDS=50] [KBIT=4000]
 *
 * FOLDER is another checkout, installed, or `moonfire` for the program on the path, which records no audio: the cameras then
 * have none. Which of the two is started first changes with each round. Wake-ups are the
 * voluntary context switches of all threads of a server (proc_pid_status(5)).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { recordWithMoonfire } from './moonfire.ts';
import { videtteWith, type ServerVersion, type Side, type Start } from './recording-load.ts';
import { cpuSeconds, median, memoryMB, spreadOf, wakeUps } from './usage.ts';

const [folder, ...numbers] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('npm run bench versions FOLDER: the checkout of another version, or moonfire');
const isMoonfire = folder === 'moonfire';
const [rounds = 4, streams = 30, seconds = 50, kbitPerSecond = 4000] = numbers.map(Number);
const settleMs = 30_000;
/** For both to start, and to settle. */
const spareSeconds = 90;

/** Of all processes of a server. */
interface Figures {
  readonly perGB: number;
  readonly wakeUps: number;
  readonly memory: number;
}

interface Running {
  readonly side: Side;
  stop(): Promise<void>;
}

async function versionIn(checkout: string): Promise<Start> {
  const url = pathToFileURL(join(resolve(checkout), 'e2e/server.ts')).href;
  return videtteWith({}, (await import(url)) as ServerVersion);
}

async function run(start: Start): Promise<Running> {
  const data = mkdtempSync(join(tmpdir(), 'vidette-bench-'));
  const frames = (seconds + spareSeconds) * framesPerSecond;
  const cameras = await LoadCameras.start(streams, kbitPerSecond, frames, { hasAudio: !isMoonfire });
  const end = () => {
    cameras.stop();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const side = await start(cameras, data);
    return { side, stop: () => side.close().finally(end) };
  } catch (error) {
    end();
    throw error;
  }
}

/** Starts both, in this order; the figures are in the same order. */
async function round(starts: readonly Start[]): Promise<Figures[]> {
  const running: Running[] = [];
  try {
    for (const start of starts) running.push(await run(start));
    await pause(settleMs);
    const look = () =>
      running.map(({ side: { pids } }) => ({ cpu: cpuSeconds(...pids), wakes: wakeUps(...pids) }));
    const before = look();
    await pause(seconds * 1000);
    const after = look();
    const gigabytes = (streams * seconds * kbitPerSecond * 125) / 1e9;
    return running.map(({ side: { pids } }, index) => ({
      perGB: ((after[index]?.cpu ?? NaN) - (before[index]?.cpu ?? NaN)) / gigabytes,
      wakeUps: ((after[index]?.wakes ?? NaN) - (before[index]?.wakes ?? NaN)) / seconds,
      memory: memoryMB(...pids),
    }));
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
}

const other = isMoonfire ? recordWithMoonfire : await versionIn(folder);
const own = await versionIn('.');
const others: Figures[] = [];
const owns: Figures[] = [];
for (let index = 0; index < rounds; index++) {
  const isReversed = index % 2 === 1;
  const figures = await round(isReversed ? [own, other] : [other, own]);
  const [first, second] = isReversed ? figures.toReversed() : figures;
  if (!first || !second) throw new Error('a round without figures');
  others.push(first);
  owns.push(second);
  console.log(
    `CPU, s per GB: ${first.perGB.toFixed(2)}, ${second.perGB.toFixed(2)}; wake-ups per second: ${first.wakeUps.toFixed(0)}, ` +
      `${second.wakeUps.toFixed(0)}; memory, MB: ${first.memory.toFixed(0)}, ${second.memory.toFixed(0)}; load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
}
for (const [what, of] of [
  ['CPU', ({ perGB }: Figures) => perGB],
  ['wake-ups', (figures: Figures) => figures.wakeUps],
  ['memory', ({ memory }: Figures) => memory],
] as const) {
  const ratios = owns.map((figures, index) => of(figures) / of(others[index] ?? figures));
  console.log(`${what}: this version has ${median(ratios).toFixed(3)} of the other (${spreadOf(ratios, 3)})`);
}
