import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { leaseMs, Leases } from './leases.ts';

function watched() {
  const clock = new ManualClock();
  const changes: boolean[] = [];
  const leases: Leases = new Leases(clock, () => changes.push(leases.isHeld));
  return { clock, changes, leases };
}

test('[R7.5] a lease holds the source for 30 s after its last renewal', () => {
  const { clock, changes, leases } = watched();
  leases.extend();
  clock.advance(leaseMs - 1);
  leases.extend();
  clock.advance(leaseMs - 1);
  assert.deepEqual(changes, [true]);
  clock.advance(1);
  assert.deepEqual(changes, [true, false]);
});

test('[R7.5] a viewer holds the source while watching and 30 s beyond', () => {
  const { clock, changes, leases } = watched();
  const release = leases.addViewer();
  clock.advance(10 * leaseMs);
  assert.deepEqual(changes, [true]);
  release();
  release();
  clock.advance(leaseMs - 1);
  assert.equal(leases.isHeld, true);
  clock.advance(1);
  assert.deepEqual(changes, [true, false]);
  assert.equal(leases.viewers, 0);
});

test('a new viewer within the 30 s keeps the source without a change', () => {
  const { clock, changes, leases } = watched();
  leases.addViewer()();
  clock.advance(leaseMs / 2);
  const release = leases.addViewer();
  clock.advance(2 * leaseMs);
  assert.deepEqual(changes, [true]);
  release();
  clock.advance(leaseMs);
  assert.deepEqual(changes, [true, false]);
});

test('clearing cancels the timer', () => {
  const { clock, leases } = watched();
  leases.extend();
  leases.clear();
  assert.equal(leases.isHeld, false);
  assert.equal(clock.pendingTimers, 0);
});
