import assert from 'node:assert/strict';
import { test } from 'node:test';
import { besideOf, pageOf } from './neighbours.ts';

const uids = ['gate', 'roof', 'yard'];

test('the camera beside one is the next or previous of the list, and there is none at its ends', () => {
  assert.equal(besideOf(uids, 'roof', 1), 'yard');
  assert.equal(besideOf(uids, 'roof', -1), 'gate');
  assert.equal(besideOf(uids, 'yard', 1), undefined);
  assert.equal(besideOf(uids, 'gate', -1), undefined);
  assert.equal(besideOf(uids, 'cellar', 1), undefined);
});

test('the strip has the page that the camera is on, or the first', () => {
  assert.equal(pageOf(uids, 'roof', 2), 1);
  assert.equal(pageOf(uids, 'yard', 2), 2);
  assert.equal(pageOf(uids, 'cellar', 2), 1);
  assert.equal(pageOf([], 'gate', 2), 1);
});
