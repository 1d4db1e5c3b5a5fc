import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import type { ClusterMember, StreamPlace } from '../store/cluster-tables.ts';
import { member, place } from './cluster-fixture.ts';
import { ClusterView } from './cluster-view.ts';

/** A database whose rows a test sets; `isAway` makes the last query fail. */
class Scene {
  readonly clock = new ManualClock();
  members: ClusterMember[] = [member('a'), member('b')];
  rows: StreamPlace[] = [];
  version = 1;
  isAway = false;
  placesRead = 0;
  readonly view = new ClusterView({
    tables: {
      members: () => Promise.resolve(this.members),
      version: () => (this.isAway ? Promise.reject(new Error('away')) : Promise.resolve(this.version)),
      places: () => {
        this.placesRead++;
        return Promise.resolve(this.rows);
      },
    },
    clock: this.clock,
    id: 'a',
  });

  /** To be called when the test has changed assignments in the database. */
  set places(rows: StreamPlace[]) {
    this.rows = rows;
    this.version++;
  }
}

const nothing = { saved: [], moved: [], removed: [] };

test('a read returns changes: settings, assignments and removed streams', async () => {
  const scene = new Scene();
  scene.places = [place('one', 'a'), place('two', 'b')];
  assert.deepEqual(await scene.view.read(), { saved: ['one', 'two'], moved: ['one', 'two'], removed: [] });
  assert.deepEqual(await scene.view.read(), nothing);
  scene.places = [place('one', 'a', { changed: 1 }), place('two', 'b', { status: 'failed' })];
  assert.deepEqual(await scene.view.read(), { saved: ['one'], moved: ['two'], removed: [] });
  scene.places = [place('two', 'b', { status: 'failed' })];
  assert.deepEqual(await scene.view.read(), { ...nothing, removed: ['one'] });
});

test('assignments are read only if their version has changed, and their age counts from then', async () => {
  const scene = new Scene();
  await scene.view.read();
  scene.clock.advance(700);
  await scene.view.read();
  assert.equal(scene.placesRead, 1);
  assert.equal(scene.view.ageMs, 700);
  scene.places = [place('one', 'a')];
  await scene.view.read();
  assert.deepEqual([scene.placesRead, scene.view.ageMs, scene.view.version], [2, 0, 2]);
});

test('the streams of a node that went down or returned are reported as changed', async () => {
  const scene = new Scene();
  scene.places = [place('one', 'a'), place('two', 'b')];
  await scene.view.read();
  scene.members = [member('a'), member('b', { isThere: false })];
  assert.deepEqual(await scene.view.read(), { ...nothing, moved: ['two'] });
  assert.equal(scene.view.isThere('b'), false);
  scene.members = [member('a'), member('b')];
  assert.deepEqual(await scene.view.read(), { ...nothing, moved: ['two'] });
});

test('a read that fails midway changes nothing, so that the next one reports everything', async () => {
  const scene = new Scene();
  scene.places = [place('one', 'a'), place('two', 'b')];
  await scene.view.read();
  scene.members = [member('a'), member('b', { isThere: false })];
  scene.isAway = true;
  await assert.rejects(scene.view.read(), /away/);
  assert.equal(scene.view.isThere('b'), true);
  scene.isAway = false;
  assert.deepEqual(await scene.view.read(), { ...nothing, moved: ['two'] });
});

test('[R4.5] a drained node keeps its streams while another can take them over, and stops them all otherwise', async () => {
  const scene = new Scene();
  const own = place('one', 'a');
  scene.places = [own, place('two', 'b')];
  await scene.view.read();
  assert.equal(scene.view.epochOf(own), 3);
  scene.members = [member('a', { isDrained: true }), member('b')];
  await scene.view.read();
  assert.equal(scene.view.isDrained, true);
  assert.equal(scene.view.epochOf(own), 3);
  for (const other of [member('b', { isThere: false }), member('b', { isDrained: true })]) {
    scene.members = [member('a', { isDrained: true }), other];
    await scene.view.read();
    assert.equal(scene.view.epochOf(own), undefined);
  }
});

test('[R10.8] a stream that is handed over runs under the next epoch on the node that takes it', async () => {
  const { view } = new Scene();
  await view.read();
  assert.equal(view.epochOf(place('one', 'b', { nextNodeId: 'a' })), 4);
  assert.equal(view.epochOf(place('one', 'a', { nextNodeId: 'b' })), 3);
  assert.equal(view.epochOf(place('one', 'b')), undefined);
});

test('wrong clocks are those of nodes that are up, this one included', async () => {
  const scene = new Scene();
  scene.members = [
    member('a', { clockAheadMs: -5_000 }),
    member('b', { clockAheadMs: 20 }),
    member('c', { clockAheadMs: 9_000, isThere: false }),
  ];
  await scene.view.read();
  assert.deepEqual(scene.view.wrongClocks, [{ id: 'a', aheadMs: -5_000 }]);
  assert.deepEqual(
    scene.view.peers.map(({ id }) => id),
    ['b', 'c'],
  );
});
