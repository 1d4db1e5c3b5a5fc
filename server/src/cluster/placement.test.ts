import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Move, StreamPlace } from '../store/cluster-tables.ts';
import { member, place } from './cluster-fixture.ts';
import { bestNode, planMoves, type PlacementInput } from './placement.ts';

const streams = (count: number, nodeId: string, prefix = nodeId) =>
  Array.from({ length: count }, (_, index) => place(`${prefix}${String(index).padStart(3, '0')}`, nodeId));

function plan(input: Partial<PlacementInput>): Move[] {
  return planMoves({
    members: [],
    places: [],
    mayDeclareDead: true,
    mayBalance: true,
    knows: () => false,
    refused: () => false,
    ...input,
  });
}

/** How many streams each node has or will have once the moves are made. */
function after(places: readonly StreamPlace[], moves: readonly Move[]): Record<string, number> {
  const to = new Map(moves.map((move) => [move.uid, move.to]));
  const counts: Record<string, number> = {};
  for (const { uid, nodeId } of places) {
    const id = to.get(uid) ?? nodeId;
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

test('[R10.8] the streams of a dead node are spread over the others, and no other stream moves', () => {
  const members = [member('a'), member('b'), member('c', { isThere: false })];
  const places = [...streams(4, 'a'), ...streams(2, 'b'), ...streams(4, 'c')];
  const moves = plan({ members, places });
  assert.deepEqual(after(places, moves), { a: 5, b: 5 });
  assert.ok(moves.every((move) => move.kind === 'take' && move.gone === 'c' && move.epoch === 3));
  assert.equal(moves.length, 4);
  assert.deepEqual(plan({ members, places }), moves, 'planned twice alike');
});

test('[R10.8] no node is declared dead right after the database was unavailable, except unknown ones', () => {
  const members = [member('a'), member('c', { isThere: false })];
  const places = [place('one', 'c'), place('two', 'forgotten')];
  assert.deepEqual(
    plan({ members, places, mayDeclareDead: false }).map(({ uid }) => uid),
    ['two'],
  );
});

test('[R10.8] streams that fit nowhere stay; load is the share of the capacity if all nodes have one', () => {
  const full = [member('a', { capacity: 2 }), member('c', { isThere: false })];
  assert.deepEqual(plan({ members: full, places: [...streams(2, 'a'), ...streams(1, 'c')] }), []);
  const members = [member('a', { capacity: 10 }), member('b', { capacity: 4 })];
  const places = [...streams(4, 'a'), ...streams(2, 'b')];
  assert.equal(bestNode(members, places, 'b'), 'a');
  assert.equal(bestNode([member('a'), member('b')], streams(3, 'a'), 'a'), 'b');
  assert.equal(bestNode([member('a'), member('b')], [], 'b'), 'b', 'its own among equals');
  assert.equal(bestNode([member('a', { isDrained: true })], [], 'a'), undefined);
});

test('[R10.8] among equal nodes, the one that has footage of a stream gets it', () => {
  const members = [member('a'), member('b'), member('c', { isThere: false })];
  const moves = plan({ members, places: [place('one', 'c')], knows: (id) => id === 'b' });
  assert.deepEqual(
    moves.map(({ to }) => to),
    ['b'],
  );
});

test('[R4.5, R10.8] a drained node hands over a few streams at a time; two can drain simultaneously, and none hands over to another drained node', () => {
  const members = [member('a', { isDrained: true }), member('b', { isDrained: true }), member('c')];
  const places = [...streams(12, 'a'), ...streams(12, 'b')];
  const moves = plan({ members, places });
  assert.equal(moves.length, 8);
  assert.ok(moves.every(({ kind, to }) => kind === 'hand-over' && to === 'c'));
  assert.deepEqual(plan({ members: members.slice(0, 2), places }), [], 'no member is left to take over');
});

test('[R10.8] a handover is cancelled when its next node is dead, and completed when its current node is', () => {
  const handed = place('one', 'a', { nextNodeId: 'b' });
  const gone = plan({ members: [member('a'), member('b', { isThere: false })], places: [handed] });
  assert.deepEqual(gone, [{ kind: 'hand-over', uid: 'one', epoch: 3, to: null }]);
  const members = [member('a', { isThere: false }), member('b'), member('c')];
  const taken = plan({ members, places: [handed, ...streams(3, 'b')] });
  assert.deepEqual(taken, [{ kind: 'take', uid: 'one', epoch: 3, to: 'b', gone: 'a' }]);
});

test('[R4.5] a source that the next node can’t open is moved from a drained node anyway, but stays on a working one', () => {
  const late = place('one', 'a', { nextNodeId: 'b', handoverAgeMs: 20_000 });
  const drained = plan({ members: [member('a', { isDrained: true }), member('b')], places: [late] });
  assert.deepEqual(drained, [{ kind: 'take', uid: 'one', epoch: 3, to: 'b', gone: null }]);
  const working = plan({ members: [member('a'), member('b')], places: [late] });
  assert.deepEqual(working, [{ kind: 'hand-over', uid: 'one', epoch: 3, to: null }]);
});

test('[R10.8] an added node gets one stream at a time, first those that it has footage of, until all have equally many', () => {
  const members = [member('a'), member('b')];
  let places: StreamPlace[] = streams(5, 'a');
  const first: readonly Move[] = plan({ members, places, knows: (id, uid) => id === 'b' && uid === 'a003' });
  assert.deepEqual([...first], [{ kind: 'hand-over', uid: 'a003', epoch: 3, to: 'b' }]);
  assert.deepEqual(plan({ members, places, mayBalance: false }), []);
  let moved = 0;
  for (let moves = first; moves.length > 0; moves = plan({ members, places })) {
    assert.equal(moves.length, 1);
    const to = new Map(moves.map((move) => [move.uid, move.to]));
    places = places.map((known) => ({ ...known, nodeId: to.get(known.uid) ?? known.nodeId }));
    moved++;
  }
  assert.equal(moved, 2);
  const refused = (_id: string, uid: string) => uid !== 'a004';
  assert.deepEqual(
    plan({ members, places: streams(5, 'a'), refused }).map(({ uid }) => uid),
    ['a004'],
  );
});

test('[R10.8] streams of a node whose disk can’t be written move to one whose disk can, and stay if there is none', () => {
  const members = [member('a', { cannotRecord: true }), member('b'), member('c', { cannotRecord: true })];
  const places = [place('one', 'a'), place('two', 'b')];
  assert.deepEqual(plan({ members, places }), [{ kind: 'hand-over', uid: 'one', epoch: 3, to: 'b' }]);
  assert.equal(bestNode(members, places, 'a'), 'b', 'nor does a new stream go there');
  const onlyFull = members.filter(({ id }) => id !== 'b');
  assert.deepEqual(plan({ members: onlyFull, places: [place('one', 'a')] }), []);
  assert.equal(bestNode(onlyFull, [], 'a'), 'a', 'its live video can still be watched');
  const handed = place('one', 'b', { nextNodeId: 'a' });
  assert.deepEqual(plan({ members, places: [handed] }), [
    { kind: 'hand-over', uid: 'one', epoch: 3, to: null },
  ]);
  const full = streams(5, 'b');
  assert.deepEqual(plan({ members, places: full }), [], 'nor is any stream moved there');
});
