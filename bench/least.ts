/**
 * What the least that a recorder in Node does costs, beside this server and Moonfire NVR, where it is on the path, all at the
 * same time: how far the server's CPU per GB can fall. See README.md.
 *
 *   npm run bench least [ROUNDS=2] [STREAMS=30] [SECONDS=30]
 */
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { leastWays } from './least-ways.ts';
import { isMoonfireOnPath, recordWithMoonfire } from './moonfire.ts';
import { sideOf, videtteWith, type Start } from './recording-load.ts';
import { end } from './rivals.ts';
import { measureTogether } from './side-by-side.ts';
import { median, spreadOf } from './usage.ts';

const [rounds = 2, streams = 30, seconds = 30] = process.argv.slice(2).map(Number);
const load = { streams, seconds, kbitPerSecond: 4000, hasAudio: false };
const script = fileURLToPath(new URL('least-recorder.ts', import.meta.url));

const leastRecorder =
  (way: string): Start =>
  (cameras, folder) => {
    const child = spawn(process.execPath, [script, way, folder, ...cameras.urls], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return Promise.resolve(sideOf({ pid: child.pid ?? 0, stop: () => end(child, 'SIGTERM') }, cameras));
  };

const sides: (readonly [string, Start])[] = [
  ...(isMoonfireOnPath() ? [['moonfire', recordWithMoonfire] as const] : []),
  ['vidette', videtteWith({})],
  ...Object.keys(leastWays).map((way) => [way, leastRecorder(way)] as const),
];
const figures = new Map(sides.map(([name]) => [name, { perGB: [] as number[], ratio: [] as number[] }]));
for (let index = 0; index < rounds; index++) {
  const order = index % 2 ? sides.toReversed() : sides;
  const found = await measureTogether(
    order.map(([, start]) => start),
    load,
  );
  const perGB = new Map(order.map(([name], at) => [name, found[at]?.perGB ?? NaN]));
  const first = perGB.get(sides[0]?.[0] ?? '') ?? NaN;
  for (const [name, of] of figures) {
    of.perGB.push(perGB.get(name) ?? NaN);
    of.ratio.push((perGB.get(name) ?? NaN) / first);
  }
  console.log(`round ${index + 1} of ${rounds}, load average ${(loadavg()[0] ?? 0).toFixed(1)}`);
}
for (const [name, { perGB, ratio }] of figures)
  console.log(
    `${name.padEnd(12)} ${median(perGB).toFixed(2)} s of CPU per GB (${spreadOf(perGB, 2)}), ` +
      `${median(ratio).toFixed(2)} of ${sides[0]?.[0]} (${spreadOf(ratio, 2)})`,
  );
