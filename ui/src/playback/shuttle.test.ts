import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shuttled, type Shuttle } from './shuttle.ts';

test('[R9.5] J and L: the same key again doubles the speed up to 16, the other key reverses at speed 1', () => {
  const speeds: number[] = [];
  let now: Shuttle | undefined;
  for (let press = 0; press < 6; press++) {
    now = shuttled(now, -1);
    assert.equal(now.isReverse, true);
    speeds.push(now.speed);
  }
  assert.deepEqual(speeds, [1, 2, 4, 8, 16, 16]);
  assert.deepEqual(shuttled(now, 1), { speed: 1, isReverse: false });
  assert.deepEqual(shuttled({ speed: 0.25, isReverse: false }, 1), { speed: 0.5, isReverse: false });
});
