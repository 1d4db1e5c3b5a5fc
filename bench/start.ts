/**
 * `npm run bench start [ROUNDS=3]`: memory of a server without streams, and CPU and memory of a start with 10 000 streams, of
 * which none delivers. With engine processes, as by default, and in one process, alternating.
 */
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type TestServer } from '../e2e/server.ts';
import { startFilled } from './filled-server.ts';
import { cpuSeconds, median, memoryMB } from './usage.ts';

const rounds = Number(process.argv[2] ?? 3);
const streams = 10_000;
/** What follows the start belongs to it. */
const startingMs = 5_000;
/** The garbage of the start is collected after five seconds, and given back a little later. */
const settleMs = 15_000;

interface Figures {
  readonly idleMB: number[];
  readonly startCpu: number[];
  readonly filledMB: number[];
}

const sides = [
  { name: 'engines', env: {}, figures: noFigures() },
  { name: 'one process', env: { VIDETTE_ENGINE_PROCESSES: '0' }, figures: noFigures() },
];

function noFigures(): Figures {
  return { idleMB: [], startCpu: [], filledMB: [] };
}

/** CPU of the start, s, and memory when it is over. */
async function measure(server: TestServer): Promise<{ cpu: number; memory: number }> {
  try {
    await pause(startingMs);
    const cpu = cpuSeconds(server.pid);
    await pause(settleMs);
    return { cpu, memory: memoryMB(server.pid) };
  } finally {
    await server.stop();
    await rm(server.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

for (let round = 0; round < rounds; round++) {
  for (const { name, env, figures } of round % 2 ? sides.toReversed() : sides) {
    const idle = await measure(await startServer({ env }));
    const filled = await measure(await startFilled(streams, env));
    figures.idleMB.push(idle.memory);
    figures.startCpu.push(filled.cpu);
    figures.filledMB.push(filled.memory);
    console.log(
      `${name.padEnd(12)} idle ${idle.memory.toFixed(0)} MB (start ${idle.cpu.toFixed(2)} s of CPU), ` +
        `${streams} streams ${filled.memory.toFixed(0)} MB, ${filled.cpu.toFixed(2)} s of CPU, ` +
        `load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
  }
}
for (const { name, figures } of sides) {
  const [idle, cpu, filled] = [figures.idleMB, figures.startCpu, figures.filledMB].map(median);
  console.log(
    `${name}: idle ${idle?.toFixed(0)} MB (goal: 110), start with ${streams} streams ${cpu?.toFixed(2)} s of CPU ` +
      `(goal: 2), then ${filled?.toFixed(0)} MB (goal: 200)`,
  );
}
