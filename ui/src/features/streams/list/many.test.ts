import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidette/contract/client';
import { forEachOf } from './many.ts';

const never = new AbortController().signal;
const things = Array.from({ length: 20 }, (_, index) => index);

test('each failure is reported, and the rest is still done', async () => {
  const counts: number[] = [];
  const refusal = new ApiError('Forbidden', '', 403);
  const outcome = await forEachOf(
    things,
    async (thing) => {
      await Promise.resolve();
      if (thing % 7 === 3) throw refusal;
    },
    { signal: never, onProgress: (count) => counts.push(count) },
  );
  assert.deepEqual(
    outcome.failed,
    [3, 10, 17].map((thing) => ({ thing, error: refusal })),
  );
  assert.equal(outcome.done.length, 17);
  assert.deepEqual(outcome.left, []);
  assert.deepEqual(
    counts,
    things.map((thing) => thing + 1),
  );
});

test('an unreachable server gets no further requests', async () => {
  let asked = 0;
  const outcome = await forEachOf(
    things,
    async () => {
      asked++;
      await Promise.resolve();
      throw new ApiError('SERVER_UNKNOWN_ERR', '', 0);
    },
    { signal: never, onProgress: () => undefined },
  );
  assert.ok(asked < things.length);
  assert.equal(outcome.failed.length, asked);
  assert.equal(outcome.left.length, things.length - asked);
});

test('stopping reports what was done so far', async () => {
  const stop = new AbortController();
  const outcome = await forEachOf(
    things,
    async (thing) => {
      await Promise.resolve();
      if (thing === 5) stop.abort();
    },
    { signal: stop.signal, onProgress: () => undefined },
  );
  assert.ok(outcome.done.includes(5));
  assert.ok(outcome.left.length > 0);
  assert.deepEqual(
    [...outcome.done, ...outcome.left].sort((a, b) => a - b),
    things,
  );
});
