/**
 * CPU and memory of receiving and recording with engine processes, compared with one process for everything, in the
 * same run and in alternating order.
 *
 *   npm run bench engine-cost [ROUNDS=5] [STREAMS=30] [SECONDS=15] [ENGINES=1]
 *
 * CPU and memory are those of all processes of the server. A round in which the frames on the disk differ from the
 * frames sent is void.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from '../e2e/server.ts';
import { alternate, compare, Contender, videtteWith } from './recording-load.ts';
import { median, memoryMB } from './usage.ts';

const [rounds = 5, streams = 30, seconds = 15, engines = 1] = process.argv.slice(2).map(Number);
const settleMs = 10_000;

const env = (processes: number) => ({ VIDETTE_ENGINE_PROCESSES: String(processes) });

/** MB of all processes of a server without streams. */
async function idleMemory(processes: number): Promise<number> {
  const server = await startServer({ env: env(processes) });
  try {
    await pause(settleMs);
    return memoryMB(server.pid);
  } finally {
    await server.stop();
  }
}

const idle: number[][] = [[], [], []];
for (let round = 0; round < rounds; round++) {
  for (const [index, processes] of [0, 1, 2].entries()) idle[index]?.push(await idleMemory(processes));
}
const [none = NaN, one = NaN, two = NaN] = idle.map(median);
console.log(`Idle, MB: one process ${none.toFixed(0)}, one engine ${one.toFixed(0)}, two ${two.toFixed(0)}`);
console.log(`An engine more, MB: ${(two - one).toFixed(0)} (goal: at most 60)`);

const pair = [
  new Contender('one process', videtteWith(env(0))),
  new Contender(`engines ${engines}`, videtteWith(env(engines))),
] as const;
await alternate(pair, { rounds, streams, seconds });
compare('CPU per stream, % of a core', pair, ({ cpu }) => cpu, ' (goal: at most 1)');
compare('the same while running', pair, ({ runningCpu }) => runningCpu, ' (goal: at most 1)');
compare('memory per added stream, MB', pair, ({ memorySlope }) => memorySlope, ' (goal: at most 1 MB)');
