import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockAheadMs } from './first-steps-api.ts';

test('the difference between two clocks is what whole seconds and the way of the answer leave certain', () => {
  assert.equal(clockAheadMs(10_000, 10_200, 10_900), 0);
  assert.equal(clockAheadMs(10_000, 9_500, 12_000), 0);
  assert.equal(clockAheadMs(70_000, 10_000, 10_400), 59_600);
  assert.equal(clockAheadMs(10_000, 3_610_999, 3_611_500), -3_600_000);
});
