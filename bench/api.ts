/**
 * `npm run bench api`: the cost of lists, searches and statuses with 10 000 streams, 1 000 users and 200 000
 * permissions, compared with 100 streams in the same run: two servers answer in turn, so that other load on the
 * machine affects both alike. No answer may cost more than three times its cost at 100. Then 500 users poll the
 * statuses once a second: that may take no more than a tenth of a core more than the idle server. It is measured after a
 * minute of polls, during which V8 compiles what they use and their cost falls to a third.
 */
import { rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import type { TestServer } from '../e2e/server.ts';
import { secretOf, startFilled, uidOf, viewable } from './filled-server.ts';
import { cpuSeconds, median } from './usage.ts';

const pollers = 500;
const pollSeconds = 6;
const warmUpSeconds = 60;
const rounds = Number(process.argv[2] ?? 150);
const growthMax = 3;
const pollCoreMax = 0.1;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a request as one user and resolves to the answer's text. Rejects when the answer is not 200. */
function ask(server: TestServer, path: string, userId: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { cookie: `vidette_session=${secretOf(userId)}` };
    const request = get(server.url + path, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`));
      });
    });
    request.on('error', reject);
  });
}

async function revisionOf(server: TestServer, userId: number): Promise<number> {
  const { revision } = JSON.parse(await ask(server, '/v1/streams/statuses', userId)) as { revision: number };
  return revision;
}

/** A request to both servers; `user` 1 is the administrator. */
interface Question {
  readonly name: string;
  readonly user: number;
  path(server: TestServer): string;
}

const sizes = new Map<TestServer, number>();
const revisions = new Map<TestServer, number>();
const status = (server: TestServer) => `/v1/streams/statuses?since=${revisions.get(server)}`;
const questions: Question[] = [1, 500].flatMap((user) => {
  const who = user === 1 ? 'administrator' : 'user';
  const at = (name: string, path: string): Question => ({ name: `${name}, ${who}`, user, path: () => path });
  return [
    at('list, first page', '/v1/streams'),
    at('list, second page by location', '/v1/streams?page=2&sortType=location'),
    at('list, only available', '/v1/streams?onlyAvailable=true'),
    at('list, by tag', '/v1/streams?groupType=tag'),
    at('list, searched', '/v1/streams?searchingValues=gate&searchingValues=building%201'),
    at('search', '/v1/system/internal/ui/search?query=gate'),
    { name: `status of all since the last, ${who}`, user, path: status },
    {
      name: `status of one, ${who}`,
      user,
      path: (server) => `/v1/stream/${uidOf(viewable(user, sizes.get(server) ?? 0))}`,
    },
  ];
});

async function compare(small: TestServer, large: TestServer): Promise<boolean> {
  let isGood = true;
  for (const question of questions) {
    const times = new Map<TestServer, number[]>([
      [small, []],
      [large, []],
    ]);
    for (let round = -20; round < rounds; round++) {
      for (const [server, list] of times) {
        const startMs = performance.now();
        await ask(server, question.path(server), question.user);
        if (round >= 0) list.push(performance.now() - startMs);
      }
    }
    const [at100 = 0, at10000 = 0] = [small, large].map((server) => median(times.get(server) ?? []));
    const growth = at10000 / at100;
    if (growth > growthMax) isGood = false;
    process.stdout.write(
      `${question.name.padEnd(44)} ${at100.toFixed(2)} ms -> ${at10000.toFixed(2)} ms, x ${growth.toFixed(1)}${growth > growthMax ? '  TOO SLOW' : ''}\n`,
    );
  }
  return isGood;
}

/** Cores that the server uses at `perSecond` evenly spaced polls per second. */
async function coresAt(server: TestServer, perSecond: number, seconds = pollSeconds): Promise<number> {
  const before = cpuSeconds(server.pid);
  const startMs = performance.now();
  const open = new Set<Promise<unknown>>();
  const endMs = startMs + seconds * 1_000;
  for (let sent = 0; performance.now() < endMs;) {
    const due = Math.floor(((performance.now() - startMs) / 1_000) * perSecond);
    for (; sent < due; sent++) {
      const poll = ask(server, status(server), 2 + (sent % pollers));
      open.add(poll);
      void poll.finally(() => open.delete(poll));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(open);
  return (cpuSeconds(server.pid) - before) / ((performance.now() - startMs) / 1_000);
}

const servers: TestServer[] = [];

async function startOne(streams: number): Promise<TestServer> {
  const server = await startFilled(streams);
  servers.push(server);
  sizes.set(server, streams);
  return server;
}

let isGood = false;
try {
  const [small, large] = [await startOne(100), await startOne(10_000)];
  for (const server of servers) revisions.set(server, await revisionOf(server, 1));
  isGood = await compare(small, large);
  await coresAt(large, pollers, warmUpSeconds);
  // Other processes share caches and cores with the server and increase its CPU time: the minimum of three is
  // the best measure.
  const windows: { idle: number; polled: number }[] = [];
  for (let round = 0; round < 3; round++) {
    windows.push({ idle: await coresAt(large, 0), polled: await coresAt(large, pollers) });
  }
  const idle = Math.min(...windows.map((window) => window.idle));
  const polled = Math.min(...windows.map((window) => window.polled));
  const isCheap = polled - idle < pollCoreMax;
  isGood &&= isCheap;
  process.stdout.write(
    `${pollers} status polls a second: ${polled.toFixed(3)} cores, idle ${idle.toFixed(3)}, more by ${(polled - idle).toFixed(3)} (at most ${pollCoreMax})${isCheap ? '' : '  TOO EXPENSIVE'}\n`,
  );
} finally {
  agent.destroy();
  for (const server of servers) {
    await server.stop();
    await rm(server.dataDir, { recursive: true, force: true });
  }
}
process.exit(isGood ? 0 : 1);
