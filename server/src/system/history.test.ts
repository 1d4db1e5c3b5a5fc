import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { EventLoopWatch } from './event-loop-watch.ts';
import { Histories } from './history.ts';

test('[R7.45] histories keep the newest values, in chronological order', () => {
  const histories = new Histories(
    [
      { name: 'a', unit: 's' },
      { name: 'b', unit: '' },
    ],
    3,
  );
  assert.deepEqual(histories.views[0], { name: 'a', unit: 's', times: [], values: [] });
  for (let at = 1; at <= 5; at++) histories.add(at * 10, [at, -at]);
  assert.deepEqual(histories.views, [
    { name: 'a', unit: 's', times: [30, 40, 50], values: [3, 4, 5] },
    { name: 'b', unit: '', times: [30, 40, 50], values: [-3, -4, -5] },
  ]);
});

test('[R7.45] the longest delay of the event loop since the last call', () => {
  const clock = new ManualClock();
  let lateMs = 0;
  const watch = new EventLoopWatch({
    every: (periodMs, run) => clock.every(periodMs, run),
    monotonicMs: () => clock.monotonicMs() + lateMs,
  });
  clock.advance(1_000);
  assert.equal(watch.takeLongestMs(), 0);
  lateMs = 80;
  clock.advance(1_000);
  assert.equal(watch.takeLongestMs(), 80);
  assert.equal(watch.takeLongestMs(), 0);
  watch.close();
  assert.equal(clock.pendingTimers, 0);
});
