import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTogether, togetherMax, writeTogether } from './together.ts';

test('the streams of a wall are written to its address and read from it, in their order', () => {
  const uids = ['yard2', 'gate', '7'];
  assert.deepEqual(readTogether(writeTogether(uids)), uids);
});

test('an address that was edited by hand opens with the streams that are in it', () => {
  assert.deepEqual(readTogether('gate--Yard-gate-../x-roof'), ['gate', 'roof']);
  assert.deepEqual(readTogether(''), []);
  const many = Array.from({ length: togetherMax + 5 }, (_, at) => `cam${at}`);
  assert.equal(readTogether(writeTogether(many)).length, togetherMax);
});
