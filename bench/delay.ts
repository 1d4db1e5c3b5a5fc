/**
 * What the server adds to the delay of live video: over a WebSocket, over LL-HLS, and from the request for a stream that runs on
 * demand to its first key frame. With engine processes and with one process for everything, in alternating rounds.
 *
 *   npm run bench delay [SECONDS=10] [STARTS=10] [ROUNDS=2] [ENGINES=1]
 */
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { administratorOf } from '../e2e/api.ts';
import { startServer } from '../e2e/server.ts';
import { percentile } from './usage.ts';

const [seconds = 10, starts = 10, rounds = 2, engines = 1] = process.argv.slice(2).map(Number);

/** ms. */
interface Delays {
  readonly socket: number[];
  readonly hls: number[];
  readonly clicks: number[];
}

async function measure(processes: number): Promise<Delays> {
  const server = await startServer({ env: { VIDETTE_ENGINE_PROCESSES: String(processes) } });
  try {
    const { client, cookie } = await administratorOf(server);
    const script = fileURLToPath(new URL('delay-probe.ts', import.meta.url));
    const child = spawn(process.execPath, [script, String(starts)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value ?? '');
    const uids: string[] = [];
    for (const streamSource of (await next()).split(',')) {
      const archive = { isEnable: false, depthHours: -1, farAfterHours: -1 };
      const body = { name: 'Probe', streamSource, archive, live: { onDemand: true } };
      uids.push((await client.addStream({ body })).uid);
    }
    child.stdin.end(`${server.url} ${cookie} ${seconds} ${uids.join()}\n`);
    return JSON.parse(await next()) as Delays;
  } finally {
    await server.stop();
  }
}

const kinds = [0, engines];
const found = new Map<number, Delays[]>(kinds.map((processes) => [processes, []]));
for (let round = 0; round < rounds; round++)
  for (const processes of round % 2 ? kinds.toReversed() : kinds)
    found.get(processes)?.push(await measure(processes));
for (const [processes, all] of found) {
  const of = (kind: keyof Delays, percent: number) =>
    percentile(
      all.flatMap((delays) => delays[kind]),
      percent,
    ).toFixed(1);
  console.log(
    `${processes} engines: over a WebSocket ${of('socket', 50)} ms, p99 ${of('socket', 99)} (goal: 1, 10); ` +
      `LL-HLS ${of('hls', 50)} (goal: 110); request to key frame ${of('clicks', 50)}, worst ${of('clicks', 100)} (goal: 10)`,
  );
}
console.log(`Load average ${(loadavg()[0] ?? 0).toFixed(1)}`);
