import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../test-clock.ts';
import { SharedClock } from './shared-clock.ts';

const startMs = Date.UTC(2026, 4, 1, 12);

test('it follows the machine’s clock at its speed, and stops while paused', () => {
  const clock = new TestClock();
  const shared = new SharedClock(clock, startMs);
  clock.advance(1000);
  assert.equal(shared.utcMs, startMs + 1000);
  shared.setSpeed(4);
  clock.advance(1000);
  assert.equal(shared.utcMs, startMs + 5000);
  shared.setPaused(true);
  clock.advance(60_000);
  assert.equal(shared.utcMs, startMs + 5000);
  shared.setPaused(false);
  clock.advance(500);
  assert.equal(shared.utcMs, startMs + 7000);
});

test('it stops until its last holder releases it, and a jump releases all of them', () => {
  const clock = new TestClock();
  const shared = new SharedClock(clock, startMs);
  const [gate, yard] = [{}, {}];
  shared.hold(gate);
  shared.hold(yard);
  clock.advance(1000);
  shared.release(gate);
  clock.advance(1000);
  assert.equal(shared.utcMs, startMs);
  shared.release(yard);
  clock.advance(1000);
  assert.equal(shared.utcMs, startMs + 1000);
  shared.hold(gate);
  shared.jumpTo(startMs + 90_000);
  clock.advance(100);
  assert.equal(shared.utcMs, startMs + 90_100);
  assert.equal(shared.jumps, 1);
});

test('listeners are notified of changes; the snapshot is the same until then', () => {
  const shared = new SharedClock(new TestClock(), startMs);
  const before = shared.getSnapshot();
  let heard = 0;
  const unsubscribe = shared.subscribe(() => {
    heard += 1;
  });
  shared.setSpeed(1);
  assert.equal(shared.getSnapshot(), before);
  shared.setSpeed(2);
  assert.notEqual(shared.getSnapshot(), before);
  unsubscribe();
  const known = heard;
  shared.jumpTo(startMs);
  assert.equal(heard, known);
});
