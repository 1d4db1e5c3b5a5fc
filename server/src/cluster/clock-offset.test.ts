import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockOffset, isWrongClock } from './clock-offset.ts';

test('[R10.8] a clock is compared by the fastest of the most recent answers', () => {
  const offset = new ClockOffset();
  assert.equal(offset.aheadMs, null);
  offset.note(10_000, 400, 5_000);
  assert.equal(offset.aheadMs, 5_200);
  offset.note(11_000, 4, 6_000);
  offset.note(12_000, 2_000, 7_000);
  assert.equal(offset.aheadMs, 5_002);
  for (let second = 0; second < 8; second++) offset.note(2_000 + second, 10, 2_000 + second);
  assert.equal(offset.aheadMs, 5);
});

test('a clock that is off by a second in either direction is wrong', () => {
  assert.deepEqual([null, 0, 900, -900, 1_001, -1_001].map(isWrongClock), [
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
});
