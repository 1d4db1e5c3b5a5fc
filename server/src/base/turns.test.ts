import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from './turns.ts';

test('[R15.2] many steps that begin together are spread over turns of the event loop, in order; few are not held up', async () => {
  const turns = new Turns();
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn++) await nextTurn();
  })();
  const begun: { step: number; turn: number }[] = [];
  const steps = Array.from({ length: 100 }, (_, step) =>
    turns.next().then(() => void begun.push({ step, turn })),
  );
  await Promise.all(steps.slice(0, 5));
  assert.equal(turn, 0);
  await Promise.all(steps);
  isOver = true;
  await counting;
  assert.deepEqual(
    begun.map(({ step }) => step),
    Array.from({ length: 100 }, (_, step) => step),
  );
  const perTurn = Map.groupBy(begun, (one) => one.turn);
  assert.ok(perTurn.size >= 5, `${perTurn.size} turns`);
  const most = Math.max(...Array.from(perTurn.values(), (some) => some.length));
  assert.ok(most <= 20, `${most} steps in a turn`);
});
