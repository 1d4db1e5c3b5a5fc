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

test('samples of zeros are listed like others, before and after the first value that is not 0', () => {
  const kinds = [
    { name: 'bits', unit: 'bit/s' },
    { name: 'frames', unit: '' },
  ];
  const histories = new Histories(kinds, 3);
  for (const timeMs of [10, 20, 30, 40]) histories.add(timeMs, [0, 0]);
  assert.deepEqual(histories.views[0], { ...kinds[0], times: [20, 30, 40], values: [0, 0, 0] });
  histories.add(50, [5, 0]);
  assert.deepEqual(histories.views[0], { ...kinds[0], times: [30, 40, 50], values: [0, 0, 5] });
  histories.add(60, [0, 2]);
  assert.deepEqual(histories.views[1], { ...kinds[1], times: [40, 50, 60], values: [0, 0, 2] });
});
