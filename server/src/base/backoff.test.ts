import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, scatteredMs } from './backoff.ts';

const pauses = { firstMs: 1_000, longestMs: 20_000 };

test('a pause doubles with each consecutive failure, up to the longest', () => {
  const after = [0, 1, 2, 3, 4, 5, 6, 7, 10_000].map((failures) => backoffMs(failures, pauses));
  assert.deepEqual(after, [0, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000, 20_000]);
});

test('simultaneous failures are spread over 0.5 to 1.5 times their pause', () => {
  const [least, middle, most] = [0, 0.5, 0.999].map((random) => scatteredMs(1_000, { random: () => random }));
  assert.deepEqual([least, middle, most], [500, 1_000, 1_499]);
});
