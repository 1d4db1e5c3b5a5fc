/**
 * `npm run bench fuzz [REQUESTS] [SEED]`: sends requests derived from the OpenAPI document to a running server,
 * 20 000 by default, as users of every kind. No answer may be a 500 or outside the document, the server may not
 * exit, and its memory may not grow: memory use after the last request is compared with that after half of
 * them, when the caches were full, each time after garbage collection.
 */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { fuzz } from '../e2e/api/fuzzer.ts';
import type { TestServer } from '../e2e/server.ts';
import { memoryMB } from './usage.ts';

const count = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31));
/** Log rings, prepared statements and cached names fill up to their limits; more growth than this is a leak. */
const growthMaxMB = 40;

/**
 * Collects garbage through the server's inspector: V8 postpones collection as long as it can, and uncollected
 * objects are not a leak.
 */
async function collectGarbage(server: TestServer): Promise<void> {
  const address = /Debugger listening on (ws:\S+)/.exec(server.output)?.[1];
  if (address === undefined) throw new Error('the server has no inspector');
  const socket = new WebSocket(address);
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(socket, 'message');
  socket.close();
}

const startMs = performance.now();
const report = await fuzz({
  count,
  seed,
  env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  async memoryOf(server) {
    await collectGarbage(server);
    return memoryMB(server.pid);
  },
  onProgress: (sent) => process.stderr.write(`${sent} requests\n`),
});
const seconds = (performance.now() - startMs) / 1_000;
const statuses = [...report.statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
const [settled = 0, last = 0] = [report.memoryMB[4], report.memoryMB.at(-1)];
const growthMB = last - settled;
process.stdout.write(
  [
    `${report.requests} requests in ${seconds.toFixed(0)} s, seed ${seed}`,
    `answers: ${statuses.join(', ')}`,
    `calls that succeeded at least once: ${report.succeeded.size} of ${report.calls}`,
    `never: ${report.neverSucceeded.join(' ')}`,
    `memory after each tenth, MB: ${report.memoryMB.map((value) => value.toFixed(0)).join(' ')}`,
    `growth since the half: ${growthMB.toFixed(0)} MB (at most ${growthMaxMB})`,
    ...report.failures.map((failure) => `WRONG ${failure}`),
    ...report.errorLines.map((line) => `LOGGED ${line}`),
    '',
  ].join('\n'),
);
process.exit(report.failures.length > 0 || growthMB > growthMaxMB ? 1 : 0);
