/**
 * `npm run bench api`: what lists, searches and statuses cost with 10 000 streams, 1 000 users and 200 000 permissions,
 * beside the same with 100 streams, in one run: two servers answer in turn, so that what else the machine does meets both
 * alike. No answer may cost more than three times its cost at 100. Then 500 people poll the statuses once a second: that
 * may take no more than a tenth of a core beyond what the server takes idle. Streams are paused or on demand and written
 * straight into the store.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startServer, type TestServer } from '../e2e/server.ts';
import { Store } from '../server/src/store/store.ts';
import { cpuSeconds, median } from './usage.ts';

const users = 1_000;
const permissionsEach = 200;
const pollers = 500;
const pollSeconds = 6;
const rounds = Number(process.argv[2] ?? 150);
const growthMax = 3;
const pollCoreMax = 0.1;

/** Names, tags and places differ as people's do; every fifth stream is on demand, the others are paused. */
function fill(file: string, streams: number): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const nowMs = Date.now();
  const addUser = database.prepare(
    `INSERT INTO users (id, login, login_key, email, email_key, full_name, full_name_key, language, password_hash, is_admin,
      max_stream_creation, is_managed, must_change_password, is_blocked, created_ms, last_seen_ms)
      VALUES (?, ?, ?, '', '', '', '', 'en', 'x', ?, 5, 0, 0, 0, ?, ?)`,
  );
  const addSession = database.prepare(`INSERT INTO sessions VALUES (?, ?, ?, ?, ?, '127.0.0.1', 'bench')`);
  for (let id = 1; id <= users; id++) {
    addUser.run(id, `user${id}`, `user${id}`, id === 1 ? 1 : 0, nowMs, nowMs);
    addSession.run(`session${id}`, sha256(secretOf(id)), id, nowMs, nowMs);
  }
  const addStream = database.prepare(
    `INSERT INTO streams (id, uid, name, name_key, source, location_name, location_key, is_on_demand, is_recorded, depth_hours,
      is_paused, allows_loopback, search_text, created_by, created_ms, revision, node_id, status)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, -1, ?, 0, ?, 1, ?, 1, 'main', ?)`,
  );
  const addTag = database.prepare('INSERT INTO stream_tags VALUES (?, ?, ?, 0)');
  for (let id = 1; id <= streams; id++) {
    const name = `Camera ${id * 7919} ${id % 3 === 0 ? 'Gate' : 'Yard'}`;
    const place = `Building ${id % 40}`;
    const tag = `Floor ${id % 25}`;
    const isOnDemand = id % 5 === 0;
    const source = `rtsp://10.0.${id >> 8}.${id & 255}/stream`;
    const words = [name, source, tag, place].join('\n').toLowerCase();
    const status = isOnDemand ? 'pending' : 'paused';
    const keys = [name.toLowerCase(), source, place, place.toLowerCase()];
    addStream.run(
      id,
      uidOf(id),
      name,
      ...keys,
      isOnDemand ? 1 : 0,
      isOnDemand ? 0 : 1,
      words,
      nowMs + id,
      status,
    );
    addTag.run(id, tag, tag.toLowerCase());
  }
  const addPermission = database.prepare('INSERT OR IGNORE INTO permissions VALUES (?, ?, 1, 1, 0, 0)');
  for (let user = 1; user <= users; user++) {
    for (let index = 0; index < permissionsEach; index++)
      addPermission.run(user, viewable(user, streams, index));
  }
  database.exec('COMMIT');
  database.close();
}

/** Id of the stream that a user may view by the permission with this index. */
const viewable = (user: number, streams: number, index = 0) => 1 + ((user * 31 + index * 53) % streams);
const secretOf = (id: number) => String(id).padStart(43, 's');
const uidOf = (id: number) => `cam${String(id).padStart(9, '0')}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function startFilled(streams: number): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-bench-api-'));
  const file = join(dataDir, 'vidette.sqlite');
  await (await Store.open({ file, redact: (source) => source })).close();
  fill(file, streams);
  return startServer({ dataDir });
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Asks as one person and resolves to the answer's text. Rejects when the answer is not 200. */
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

/** A question to both servers; `user` 1 is the administrator. */
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
    at('list, second page by place', '/v1/streams?page=2&sortType=location'),
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
      `${question.name.padEnd(44)} ${at100.toFixed(2)} ms -> ${at10000.toFixed(2)} ms, x ${growth.toFixed(1)}${growth > growthMax ? '  TOO DEAR' : ''}\n`,
    );
  }
  return isGood;
}

/** Cores that the server takes while `perSecond` polls come each second, evenly. */
async function coresAt(server: TestServer, perSecond: number): Promise<number> {
  const before = cpuSeconds(server.pid);
  const startMs = performance.now();
  const open = new Set<Promise<unknown>>();
  const endMs = startMs + pollSeconds * 1_000;
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
  await coresAt(large, pollers);
  // What else runs shares caches and cores with the server and makes its seconds dearer: the least of three tells most.
  const windows: { idle: number; polled: number }[] = [];
  for (let round = 0; round < 3; round++) {
    windows.push({ idle: await coresAt(large, 0), polled: await coresAt(large, pollers) });
  }
  const idle = Math.min(...windows.map((window) => window.idle));
  const polled = Math.min(...windows.map((window) => window.polled));
  const isCheap = polled - idle < pollCoreMax;
  isGood &&= isCheap;
  process.stdout.write(
    `${pollers} status polls a second: ${polled.toFixed(3)} cores, idle ${idle.toFixed(3)}, more by ${(polled - idle).toFixed(3)} (at most ${pollCoreMax})${isCheap ? '' : '  TOO DEAR'}\n`,
  );
} finally {
  agent.destroy();
  for (const server of servers) {
    await server.stop();
    await rm(server.dataDir, { recursive: true, force: true });
  }
}
process.exit(isGood ? 0 : 1);
