/**
 * How many streams two cores record, compared with one: streams are added until the server is overloaded, with one
 * engine on one core, and with two engines on two.
 *
 *   npm run bench capacity [ROUNDS=3] [SHARE=25] [KBIT=1000]
 *
 * A core here is a group of processes with SHARE percent of a core, so that cameras fit beside them on a machine of
 * two cores. Everything is in the first group; with two, the second engine is in the second. Requires root.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@vidette/contract/client';
import { administratorOf } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { commandOf, CpuShare } from './cpu-share.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { median, withDescendants } from './usage.ts';

const [rounds = 3, sharePercent = 25, kbitPerSecond = 1_000] = process.argv.slice(2).map(Number);
const streamsMax = 600;
/** Streams that are added in one step, for each core. */
const step = 4;
const stepMs = 3_000;
const goal = 1.8;

/** Streams that were recorded when the server began to make other work wait. */
async function capacity(cores: 1 | 2): Promise<number> {
  const shares = [new CpuShare('first', sharePercent / 100)];
  if (cores === 2) shares.push(new CpuShare('second', sharePercent / 100));
  const server = await startServer({
    env: { VIDETTE_ENGINE_PROCESSES: String(cores), VIDETTE_OVERLOAD_YIELDS: 'true' },
  });
  const cameras = await LoadCameras.start(streamsMax, kbitPerSecond, 3_600 * framesPerSecond);
  try {
    const { client } = await administratorOf(server);
    const pids = [...withDescendants([server.pid])];
    shares[0]?.add(pids);
    shares[1]?.add(pids.filter((pid) => commandOf(pid).includes('engine-main')).slice(1));
    const sources = cameras.urls.values();
    let added = 0;
    while (!(await isOverloaded(client))) {
      for (let more = 0; more < step * cores; more++, added++) {
        const { value: streamSource } = sources.next();
        if (streamSource === undefined)
          throw new Error(`More than ${streamsMax} streams: choose a smaller SHARE.`);
        await client.addStream({ body: { name: `Camera ${added}`, streamSource } });
      }
      await pause(stepMs);
    }
    const { engines } = await client.getSystemStats();
    console.log(
      `${cores} cores: ${added} streams, ${engines.map(({ streams, cpuPercent }) => `${streams} with ${cpuPercent.toFixed(0)} %`).join(', ')}, load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
    return added;
  } finally {
    cameras.stop();
    await server.stop();
    for (const share of shares) share.remove();
  }
}

async function isOverloaded(client: Client): Promise<boolean> {
  return (await client.getSystemStats()).overload.level > 0;
}

const found: Record<1 | 2, number[]> = { 1: [], 2: [] };
for (let round = 0; round < rounds; round++) {
  for (const cores of round % 2 ? ([2, 1] as const) : ([1, 2] as const))
    found[cores].push(await capacity(cores));
}
const ratio = median(found[2]) / median(found[1]);
console.log(
  `Medians: ${median(found[1])} streams on one core, ${median(found[2])} on two, ratio ${ratio.toFixed(2)} (goal: ${goal})`,
);
process.exit(ratio >= goal ? 0 : 1);
