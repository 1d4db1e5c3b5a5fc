import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { freePort } from '../server/src/ingest/fixtures/live-sources.ts';
import { until } from './api.ts';
import { recorded } from './footage.ts';
import { Nodes } from './nodes.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';

// Two nodes with an engine process each: the front renews the lease under which the engine records.

const waitMs = 60_000;

let postgres: TestPostgres;
let camera: FakeCamera;
let nodes: Nodes;
let uid: string;
/** The node that has the stream at first, and the other one. */
let home: string;
let other: string;
let fromMs: number;

before(async () => {
  const clip = await encodeClip({ framesPerSecond: 20 });
  postgres = await startPostgres();
  camera = await startFakeCamera({ clip });
  const settings = async () => ({
    // The next front listens where the first did.
    env: { VIDETTE_ENGINE_PROCESSES: '1', VIDETTE_PORT: String(await freePort('tcp')) },
  });
  const database = await postgres.create('cluster');
  nodes = await Nodes.start(database, ['north', 'south'], {
    north: await settings(),
    south: await settings(),
  });
  fromMs = Date.now();
  const body = { name: 'Gate', streamSource: camera.url };
  uid = (await nodes.client('north').addStream({ body })).uid;
  const { node } = await until(
    () => nodes.client('north').getStream({ params: { uid } }),
    ({ status }) => status === 'running',
    waitMs,
  );
  [home, other] = node.id === 'north' ? ['north', 'south'] : ['south', 'north'];
  await recordsOn(home);
});

after(async () => {
  await nodes?.close();
  await camera?.stop();
  await postgres?.stop();
});

/** Waits until the stream runs on a node, and another second of it is on that node's disk. */
async function recordsOn(id: string): Promise<void> {
  const client = nodes.client(other);
  const isThere = () => client.getStream({ params: { uid } });
  await until(isThere, ({ node, status }) => node.id === id && status === 'running', waitMs);
  const recorded = async () => (await client.getArchiveStats({ params: { uid } })).endTime ?? 0;
  const soonMs = Date.now() + 1_000;
  await until(recorded, (endMs) => endMs > soonMs, waitMs);
}

/** The process of a node that runs a program, by its name. */
function processOf(id: string, program: 'front-main.ts' | 'engine-main.ts'): number | undefined {
  const { pid } = nodes.server(id);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const found = children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(program));
  return found === undefined ? undefined : Number(found);
}

test('[R15.1, R10.8] a node whose front is killed keeps its lease and its streams, and no frame is lost', async () => {
  const { connections } = camera;
  const front = processOf(home, 'front-main.ts') ?? 0;
  process.kill(front, 'SIGKILL');
  await until(
    async () => processOf(home, 'front-main.ts') ?? front,
    (pid) => pid !== front,
  );
  await recordsOn(home);
  assert.equal(camera.connections, connections, 'the connection with the camera was never interrupted');
  assert.equal((await recorded(nodes.client(home), uid)).length, 1, 'it is recorded in one piece');
});

test('[R15.1, R10.8] `vidette restart` replaces front and engine of a node, which keeps its streams, and no frame is lost', async () => {
  const before = [processOf(home, 'front-main.ts'), processOf(home, 'engine-main.ts')];
  const { code, output } = await nodes.command(home, 'restart');
  assert.equal(code, 0, output);
  const now = [processOf(home, 'front-main.ts'), processOf(home, 'engine-main.ts')];
  for (const [at, pid] of now.entries()) assert.ok(pid !== undefined && pid !== before[at]);
  await recordsOn(home);
  assert.equal((await recorded(nodes.client(home), uid)).length, 1, 'it is recorded in one piece');
});

test('[R10.8] a node whose front does not respond loses its streams to another, and its engine stops writing before that', async () => {
  const front = processOf(home, 'front-main.ts') ?? 0;
  process.kill(front, 'SIGSTOP');
  nodes.silent.add(home);
  await recordsOn(other);
  process.kill(front, 'SIGCONT');
  await until(
    () => nodes.client(other).getClusterNode({ params: { id: home } }),
    ({ available, activeStreams }) => available && activeStreams === 0,
    waitMs,
  );
  const { footage, twice } = await nodes.recorded([uid], fromMs);
  assert.deepEqual(twice, []);
  const parts = footage.get(uid) ?? [];
  const stopped = parts.findLast(({ node }) => node === home);
  const taken = parts.find(({ node }) => node === other);
  assert.ok(stopped && taken);
  assert.ok(stopped.endMs <= taken.startMs, JSON.stringify(parts));
  for (const id of [home, other]) assert.equal((await nodes.command(id, 'check')).code, 0);
});
