/**
 * `npm run bench hostile [ROUNDS=1]`: sends every hostile request of `e2e/hostile-requests.ts` to a recording
 * server, as a stranger and as an administrator. None may block the event loop for more than 50 ms of CPU; the
 * recording must have no gap.
 */
import { administratorOf, until } from '../e2e/api.ts';
import { recorded, recordedFor } from '../e2e/footage.ts';
import { hostileRequests, loopHeldMs, watchedLoop } from '../e2e/hostile-requests.ts';
import { startServer } from '../e2e/server.ts';

const rounds = Number(process.argv[2] ?? 1);
const goalMs = 50;

const watched = watchedLoop();
const server = await startServer({ env: watched.env });
let isGood = true;
try {
  const { client, cookie } = await administratorOf(server);
  const { uid } = await client.addStream({ body: { name: 'Demo', streamSource: 'demo:' } });
  await recordedFor(client, uid, 2_000);
  const only = process.argv[3] ?? '';
  const requests = hostileRequests(server, cookie, uid).filter(({ name }) => name.includes(only));
  const held = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    for (const { name, send } of requests) {
      await loopHeldMs(watched.socket);
      await send();
      held.set(name, Math.max(held.get(name) ?? 0, await loopHeldMs(watched.socket)));
    }
  }
  const worst = [...held].sort(([, a], [, b]) => b - a);
  process.stdout.write(
    `${requests.length} requests, ${rounds} rounds; the ten that blocked the loop longest:\n`,
  );
  for (const [name, ms] of worst.slice(0, 10))
    process.stdout.write(`${ms.toFixed(1).padStart(9)} ms  ${name}\n`);
  const endMs = Date.now();
  const pieces = await until(
    () => recorded(client, uid),
    (all) => (all.at(-1)?.endMs ?? 0) > endMs,
  );
  process.stdout.write(`recorded in ${pieces.length} piece(s)\n`);
  isGood = pieces.length === 1 && worst.every(([, ms]) => ms <= goalMs);
} finally {
  await server.stop();
}
process.exit(isGood ? 0 : 1);
