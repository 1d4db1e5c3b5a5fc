/**
 * `npm run bench events [SECONDS=30] [EVERY=10]`: what it costs that people follow 10 000 streams, through the event stream and
 * through the polls that it replaces, while a stream changes every EVERY seconds; and how long a change takes until the page in a
 * browser shows it, with two changes a second. The polls are those that the page itself makes when the event stream does not work,
 * on the list and on a stream. CPU is that of the server with the people, less that without any.
 */
import { rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { loadavg } from 'node:os';
import { launchBrowser, newPerson } from '../e2e/browser.ts';
import type { Browser } from 'playwright-core';
import type { TestServer } from '../e2e/server.ts';
import { secretOf, startFilled, uidOf } from './filled-server.ts';
import { cpuSeconds, percentile } from './usage.ts';

const seconds = Number(process.argv[2] ?? 30);
const everyMs = 1_000 * Number(process.argv[3] ?? 10);
const oftenMs = 500;
/** Administrators: each sees all streams. */
const people = 20;
/** So many times the people are connected: the CPU of 20 is less than two measurements differ by. */
const connectionsEach = 30;
const shareMax = 0.05;
const delayMaxMs = 300;
/** Calls of a page that it repeats are found in this time; most are repeated each second. */
const observeMs = 25_000;
/** What a page asks when it is opened and when the event stream begins does not count. */
const openingMs = 4_000;
/** Paused in the filled server. */
const changed = uidOf(1);

interface Cost {
  readonly cpu: number;
  readonly bytes: number;
}

interface Poll {
  readonly path: string;
  readonly everyMs: number;
}

const cookieOf = (person: number) => `vidette_session=${secretOf(1 + (person % people))}`;
let changedAtMs = 0;

/** Pauses and resumes a stream, for as long as a measurement takes. */
async function change(server: TestServer, pauseMs: number): Promise<void> {
  const endMs = Date.now() + seconds * 1_000;
  for (let isPaused = false; Date.now() < endMs; isPaused = !isPaused) {
    changedAtMs = Date.now();
    const response = await fetch(`${server.url}/v1/stream/${isPaused ? 'pause' : 'resume'}`, {
      method: 'POST',
      headers: { cookie: cookieOf(0), origin: server.url, 'content-type': 'application/json' },
      body: JSON.stringify({ uid: changed }),
    });
    if (!response.ok) throw new Error(await response.text());
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function costOf(server: TestServer, agents: readonly Agent[]): Promise<Cost> {
  const bytes = () => agents.flatMap(socketsOf).reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  const [cpuBefore, bytesBefore] = [cpuSeconds(server.pid), bytes()];
  await change(server, everyMs);
  return { cpu: cpuSeconds(server.pid) - cpuBefore, bytes: bytes() - bytesBefore };
}

function socketsOf({ sockets, freeSockets }: Agent) {
  return [sockets, freeSockets].flatMap((byHost) => Object.values(byHost).flatMap((list) => list ?? []));
}

function open(server: TestServer, path: string, agent: Agent, person: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(server.url + path, { agent, headers: { cookie: cookieOf(person) } }, resolve).on('error', reject);
  });
}

/** The calls that the event stream replaces: those that the page repeats at this address only while it does not work. */
async function pollsOf(browser: Browser, server: TestServer, address: string): Promise<Poll[]> {
  const [cut, following] = await Promise.all([
    repeatedOf(browser, server, address, true),
    repeatedOf(browser, server, address, false),
  ]);
  const kept = new Set(following.map(({ path }) => path));
  return cut.filter(({ path }) => !kept.has(path));
}

async function repeatedOf(
  browser: Browser,
  server: TestServer,
  address: string,
  isCut: boolean,
): Promise<Poll[]> {
  const context = await newPerson(browser);
  try {
    await context.addCookies([{ name: 'vidette_session', value: secretOf(1), url: server.url }]);
    if (isCut) await context.route('**/v1/events', (route) => route.abort());
    const page = await context.newPage();
    const times = new Map<string, number[]>();
    await page.goto(server.url + address);
    await page.locator('main [data-status]').first().waitFor();
    await new Promise((resolve) => setTimeout(resolve, openingMs));
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (request.method() !== 'GET' || !pathname.startsWith('/v1/') || pathname === '/v1/events') return;
      searchParams.delete('since');
      const path = `${pathname}?${String(searchParams)}`;
      times.set(path, [...(times.get(path) ?? []), Date.now()]);
    });
    await new Promise((resolve) => setTimeout(resolve, observeMs));
    return [...times].flatMap(([path, all]) => {
      const [first = 0, last = 0] = [all[0], all.at(-1)];
      return all.length > 1 ? [{ path, everyMs: (last - first) / (all.length - 1) }] : [];
    });
  } finally {
    await context.close();
  }
}

/** Every other person looks at the list, and the others at a stream; their pages poll as if there were no event stream. */
async function polled(server: TestServer, pages: readonly (readonly Poll[])[]): Promise<Cost> {
  const agents = newAgents();
  const stop = new AbortController();
  const begin = { agents, since: await revisionNow(server), signal: stop.signal };
  const polls = agents.flatMap((_, person) =>
    (pages[person % pages.length] ?? []).map((poll) => repeat(server, person, poll, begin)),
  );
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const cost = await costOf(server, agents);
  stop.abort();
  await Promise.all(polls);
  for (const agent of agents) agent.destroy();
  return cost;
}

/** The revision of the states; the list up to it is not what repeated polls cost. */
async function revisionNow(server: TestServer): Promise<number> {
  const reply = await fetch(`${server.url}/v1/streams/statuses`, { headers: { cookie: cookieOf(0) } });
  return ((await reply.json()) as { revision: number }).revision;
}

async function repeat(
  server: TestServer,
  person: number,
  poll: Poll,
  begin: { readonly agents: readonly Agent[]; readonly since: number; readonly signal: AbortSignal },
): Promise<void> {
  const agent = begin.agents[person] as Agent;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * poll.everyMs));
  for (let { since } = begin; !begin.signal.aborted;) {
    const startMs = Date.now();
    const isStatuses = poll.path.startsWith('/v1/streams/statuses');
    const path = poll.path + (isStatuses ? `&since=${since}` : '');
    // On a busy machine the server ends an idle connection in the moment in which it is used again, as it does to browsers.
    const reply = await open(server, path, agent, person).catch(() => open(server, path, agent, person));
    const chunks: Buffer[] = [];
    for await (const chunk of reply) chunks.push(chunk as Buffer);
    if (reply.statusCode !== 200) throw new Error(`${poll.path}: ${Buffer.concat(chunks).toString()}`);
    if (isStatuses) since = (JSON.parse(Buffer.concat(chunks).toString()) as { revision: number }).revision;
    const pauseMs = Math.max(0, poll.everyMs - (Date.now() - startMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Everyone follows the event stream. */
async function followed(server: TestServer): Promise<Cost> {
  const agents = newAgents();
  for (const [person, agent] of agents.entries()) {
    const reply = await open(server, '/v1/events', agent, person);
    reply.resume();
    reply.on('error', () => undefined);
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const cost = await costOf(server, agents);
  for (const agent of agents) agent.destroy();
  return cost;
}

/** Each from a network of its own: the server limits the idle connections of one. */
function newAgents(): Agent[] {
  return Array.from({ length: people * connectionsEach }, (_, person) => {
    const localAddress = `127.1.${person % 250}.${1 + Math.floor(person / 250)}`;
    return new Agent({ keepAlive: true, maxSockets: 6, localAddress });
  });
}

/** How long a change takes until the page of the stream list shows it. */
async function shown(server: TestServer): Promise<number[]> {
  const browser = await launchBrowser();
  try {
    const context = await newPerson(browser);
    await context.addCookies([{ name: 'vidette_session', value: secretOf(1), url: server.url }]);
    const page = await context.newPage();
    const delaysMs: number[] = [];
    await page.exposeFunction('noteShown', (atMs: number) => delaysMs.push(atMs - changedAtMs));
    await page.goto(`${server.url}/ui/stream/${changed}/info`);
    await page.locator('main [data-status]').first().waitFor();
    await page.evaluate(() => {
      const now = () => document.querySelector('main [data-status]')?.getAttribute('data-status');
      let last = now();
      new MutationObserver(() => {
        if (now() === last) return;
        last = now();
        (globalThis as unknown as { noteShown: (atMs: number) => void }).noteShown(Date.now());
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await change(server, oftenMs);
    return delaysMs;
  } finally {
    await browser.close();
  }
}

const server = await startFilled(10_000, {}, people);
try {
  const browser = await launchBrowser();
  const pages = [
    await pollsOf(browser, server, '/ui/'),
    await pollsOf(browser, server, `/ui/stream/${changed}/info`),
  ];
  await browser.close();
  for (const { path, everyMs: pauseMs } of pages.flat())
    process.stdout.write(`polled every ${(pauseMs / 1_000).toFixed(1)} s: ${path}\n`);
  const idle = await costOf(server, []);
  const polls = await polled(server, pages);
  const events = await followed(server);
  const cpuShare = (events.cpu - idle.cpu) / (polls.cpu - idle.cpu);
  const bytesShare = events.bytes / polls.bytes;
  const onPage = await shown(server);
  const line = (name: string, { cpu, bytes }: Cost) =>
    `${name.padEnd(14)} ${((1_000 * cpu) / seconds).toFixed(1)} ms of CPU, ` +
    `${(bytes / seconds / people / connectionsEach).toFixed(0)} bytes per person, each second\n`;
  process.stdout.write(
    `${people * connectionsEach} people, a change every ${everyMs / 1_000} s\n` +
      line('without people', idle) +
      line('polls', polls) +
      line('event stream', events) +
      `${(100 * cpuShare).toFixed(1)} % of the CPU, ${(100 * bytesShare).toFixed(1)} % of the bytes of the polls\n` +
      `${onPage.length} changes are on the page after ${percentile(onPage, 95)} ms (p95); ` +
      `load average ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
  );
  const isGood = cpuShare <= shareMax && bytesShare <= shareMax && percentile(onPage, 95) <= delayMaxMs;
  process.exitCode = isGood ? 0 : 1;
} finally {
  await server.stop();
  await rm(server.dataDir, { recursive: true, force: true });
}
