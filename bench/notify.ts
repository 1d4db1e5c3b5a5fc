/**
 * `npm run bench notify [SECONDS=30] [QUEUED=100000]`: how long it takes from an event to the moment at which a webhook, and a
 * browser's push service, have received its notification, at 50 events a second for SECONDS; and whether QUEUED notifications
 * that wait for ten targets all arrive when the server is killed (SIGKILL) three times while it delivers them. Exit code 1 if
 * the 95th percentile is over a second, or a notification is lost.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text as textOf } from 'node:stream/consumers';
import type { Client } from '@vidette/contract/client';
import type { WebhookNotification } from '@vidette/contract/notifications';
import { administratorOf, clientOf, until } from '../e2e/api.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import { PushBrowser, startPushService, type PushService } from '../server/src/events/push-fixture.ts';
import { percentile } from './usage.ts';

const seconds = Number(process.argv[2] ?? 30);
const queued = Number(process.argv[3] ?? 100_000);
const eventsPerSecond = 50;
/** As many rules as a user may have: each acts at most 60 times an hour. */
const streamCount = 50;
const targetCount = 10;
const kills = 3;
const goalMs = 1_000;

/** An HTTP server on loopback, which accepts everything unless it is told not to. */
class WebhookSink {
  readonly #server: Server;
  isOpen = true;
  /** When notifications arrived first, by the time of their event. */
  readonly arrivedMs = new Map<number, number>();
  /** How often each notification arrived, by its id. */
  readonly ids = new Map<string, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<WebhookSink> {
    const server = createServer((request, response) => {
      void textOf(request).then((text) => {
        response.writeHead(receiver.isOpen ? 204 : 503).end();
        if (receiver.isOpen) receiver.#note(JSON.parse(text) as WebhookNotification);
      });
    });
    const receiver = new WebhookSink(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.close();
  }

  #note({ id, event }: WebhookNotification): void {
    this.ids.set(id, (this.ids.get(id) ?? 0) + 1);
    if (event && !this.arrivedMs.has(event.startTime)) this.arrivedMs.set(event.startTime, Date.now());
  }
}

interface Setting {
  readonly dataDir: string;
  readonly receiver: WebhookSink;
  readonly push: PushService;
  readonly env: Record<string, string>;
}

/** Streams without a source, and a rule for each, which notifies all targets. */
async function addRules(client: Client, targets: readonly number[]): Promise<string[]> {
  const uids: string[] = [];
  for (let index = 0; index < streamCount; index++) {
    const body = {
      name: `Camera ${index}`,
      streamSource: 'rtsp://192.0.2.1/',
      live: { onDemand: true },
      archive: { isEnable: false },
    };
    const { uid } = await client.addStream({ body });
    const rule = {
      name: `Rule ${index}`,
      kinds: ['annotation' as const],
      streams: [uid],
      cooldownSeconds: 0,
    };
    await client.addRule({ body: { ...rule, perHourMax: 60, targets: [...targets] } });
    uids.push(uid);
  }
  return uids;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reports events at the rate, whatever the server does; resolves to when each was reported, by its time. */
async function reportEvents(client: Client, uids: readonly string[]): Promise<Map<number, number>> {
  const count = Math.min(seconds * eventsPerSecond, streamCount * 60);
  const reportedMs = new Map<number, number>();
  const calls: Promise<unknown>[] = [];
  const startMs = Date.now();
  for (let index = 0; index < count; index++) {
    await pause(Math.max(0, startMs + (index * 1_000) / eventsPerSecond - Date.now()));
    // Its own time, which no other event has: the receivers recognise it by that.
    const time = startMs + index * 20;
    reportedMs.set(time, Date.now());
    const body = { streamId: uids[index % uids.length] ?? '', kind: 'plate', time, note: `${index}` };
    calls.push(client.addAnnotation({ body }));
  }
  await Promise.all(calls);
  return reportedMs;
}

/** A push tells of the newest event that waited, and so of all before it that arrived in no earlier one. */
function arrivedByPush(times: readonly number[], pushes: readonly (readonly [number, number])[]) {
  const arrivedMs = new Map<number, number>();
  for (const time of times) {
    const first = pushes.find(([newest]) => newest >= time);
    if (first) arrivedMs.set(time, first[1]);
  }
  return arrivedMs;
}

function judge(name: string, reported: Map<number, number>, arrived: Map<number, number>): void {
  const delays = [...reported].map(([time, atMs]) => (arrived.get(time) ?? Infinity) - atMs);
  const [p50, p95, most] = [50, 95, 100].map((percent) => Math.round(percentile(delays, percent)));
  console.log(
    `${name}: ${reported.size} events, ${p50} ms at the median, ${p95} ms at the 95th percentile, ${most} ms at most`,
  );
  if ((p95 ?? Infinity) > goalMs) process.exitCode = 1;
}

async function measureDelay({ receiver, push, env }: Setting): Promise<void> {
  const server = await startServer({ env });
  const { client } = await administratorOf(server);
  const webhook = { type: 'webhook' as const, url: receiver.url };
  const browser = new PushBrowser(`${push.url}bench`);
  const targets = [
    await client.addTarget({ body: { name: 'Webhook', settings: webhook } }),
    await client.addTarget({ body: { name: 'Browser', settings: browser.settings } }),
  ];
  const uids = await addRules(
    client,
    targets.map(({ id }) => id),
  );
  const reported = await reportEvents(client, uids);
  await until(
    async () => (await client.listTargets()).items.reduce((sum, { waiting }) => sum + waiting, 0),
    (waiting) => waiting === 0,
  );
  judge('webhook', reported, receiver.arrivedMs);
  const pushes = push.received.map(({ body, atMs }) => [browser.read(body).timeMs ?? 0, atMs] as const);
  judge('push', reported, arrivedByPush([...reported.keys()], pushes));
  await server.stop();
}

/** Puts QUEUED copies of the one notification that waits into the queues of all targets. */
function fillQueues(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'vidette.sqlite'), { timeout: 60_000 });
  const copy = database.prepare(
    `INSERT INTO outbox (target_id, key, payload, created_ms, refusals)
      SELECT ?, ?, payload, created_ms, 0 FROM outbox ORDER BY id LIMIT 1`,
  );
  const targets = database.prepare('SELECT id FROM notification_targets').all();
  database.exec('BEGIN');
  for (let index = 0; index < queued; index++) {
    copy.run(Number(targets[index % targets.length]?.['id']), `bench-${index}`);
  }
  database.exec('UPDATE notification_targets SET retry_ms = 0, failures = 0');
  database.exec('COMMIT');
  database.close();
}

async function measureLoss({ dataDir, receiver }: Setting): Promise<void> {
  let server: TestServer = await startServer({ dataDir });
  const { client, cookie } = await administratorOf(server);
  const settings = { type: 'webhook' as const, url: receiver.url };
  const targets: number[] = [];
  for (let index = 0; index < targetCount; index++) {
    targets.push((await client.addTarget({ body: { name: `Target ${index}`, settings } })).id);
  }
  const [uid = ''] = await addRules(client, targets.slice(0, 1));
  receiver.isOpen = false;
  await client.addAnnotation({ body: { streamId: uid, kind: 'plate', time: Date.now(), note: 'Truck' } });
  await until(
    async () => (await client.listTargets()).items.some(({ failure }) => failure !== null),
    (isFailing) => isFailing,
  );
  await server.kill();
  fillQueues(dataDir);
  receiver.isOpen = true;
  receiver.ids.clear();
  const startMs = Date.now();
  for (let kill = 1; kill <= kills; kill++) {
    server = await startServer({ dataDir });
    await until(
      () => receiver.ids.size,
      (size) => size >= (kill * queued) / (kills + 1),
      1_800_000,
    );
    await server.kill();
  }
  server = await startServer({ dataDir });
  const restarted = clientOf(server, cookie);
  await until(
    async () => (await restarted.listTargets()).items.reduce((sum, { waiting }) => sum + waiting, 0),
    (waiting) => waiting === 0,
    1_800_000,
  );
  const passedMs = Date.now() - startMs;
  await server.stop();
  const copies = Array.from({ length: queued }, (_, index) => receiver.ids.get(`bench-${index}`) ?? 0);
  const lost = copies.filter((times) => times === 0).length;
  const repeated = copies.reduce((sum, times) => sum + Math.max(0, times - 1), 0);
  const rate = Math.round((queued * 1_000) / passedMs);
  console.log(
    `${queued} queued, ${kills} kills: ${lost} lost, ${repeated} arrived twice, ${rate} per second with the restarts`,
  );
  if (lost > 0) process.exitCode = 1;
}

const folder = await mkdtemp(join(tmpdir(), 'vidette-bench-notify-'));
const receiver = await WebhookSink.start();
const push = await startPushService();
try {
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, push.certificate);
  const dataDir = join(folder, 'data');
  const setting = { dataDir, receiver, push, env: { NODE_EXTRA_CA_CERTS: ca } };
  await measureDelay(setting);
  await measureLoss(setting);
} finally {
  receiver.stop();
  await push.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
