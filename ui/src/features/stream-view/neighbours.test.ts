import assert from 'node:assert/strict';
import { test } from 'node:test';
import { besideOf } from './neighbours.ts';

test('the camera beside one is the next or previous of the list, and there is none at its ends', () => {
  const streams = ['gate', 'roof', 'yard'].map((uid) => ({ uid }));
  assert.equal(besideOf(streams, 'roof', 1), 'yard');
  assert.equal(besideOf(streams, 'roof', -1), 'gate');
  assert.equal(besideOf(streams, 'yard', 1), undefined);
  assert.equal(besideOf(streams, 'gate', -1), undefined);
  assert.equal(besideOf(streams, 'cellar', 1), undefined);
});
