import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from './backoff.ts';

test('pauses grow to the maximum and restart after a success', () => {
  const backoff = new Backoff({ firstMs: 500, longestMs: 3_000 });
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => backoff.next()),
    [500, 1_000, 2_000, 3_000, 3_000],
  );
  backoff.reset();
  assert.equal(backoff.next(), 500);
});

test('jitter spreads a pause around its mean, and does not affect the growth', () => {
  let random = 0;
  const backoff = new Backoff({
    firstMs: 1_000,
    longestMs: 9_000,
    growth: 1.5,
    spread: 0.25,
    random: () => random,
  });
  assert.equal(backoff.next(), 750);
  random = 1;
  assert.equal(backoff.next(), 1_875);
});
