import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from '../api.ts';
import { recordPast } from '../past-footage.ts';
import { startServer, type TestServer } from '../server.ts';
import { SlowGateway, type StoreFailure } from './slow-gateway.ts';
import { SwiftStore } from './swift.ts';

// A real store behind a gateway that fails in each way that stores do, and what viewers of old footage then
// get.

const WAIT_MS = 60_000;
/** No answer within this is a hang; the product's own limits are a third of it. */
const hangMs = 30_000;
const startMs = Math.floor(Date.now() / 1000) * 1000 - 2 * 3_600_000;
const endMs = startMs + 30_000;

let store: SwiftStore;
let gateway: SlowGateway;
let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
/** All of its footage is in the store. */
let uid: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-slow-'));
  [store] = await Promise.all([SwiftStore.start(), recordBefore()]);
  gateway = await SlowGateway.start(store.port);
  server = await startServer({ dataDir, env: { ...store.env, VIDETTE_S3_ENDPOINT: gateway.endpoint } });
  client = clientOf(server, cookie);
  await client.saveStream({ params: { uid }, body: { archive: { farAfterHours: 1 } } });
  await until(
    () => client.getArchiveStats({ params: { uid } }),
    ({ bytes, farBytes }) => bytes > 0 && farBytes === bytes,
    WAIT_MS,
  );
});

async function recordBefore(): Promise<void> {
  const first = await startServer({ dataDir });
  ({ client, cookie } = await administratorOf(first));
  ({ uid } = await client.addStream({ body: { name: 'Yard', streamSource: 'rtsp://127.0.0.1:1/gone' } }));
  const { uid: now } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:?fps=5' } });
  // The next start trusts its clock because of today's footage.
  await until(
    () => client.getArchiveStats({ params: { uid: now } }),
    ({ bytes }) => bytes > 0,
    WAIT_MS,
  );
  await first.stop();
  await recordPast(dataDir, uid, [{ startMs, endMs }]);
}

after(async () => {
  await server?.stop();
  await gateway?.stop();
  await store?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/** Status, code if there is one, and whether the body is complete. */
async function answerOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const reply = await fetch(`${server.url}/v1/stream/${uid}/archive/${path}`, {
    headers: { cookie, ...headers },
    signal: AbortSignal.timeout(hangMs),
  });
  try {
    const bytes = Buffer.from(await reply.arrayBuffer());
    if (reply.ok) return `${reply.status} whole`;
    return `${reply.status} ${(JSON.parse(bytes.toString()) as { code: string }).code}`;
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return 'hangs';
    return `${reply.status} broken off`;
  }
}

const span = `start_time=${startMs}&end_time=${endMs}`;
const still = () => answerOf(`picture?time=${startMs + 10_000}`);
const download = () => answerOf(`download?${span}`);
const segment = async () => {
  const playlist = await (await client.getArchivePlaylist({ params: { uid }, query: spanQuery })).text();
  const file = /segment\/[\w.-]+/.exec(playlist)?.[0] ?? '';
  return answerOf(file);
};
const spanQuery = { start_time: startMs, end_time: endMs };
const unavailable = '503 FarArchiveUnavailable';

async function works(): Promise<void> {
  await until(still, (answer) => answer === '200 whole', WAIT_MS);
  assert.equal(await download(), '200 whole');
  assert.equal(await segment(), '200 whole');
}

test('[R3.9] slow answers of a store are awaited', async () => {
  gateway.delayMs = 500;
  await works();
  gateway.delayMs = 0;
});

const failures: readonly StoreFailure[] = ['internal-error', 'unavailable', 'slow-down', 'silent', 'stops'];
for (const failure of failures) {
  test(`[R3.9] a failing store (${failure}) is reported as unavailable by its code, never as a server error or a hang, and the timeline stays`, async (t) => {
    await works();
    t.after(() => {
      gateway.failure = undefined;
    });
    gateway.failure = failure;
    // Simultaneously: after a failure readers are refused for a moment without a request to the store.
    const answers = await Promise.all([still(), download(), segment()]);
    const ofSegment = answers.pop() ?? '';
    assert.deepEqual(answers, [unavailable, unavailable]);
    // Its headers went out with the store's first bytes.
    const expected = failure === 'stops' ? ['200 broken off', unavailable] : [unavailable];
    assert.ok(expected.includes(ofSegment), ofSegment);
    const { ranges } = await client.getArchiveRanges({ params: { uid }, query: spanQuery });
    assert.deepEqual(ranges, [{ date: startMs, status: 'fragment' }]);
    // A store that stops in bodies still answers availability checks.
    if (failure === 'stops') return;
    await until(
      async () => (await client.getHealth()).warnings.map(({ code, subject }) => `${code} ${subject}`),
      (warnings) => warnings.includes('far-archive FarArchiveUnavailable'),
      WAIT_MS,
    );
  });
}

test('[R3.9] when the store answers again everything is available automatically', async () => {
  await works();
});
