import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedStream } from '@vidette/contract/entities';
import { placesBetween, withoutStreams, withStreams } from './picked.ts';

const stream = (uid: string, canEdit = true) =>
  ({ uid, name: uid.toUpperCase(), tags: [], canEdit }) as unknown as ListedStream;

test('streams are selected once each, and it is kept which of them the viewer may edit', () => {
  const picked = withStreams(new Map(), [stream('a'), stream('b', false), stream('a'), stream('c')]);
  assert.deepEqual([...picked.keys()], ['a', 'b', 'c']);
  assert.deepEqual(picked.get('a'), { uid: 'a', name: 'A', tags: [], canEdit: true });
  assert.deepEqual([...withoutStreams(picked, [stream('a'), stream('x')]).keys()], ['b', 'c']);
  assert.equal(picked.get('b')?.canEdit, false);
  assert.equal(picked.size, 3);
});

test('a range includes both ends, whichever was selected first', () => {
  assert.deepEqual(placesBetween(3, 7), { first: 3, end: 8 });
  assert.deepEqual(placesBetween(7, 3), { first: 3, end: 8 });
  assert.deepEqual(placesBetween(4, 4), { first: 4, end: 5 });
});
