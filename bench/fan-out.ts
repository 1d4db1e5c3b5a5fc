/**
 * CPU of sending live video to many viewers, with engine processes and with one process for everything, in alternating
 * rounds of the same run.
 *
 *   npm run bench fan-out [VIEWERS=500] [STREAMS=4] [SECONDS=15] [ENGINES=2] [ROUNDS=2]
 *
 * STREAMS cameras of 4 Mbit/s that are not recorded; the viewers are spread over them. What the server needs without viewers is
 * subtracted.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { administratorOf, until } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond } from './load-media.ts';
import { cpuSeconds, median } from './usage.ts';

const [viewers = 500, streams = 4, seconds = 15, engines = 2, rounds = 2] = process.argv.slice(2).map(Number);
const kbitPerSecond = 4_000;
/** One process can't take in more than this many. */
const viewersPerProcess = 250;
const settleMs = 4_000;

/** Viewers in processes of their own; `bytes` is what has arrived so far. */
class Viewers {
  readonly #children: ReturnType<typeof spawn>[] = [];
  readonly #counts: number[] = [];

  constructor(line: (count: number) => string, count: number) {
    const script = fileURLToPath(new URL('raw-viewers.ts', import.meta.url));
    for (let left = count; left > 0; left -= viewersPerProcess) {
      const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
      const index = this.#children.push(child) - 1;
      child.stdin.end(`${line(Math.min(left, viewersPerProcess))}\n`);
      createInterface({ input: child.stdout }).on('line', (text) => (this.#counts[index] = Number(text)));
    }
  }

  get bytes(): number {
    return this.#counts.reduce((sum, bytes) => sum + bytes, 0);
  }

  close(): void {
    for (const child of this.#children) child.kill();
  }
}

interface Figures {
  /** CPU seconds for each Gbit that arrived. */
  readonly cpuPerGbit: number;
  readonly gbitPerSecond: number;
}

async function measure(processes: number): Promise<Figures> {
  const server = await startServer({ env: { VIDETTE_ENGINE_PROCESSES: String(processes) } });
  const cameras = await LoadCameras.start(streams, kbitPerSecond, 3_600 * framesPerSecond);
  try {
    const { client, cookie } = await administratorOf(server);
    const archive = { isEnable: false, depthHours: -1, farAfterHours: -1 };
    const uids: string[] = [];
    for (const [index, streamSource] of cameras.urls.entries()) {
      const body = { name: `Camera ${index}`, streamSource, archive, live: { onDemand: false } };
      uids.push((await client.addStream({ body })).uid);
    }
    for (const uid of uids)
      await until(
        () => client.getStream({ params: { uid } }),
        ({ status }) => status === 'running',
      );
    await pause(settleMs);
    const idleBefore = cpuSeconds(server.pid);
    await pause(seconds * 1_000);
    const idle = cpuSeconds(server.pid) - idleBefore;
    const watching = new Viewers((count) => `${server.url} ${cookie} ${uids.join()} ${count}`, viewers);
    await pause(settleMs);
    const [bytesBefore, before] = [watching.bytes, cpuSeconds(server.pid)];
    await pause(seconds * 1_000);
    const gbit = ((watching.bytes - bytesBefore) * 8) / 1e9;
    const used = cpuSeconds(server.pid) - before - idle;
    watching.close();
    return { cpuPerGbit: used / gbit, gbitPerSecond: gbit / seconds };
  } finally {
    cameras.stop();
    await server.stop();
  }
}

const found = new Map<number, Figures[]>([0, engines].map((processes) => [processes, []]));
for (let round = 0; round < rounds; round++) {
  for (const processes of round % 2 ? [engines, 0] : [0, engines]) {
    const figures = await measure(processes);
    found.get(processes)?.push(figures);
    console.log(
      `${processes} engines: ${figures.cpuPerGbit.toFixed(3)} s of CPU per Gbit, ${figures.gbitPerSecond.toFixed(2)} Gbit/s arrived`,
    );
  }
}
const [one = NaN, many = NaN] = [...found.values()].map((all) =>
  median(all.map(({ cpuPerGbit }) => cpuPerGbit)),
);
console.log(
  `Medians: one process ${one.toFixed(3)}, ${engines} engines ${many.toFixed(3)}, ratio ${(many / one).toFixed(2)}`,
);
