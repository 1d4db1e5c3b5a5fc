import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yieldOrder } from '@vidette/contract/overload';
import { Fault } from './fault.ts';
import { LoadLevel } from './load-level.ts';

test('[R15.4] each level makes one more kind of work wait, in the stated order', () => {
  const load = new LoadLevel();
  for (const level of yieldOrder.keys()) {
    load.set(level);
    assert.deepEqual(
      yieldOrder.filter((work) => load.defers(work)),
      yieldOrder.slice(0, level),
    );
    assert.deepEqual(load.waiting, yieldOrder.slice(0, level));
  }
});

test('work that waits is refused with a code and a time to try again', () => {
  const load = new LoadLevel();
  load.requireRoom('exports');
  load.set(1);
  assert.throws(
    () => load.requireRoom('exports'),
    (error) =>
      error instanceof Fault &&
      error.code === 'ServerOverloaded' &&
      typeof error.details['retryAfterSeconds'] === 'number',
  );
  load.requireRoom('thumbnails');
});

test('work that waits goes on when its level is left, and ends when it is cancelled', async () => {
  const load = new LoadLevel();
  const abort = new AbortController();
  await load.whenFree('exports', abort.signal);
  load.set(2);
  let isFree = false;
  const free = load.whenFree('exports', abort.signal).then(() => (isFree = true));
  load.set(1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isFree, false);
  load.set(0);
  await free;
  load.set(1);
  const cancelled = load.whenFree('exports', abort.signal);
  abort.abort(new Error('cancelled'));
  await assert.rejects(cancelled, /cancelled/);
  await assert.rejects(load.whenFree('exports', abort.signal), /cancelled/);
});
