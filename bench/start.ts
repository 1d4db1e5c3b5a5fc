/**
 * `npm run bench start [ROUNDS=5]`: memory of a server without streams, and CPU and memory of a start with 10 000 streams, of
 * which none delivers. With engine processes, as by default, and in one process; beside MediaMTX where it is on the path. Alternating.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type TestServer } from '../e2e/server.ts';
import { startFilled } from './filled-server.ts';
import { Rival, rivalsOnPath, type RivalName } from './rivals.ts';
import { cpuSeconds, median, memoryMB, spreadOf } from './usage.ts';

const rounds = Number(process.argv[2] ?? 5);
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

/** A started program, which ends with its folder. */
interface Started {
  readonly pid: number;
  stop(): Promise<void>;
}

interface Side {
  readonly name: string;
  /** Starts it with this many streams. */
  start(streams: number): Promise<Started>;
  readonly figures: Figures;
}

const vidette = (name: string, env: Record<string, string>): Side => ({
  name,
  start: async (count) => {
    const server = await (count > 0 ? startAgain(count, env) : startServer({ env }));
    return {
      pid: server.pid,
      async stop() {
        await server.stop();
        await rm(server.dataDir, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  },
  figures: noFigures(),
});

/** The first start with streams that were not written by the product seals their addresses; no later one does. */
async function startAgain(count: number, env: Record<string, string>): Promise<TestServer> {
  const first = await startFilled(count, env);
  await first.stop();
  return startServer({ dataDir: first.dataDir, env });
}

const rival = (name: RivalName): Side => ({
  name,
  start: async (count) => {
    const folder = await mkdtemp(join(tmpdir(), 'vidette-start-'));
    const list = Array.from({ length: count }, (_, index) => ({
      name: `camera${index}`,
      source: `rtsp://10.0.${index >> 8}.${index & 255}/stream`,
    }));
    const server = await Rival.start(name, folder, { streams: list, isOnDemand: true });
    return {
      pid: server.pid,
      async stop() {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
  figures: noFigures(),
});

const sides: readonly Side[] = [
  vidette('engines', {}),
  vidette('one process', { VIDETTE_ENGINE_PROCESSES: '0' }),
  ...rivalsOnPath('mediamtx', 'go2rtc').map(rival),
];

function noFigures(): Figures {
  return { idleMB: [], startCpu: [], filledMB: [] };
}

/** CPU of the start, s, and memory when it is over. */
async function measure(server: Started): Promise<{ cpu: number; memory: number }> {
  try {
    await pause(startingMs);
    const cpu = cpuSeconds(server.pid);
    await pause(settleMs);
    return { cpu, memory: memoryMB(server.pid) };
  } finally {
    await server.stop();
  }
}

for (let round = 0; round < rounds; round++) {
  for (const side of round % 2 ? sides.toReversed() : sides) {
    const { name, figures } = side;
    const idle = await measure(await side.start(0));
    const filled = await measure(await side.start(streams));
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
  const [idle, cpu, filled] = [
    `${median(figures.idleMB).toFixed(0)} MB (${spreadOf(figures.idleMB, 0)}; goal: 110)`,
    `${median(figures.startCpu).toFixed(2)} s of CPU (${spreadOf(figures.startCpu, 2)}; goal: 2)`,
    `${median(figures.filledMB).toFixed(0)} MB (${spreadOf(figures.filledMB, 0)}; goal: 200)`,
  ];
  console.log(`${name}: idle ${idle}, start with ${streams} streams ${cpu}, then ${filled}`);
}
