/**
 * `npm run bench events [SECONDS=30] [EVERY=10]`: what it costs that 20 people follow 10 000 streams, through the event stream and
 * through the polls that it replaces, while a stream changes every EVERY seconds; and how long a change takes until the page in a
 * browser shows it, with two changes a second. CPU and bytes are those of the server with the people, less those without any.
 */
import { rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { loadavg } from 'node:os';
import { launchBrowser, newPerson } from '../e2e/browser.ts';
import type { TestServer } from '../e2e/server.ts';
import { secretOf, startFilled, uidOf } from './filled-server.ts';
import { cpuSeconds, percentile } from './usage.ts';

const seconds = Number(process.argv[2] ?? 30);
const everyMs = 1_000 * Number(process.argv[3] ?? 10);
const oftenMs = 500;
const people = 20;
const shareMax = 0.05;
const delayMaxMs = 300;
/** Paused in the filled server, and known to the administrator, who all people are here. */
const changed = uidOf(1);

interface Cost {
  readonly cpu: number;
  readonly bytes: number;
}

const headers = { cookie: `vidette_session=${secretOf(1)}` };
let changedAtMs = 0;

/** Pauses and resumes a stream, for as long as a measurement takes. */
async function change(server: TestServer, pauseMs: number): Promise<void> {
  const endMs = Date.now() + seconds * 1_000;
  for (let isPaused = false; Date.now() < endMs; isPaused = !isPaused) {
    changedAtMs = Date.now();
    const response = await fetch(`${server.url}/v1/stream/${isPaused ? 'pause' : 'resume'}`, {
      method: 'POST',
      headers: { ...headers, origin: server.url, 'content-type': 'application/json' },
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

function open(server: TestServer, path: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(server.url + path, { agent, headers }, resolve).on('error', reject);
  });
}

/** Everyone polls once a second, as the page did. */
async function polled(server: TestServer): Promise<Cost> {
  const agents = Array.from({ length: people }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const stop = new AbortController();
  const polls = agents.map(async (agent, index) => {
    await new Promise((resolve) => setTimeout(resolve, (1_000 * index) / people));
    for (let since = 0; !stop.signal.aborted;) {
      const reply = await open(server, `/v1/streams/statuses?since=${since}`, agent);
      const chunks: Buffer[] = [];
      for await (const chunk of reply) chunks.push(chunk as Buffer);
      since = (JSON.parse(Buffer.concat(chunks).toString()) as { revision: number }).revision;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const cost = await costOf(server, agents);
  stop.abort();
  await Promise.all(polls);
  for (const agent of agents) agent.destroy();
  return cost;
}

/** Everyone follows the event stream. */
async function followed(server: TestServer): Promise<Cost> {
  const agents = Array.from({ length: people }, () => new Agent({ keepAlive: true }));
  for (const agent of agents) {
    const reply = await open(server, '/v1/events', agent);
    reply.resume();
    reply.on('error', () => undefined);
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const cost = await costOf(server, agents);
  for (const agent of agents) agent.destroy();
  return cost;
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

const server = await startFilled(10_000);
try {
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const idle = await costOf(server, []);
  const polls = await polled(server);
  const events = await followed(server);
  const cpuShare = (events.cpu - idle.cpu) / (polls.cpu - idle.cpu);
  const bytesShare = events.bytes / polls.bytes;
  const onPage = await shown(server);
  const line = (name: string, { cpu, bytes }: Cost) =>
    `${name.padEnd(14)} ${((1_000 * cpu) / seconds).toFixed(1)} ms of CPU, ${(bytes / seconds / people).toFixed(0)} bytes per person, each second\n`;
  process.stdout.write(
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
