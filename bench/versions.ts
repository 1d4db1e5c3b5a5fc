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
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { recordWithMoonfire } from './moonfire.ts';
import { videtteWith, type ServerVersion, type Start } from './recording-load.ts';
import { measureTogether, type Figures } from './side-by-side.ts';
import { median, spreadOf } from './usage.ts';

const [folder, ...numbers] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('npm run bench versions FOLDER: the checkout of another version, or moonfire');
const isMoonfire = folder === 'moonfire';
const [rounds = 4, streams = 30, seconds = 50, kbitPerSecond = 4000] = numbers.map(Number);

async function versionIn(checkout: string): Promise<Start> {
  const url = pathToFileURL(join(resolve(checkout), 'e2e/server.ts')).href;
  return videtteWith({}, (await import(url)) as ServerVersion);
}

const load = { streams, seconds, kbitPerSecond, hasAudio: !isMoonfire };
const other = isMoonfire ? recordWithMoonfire : await versionIn(folder);
const own = await versionIn('.');
const others: Figures[] = [];
const owns: Figures[] = [];
for (let index = 0; index < rounds; index++) {
  const isReversed = index % 2 === 1;
  const figures = await measureTogether(isReversed ? [own, other] : [other, own], load);
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
