import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoweredDepths, undoMs } from './lowered-depths.ts';

const minuteMs = 60_000;

test('at the very first start the settings of streams take effect immediately', () => {
  const depths = new LoweredDepths(undefined);
  assert.equal(depths.note('cam1', 24, true), true);
  assert.equal(depths.inForce('cam1'), 24);
  assert.equal(depths.lowered('cam1'), undefined);
});

test('[R10.4] a lowered depth takes effect after an hour, a raised one immediately', () => {
  const depths = new LoweredDepths(undefined);
  depths.note('cam1', 720, true);
  depths.note('cam1', 24, true);
  assert.deepEqual(depths.lowered('cam1'), { hours: 24, waitMs: undoMs });
  assert.deepEqual(depths.pass(undoMs - minuteMs), []);
  assert.equal(depths.inForce('cam1'), 720);
  assert.deepEqual(depths.pass(minuteMs), ['cam1']);
  assert.equal(depths.inForce('cam1'), 24);
  depths.note('cam1', 100, true);
  assert.equal(depths.inForce('cam1'), 100);
  assert.equal(depths.lowered('cam1'), undefined);
});

test('[R10.4] within the hour it can be undone by restoring the setting', () => {
  const depths = new LoweredDepths({ cam1: { hours: -1 } });
  depths.note('cam1', 24, true);
  depths.pass(undoMs - 1);
  depths.note('cam1', -1, true);
  assert.deepEqual(depths.pass(undoMs), []);
  assert.equal(depths.inForce('cam1'), -1);
});

test('a setting lowered further waits for a full hour, one raised in part for the rest of it', () => {
  const depths = new LoweredDepths({ cam1: { hours: 720 } });
  depths.note('cam1', 240, true);
  depths.pass(50 * minuteMs);
  depths.note('cam1', 480, true);
  assert.deepEqual(depths.lowered('cam1'), { hours: 480, waitMs: 10 * minuteMs });
  depths.note('cam1', 24, true);
  assert.deepEqual(depths.lowered('cam1'), { hours: 24, waitMs: undoMs });
});

test('[R10.4] a depth lowered while the server was off, or before it was stopped, waits as well', () => {
  const before = new LoweredDepths({ cam1: { hours: 720 }, cam2: { hours: 720 } });
  before.note('cam1', 24, true);
  before.pass(40 * minuteMs);
  const after = new LoweredDepths(before.known);
  assert.equal(after.note('cam1', 24, true), false);
  assert.deepEqual(after.lowered('cam1'), { hours: 24, waitMs: 20 * minuteMs });
  after.note('cam2', 24, true);
  assert.deepEqual(after.lowered('cam2'), { hours: 24, waitMs: undoMs });
});

test('a stream without footage has nothing to lose, a new one with footage has', () => {
  const depths = new LoweredDepths({ cam1: { hours: -1 } });
  depths.note('cam1', 24, false);
  assert.equal(depths.inForce('cam1'), 24);
  depths.note('cam9', 1, true);
  assert.deepEqual(depths.lowered('cam9'), { hours: 1, waitMs: undoMs });
});
