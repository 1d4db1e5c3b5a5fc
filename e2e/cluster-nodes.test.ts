import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from './api.ts';
import { besideMs, longestGapMs, Nodes } from './nodes.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { TcpProxy } from './tcp-proxy.ts';

// Three servers on one PostgreSQL: the streams of one are taken over by the others, each by only one of them.
// The complete version, with the guaranteed times, is `npm run bench fault-injection`.

const names = ['Gate', 'Yard', 'Dock', 'Hall'];
const ids = ['north', 'south', 'west'];
/** Those that continue when north is killed. */
const others = ['south', 'west'];
/**
 * A lease, two checks and the first key frame are six to ten seconds (`npm run bench cluster`); the rest is for a
 * busy machine.
 */
const lackMs = 30_000;
const waitMs = 60_000;

let postgres: TestPostgres;
let camera: FakeCamera;
let nodes: Nodes;
/** The connection between one node and the database. */
let proxy: TcpProxy;
const uids: string[] = [];
let fromMs: number;

before(async () => {
  const clip = encodeClip({ framesPerSecond: 10 });
  postgres = await startPostgres();
  camera = await startFakeCamera({ clip: await clip });
  const database = await postgres.create('cluster');
  proxy = new TcpProxy(postgres.socket);
  await proxy.mend();
  const byWay = { VIDETTE_DATABASE: postgres.urlBy(proxy.port, 'cluster') };
  nodes = await Nodes.start(database, ids, { west: { env: byWay } });
  fromMs = Date.now();
  for (const [index, name] of names.entries()) {
    const by = ids[index % 3] ?? '';
    const streamSource = index === 0 ? 'demo:' : camera.url;
    uids.push((await nodes.client(by).addStream({ body: { name, streamSource } })).uid);
  }
  await nodes.settled(names.length, ids);
});

after(async () => {
  await nodes?.close();
  await proxy?.cut();
  await camera?.stop();
  await postgres?.stop();
});

const recordedBy = async (node: string, uid: string) =>
  (await nodes.client(node).getArchiveStats({ params: { uid } })).durationMs;

/** Waits until each stream runs on one of these nodes, and more of it is on that node's disk. */
async function recorded(on: readonly string[]): Promise<Map<string, string>> {
  const places = await nodes.settled(names.length, on);
  await Promise.all(
    [...places].map(async ([uid, node]) => {
      const before = await recordedBy(node, uid);
      await until(
        () => recordedBy(node, uid),
        (ms) => ms > before,
        waitMs,
      );
    }),
  );
  return places;
}

const nodeOf = (by: string) => async (id: string) => nodes.client(by).getClusterNode({ params: { id } });

/** Waits until a node has the status that another reports of it. */
const becomes = (
  id: string,
  by: string,
  is: (node: Awaited<ReturnType<ReturnType<typeof nodeOf>>>) => boolean,
) => until(() => nodeOf(by)(id), is, waitMs);

/** Runs SQL in the database. */
async function asOperator(...statements: readonly string[]): Promise<void> {
  const client = postgres.client('cluster');
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** A later version has started on the database, whose steps only add: this version still starts beside it. */
async function laterVersionHasStarted(): Promise<void> {
  await asOperator(
    `alter table streams add column if not exists later text not null default ''`,
    `insert into kysely_migration values ('9999_later', '2030-01-01') on conflict do nothing`,
  );
}

/** North is dead, which an earlier test may have done, and the others record what it had. */
async function northIsDead(): Promise<void> {
  if (nodes.runningIds.includes('north')) await nodes.kill('north');
  await recorded(others);
}

test('[R10.8, R3.1] streams are spread over the nodes, whichever received the call, and each is run by one', async () => {
  const places = await recorded(ids);
  assert.deepEqual(new Set(places.values()), new Set(ids));
  for (const by of ids) {
    await until(
      () => nodes.places(by),
      (seen) => names.length === [...seen].filter(([uid, node]) => places.get(uid) === node).length,
      waitMs,
    );
  }
});

test('[R10.8] one node sleeps while another is cut off from the database: the third records everything; the sleeping node stops, the other one is fenced', async () => {
  nodes.pause('north');
  await proxy.cut();
  nodes.silent.add('west');
  await recorded(['south']);
  await until(
    () => nodes.server('west').output,
    (output) => output.includes('another node reaches the database'),
    waitMs,
  );
  const { available, state } = await nodeOf('south')('north');
  assert.deepEqual([available, state], [false, 'away']);
  nodes.resume('north');
  await proxy.mend();
  await becomes('north', 'south', (node) => node.available);
  await becomes('west', 'south', (node) => node.available);
  nodes.silent.delete('west');
  await nodes.settled(names.length, ids);
});

test('[R10.8] the database stops and returns: no node is declared dead, and each continues with its streams', async () => {
  const allSaid = (text: string) => () => ids.every((id) => nodes.server(id).output.includes(text));
  const takings = () => ids.map((id) => nodes.server(id).output.split('"kind":"take"').length);
  const before = takings();
  await postgres.kill();
  const pause = () => nodes.client('north').pauseStream({ body: { uid: uids[0] ?? '' } });
  await assert.rejects(pause(), { code: 'Unavailable' });
  await until(
    allSaid('The lease has expired, and no reachable node can reach the database'),
    Boolean,
    waitMs,
  );
  await until(
    () =>
      postgres.start().then(
        () => true,
        () => false,
      ),
    Boolean,
    waitMs,
  );
  await until(allSaid('The database answers again'), Boolean, waitMs);
  await recorded(ids);
  assert.deepEqual(takings(), before);
});

test('[R7.39, R4.5] two simultaneous drains hand over before they stop; a drained node stays drained after a restart', async () => {
  await Promise.all([
    nodes.client('north').drainClusterNode({ params: { id: 'south' } }),
    nodes.client('south').drainClusterNode({ params: { id: 'west' } }),
  ]);
  await recorded(['north']);
  for (const id of ['south', 'west']) {
    await becomes(id, id, ({ state }) => state === 'drained');
    // Another node is notified a little later.
    await becomes(id, 'north', ({ state }) => state === 'drained');
    assert.equal((await nodes.client('north').drainClusterNode({ params: { id } })).state, 'drained');
  }
  const warned = async () =>
    (await nodes.client('south').getHealth()).warnings.some(({ code }) => code === 'cluster-node-drained');
  assert.equal(await warned(), true);
  await nodes.stop('south');
  await laterVersionHasStarted();
  await nodes.start('south');
  assert.equal((await nodeOf('north')('south')).state, 'drained');
  assert.equal(await warned(), true);
  for (const id of ['south', 'west']) await nodes.client(id).returnClusterNode({ params: { id } });
  await until(warned, (isWarned) => !isWarned, waitMs);
});

test('[R10.8] the streams of a killed node are recorded by others', async () => {
  assert.ok((await nodes.active('north')) > 0);
  await northIsDead();
});

test('[R10.8] a node that is too old for the schema of a later version reports it, and running nodes continue', async () => {
  await northIsDead();
  await laterVersionHasStarted();
  await asOperator(`update settings set value = '"9999_later"' where key = 'schema.floor'`);
  await assert.rejects(nodes.start('north'), /A newer version has used this database.*update the server/);
  await recorded(others);
});

test('[R10.8] the nodes together miss no more than the takeover times, no moment is recorded twice, and each archive is in order', async () => {
  await northIsDead();
  const { footage, twice } = await nodes.recorded(uids, fromMs);
  assert.deepEqual(twice, []);
  for (const [uid, parts] of footage) {
    assert.ok(longestGapMs(parts) <= lackMs, `${uid}: ${JSON.stringify(parts)}`);
    assert.ok(besideMs(parts) <= lackMs, `${uid}: ${JSON.stringify(parts)}`);
  }
  for (const id of ids) assert.equal((await nodes.command(id, 'check')).code, 0);
});
