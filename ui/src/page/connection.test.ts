import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection } from './connection.ts';

test('[R7.53] a lost server is polled with growing pauses until it is back, once for all callers', async () => {
  let isAway = true;
  let backs = 0;
  const pauses: number[] = [];
  let due: (() => void) | undefined;
  const connection = new Connection({
    probe: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
    onBack: () => (backs += 1),
    setTimer: (action, delayMs) => {
      pauses.push(delayMs);
      due = action;
    },
  });
  const seen: boolean[] = [];
  connection.subscribe(() => seen.push(connection.isLost()));
  connection.lose();
  connection.lose();
  assert.deepEqual(pauses, [1000]);
  for (let turn = 0; turn < 5; turn += 1) {
    due?.();
    await new Promise(setImmediate);
  }
  assert.deepEqual(pauses, [1000, 1500, 2250, 3375, 5000, 5000]);
  isAway = false;
  due?.();
  await new Promise(setImmediate);
  assert.deepEqual(seen, [true, false]);
  assert.equal(backs, 1);
  assert.equal(pauses.length, 6);
});
