import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from './api.ts';
import { longestGapMs, Nodes, type Footage } from './nodes.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { Way } from './way.ts';

// Three servers on one PostgreSQL: what one had is recorded by the others, and by one of them only.

const names = ['Gate', 'Yard', 'Dock', 'Hall'];
/** A lease, two looks and the first key frame are six to ten seconds (`npm run bench cluster`); the rest is for a busy machine. */
const lackMs = 30_000;

let postgres: TestPostgres;
let camera: FakeCamera;
let nodes: Nodes;
let way: Way;
const uids: string[] = [];
let fromMs: number;

before(async () => {
  postgres = await startPostgres();
  camera = await startFakeCamera({ clip: await encodeClip({ framesPerSecond: 10 }) });
  nodes = await Nodes.start(await postgres.create('cluster'), ['north', 'south', 'west']);
  way = new Way(postgres.socket);
  fromMs = Date.now();
});

after(async () => {
  await nodes?.close();
  await way?.cut();
  await camera?.stop();
  await postgres?.stop();
});

const recordedBy = async (node: string, uid: string) =>
  (await nodes.client(node).getArchiveStats({ params: { uid } })).durationMs;

/** Waits until each stream runs on one of these nodes, and more of it is on that node's disk. */
async function recorded(on: readonly string[]): Promise<Map<string, string>> {
  const places = await nodes.settled(names.length, on);
  for (const [uid, node] of places) {
    const before = await recordedBy(node, uid);
    await until(
      () => recordedBy(node, uid),
      (ms) => ms > before,
      60_000,
    );
  }
  return places;
}

const nodeOf = (by: string) => async (id: string) => nodes.client(by).getClusterNode({ params: { id } });

test('[R10.8, R3.1] streams are spread over the nodes, whichever was asked, and each is run by one', async () => {
  for (const [index, name] of names.entries()) {
    const by = nodes.runningIds[index % 3] ?? '';
    const streamSource = index === 0 ? 'demo:' : camera.url;
    uids.push((await nodes.client(by).addStream({ body: { name, streamSource } })).uid);
  }
  const places = await recorded(nodes.runningIds);
  assert.deepEqual(new Set(places.values()), new Set(['north', 'south', 'west']));
  for (const by of nodes.runningIds) {
    await until(
      () => nodes.places(by),
      (seen) => names.length === [...seen].filter(([uid, node]) => places.get(uid) === node).length,
      60_000,
    );
  }
});

test('[R7.39, R4.5] a drain hands over before it stops, and survives a restart', async () => {
  const south = nodeOf('north');
  await nodes.client('north').drainClusterNode({ params: { id: 'south' } });
  await recorded(['north', 'west']);
  await until(
    () => south('south'),
    ({ state }) => state === 'drained',
    60_000,
  );
  assert.equal((await nodes.client('west').drainClusterNode({ params: { id: 'south' } })).state, 'drained');
  const warned = async () =>
    (await nodes.client('south').getHealth()).warnings.some(({ code }) => code === 'cluster-node-drained');
  assert.equal(await warned(), true);
  await nodes.stop('south');
  await nodes.start('south');
  assert.equal((await south('south')).state, 'drained');
  assert.equal(await warned(), true);
  await nodes.client('west').returnClusterNode({ params: { id: 'south' } });
  await until(warned, (isWarned) => !isWarned, 60_000);
  await until(
    () => south('south'),
    ({ streams }) => streams > 0,
    60_000,
  );
});

test('[R10.8] what a killed node and a sleeping one had the third records; who wakes gives it up', async () => {
  nodes.pause('west');
  await nodes.kill('north');
  await recorded(['south']);
  const west = () => nodeOf('south')('west');
  const { available, state } = await west();
  assert.deepEqual([available, state], [false, 'away']);
  nodes.resume('west');
  await until(west, (node) => node.available, 60_000);
  await recorded(['south', 'west']);
});

test('[R10.8] the database ends and is back: nobody is taken for dead, and each goes on with what it had', async () => {
  const isEven = (places: Map<string, string>) =>
    [...places.values()].filter((id) => id === 'west').length === 2;
  const places = await until(() => nodes.places('south'), isEven, 60_000);
  const allSaid = (text: string) => () =>
    ['south', 'west'].every((id) => nodes.server(id).output.includes(text));
  await postgres.halt();
  const pause = () => nodes.client('west').pauseStream({ body: { uid: uids[0] ?? '' } });
  await assert.rejects(pause(), { code: 'Unavailable' });
  await until(allSaid('The lease is over and the database answers nobody'), Boolean, 60_000);
  await postgres.start();
  await until(allSaid('The database answers again'), Boolean, 60_000);
  assert.deepEqual(await recorded(['south', 'west']), places);
});

test('[R10.8] a node that alone is cut off from the database asks the others, and yields', async () => {
  await way.mend();
  await nodes.start('north', { VIDETTE_DATABASE: postgres.urlBy(way.port, 'cluster') });
  const isAt = (places: Map<string, string>) => [...places.values()].includes('north');
  await until(() => nodes.places('south'), isAt, 60_000);
  await recorded(nodes.runningIds);
  await way.cut();
  nodes.silent.add('north');
  await until(
    () => nodes.server('north').output,
    (output) => output.includes('another node reaches the database'),
    60_000,
  );
  await recorded(['south', 'west']);
  await way.mend();
  await until(
    () => nodeOf('south')('north'),
    (node) => node.available,
    60_000,
  );
  nodes.silent.delete('north');
  await recorded(nodes.runningIds);
});

test('[R10.8] all nodes together lack no more than the taking over takes, and no node has a moment twice', async () => {
  for (const [uid, footage] of await nodes.footage(uids, fromMs)) {
    assert.ok(longestGapMs(footage) <= lackMs, `${uid}: ${JSON.stringify(footage)}`);
    for (const node of ['north', 'south', 'west'])
      assertInOrder(footage.filter((part) => part.node === node));
  }
});

function assertInOrder(footage: readonly Footage[]): void {
  for (const [index, { startMs }] of footage.entries()) {
    assert.ok(startMs >= (footage[index - 1]?.endMs ?? 0), JSON.stringify(footage));
  }
}
