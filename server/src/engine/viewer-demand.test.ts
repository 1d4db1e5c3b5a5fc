import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { demandMs, ViewerDemand } from './viewer-demand.ts';

function watched() {
  const clock = new ManualClock();
  const changes: boolean[] = [];
  const demand: ViewerDemand = new ViewerDemand(clock, () => changes.push(demand.isHeld));
  return { clock, changes, demand };
}

test('[R7.5] a lease keeps the source running for 30 s after its last renewal', () => {
  const { clock, changes, demand } = watched();
  demand.extend();
  clock.advance(demandMs - 1);
  demand.extend();
  clock.advance(demandMs - 1);
  assert.deepEqual(changes, [true]);
  clock.advance(1);
  assert.deepEqual(changes, [true, false]);
});

test('[R7.5] a viewer keeps the source running while watching and for 30 s after', () => {
  const { clock, changes, demand } = watched();
  const release = demand.addViewer();
  clock.advance(10 * demandMs);
  assert.deepEqual(changes, [true]);
  release();
  release();
  clock.advance(demandMs - 1);
  assert.equal(demand.isHeld, true);
  clock.advance(1);
  assert.deepEqual(changes, [true, false]);
  assert.equal(demand.viewers, 0);
});

test('a new viewer within the 30 s keeps the source running without a change', () => {
  const { clock, changes, demand } = watched();
  demand.addViewer()();
  clock.advance(demandMs / 2);
  const release = demand.addViewer();
  clock.advance(2 * demandMs);
  assert.deepEqual(changes, [true]);
  release();
  clock.advance(demandMs);
  assert.deepEqual(changes, [true, false]);
});

test('clearing cancels the timer', () => {
  const { clock, demand } = watched();
  demand.extend();
  demand.clear();
  assert.equal(demand.isHeld, false);
  assert.equal(clock.pendingTimers, 0);
});
