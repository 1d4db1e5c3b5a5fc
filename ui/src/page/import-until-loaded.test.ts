import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, TestClock } from '../playback/test-clock.ts';
import { importUntilLoaded } from './import-until-loaded.ts';

test('a failed import is retried, with growing pauses, until it is loaded', async () => {
  const clock = new TestClock();
  const requestedMs: number[] = [];
  const startMs = clock.wallMs();
  const loaded = importUntilLoaded(
    () => {
      requestedMs.push(clock.wallMs() - startMs);
      return requestedMs.length < 4
        ? Promise.reject(new TypeError('Failed to fetch'))
        : Promise.resolve('module');
    },
    clock,
    { check: () => Promise.resolve(false) },
  );
  for (let second = 0; second < 10; second++) {
    await settle();
    clock.advance(1_000);
  }
  assert.equal(await loaded, 'module');
  assert.deepEqual(requestedMs, [0, 1_000, 3_000, 7_000]);
});

test('a part of a version that the server no longer has is not requested again', async () => {
  const clock = new TestClock();
  let requests = 0;
  let isOver = false;
  const load = () => {
    requests++;
    return Promise.reject(new TypeError('Failed to fetch'));
  };
  void importUntilLoaded(load, clock, { check: () => Promise.resolve(requests === 2) }).then(() => {
    isOver = true;
  });
  for (let second = 0; second < 60; second++) {
    await settle();
    clock.advance(1_000);
  }
  assert.deepEqual({ requests, isOver }, { requests: 2, isOver: false });
});
