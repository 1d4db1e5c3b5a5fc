import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Seats } from './seats.ts';

const isFull = (error: unknown) => error instanceof Fault && error.code === 'QuotaReached';

test('two requests every twenty seconds don’t keep the others out; a viewer who goes on playing keeps the seat', () => {
  const clock = new ManualClock();
  const seats = new Seats(clock, () => 2);
  const ask = (name: string) => seats.take(name, true)();
  ask('first');
  ask('second');
  assert.throws(() => seats.take('third', true), isFull, 'both have just been used');
  clock.advance(4_000);
  // The first plays on, GOP by GOP; the second has asked once.
  ask('first');
  ask('third');
  assert.equal(seats.taken, 2);
  assert.throws(() => seats.take('second', true), isFull);
  for (let gop = 0; gop < 10; gop++) {
    clock.advance(2_000);
    ask('first');
    ask('third');
    assert.throws(() => seats.take('second', true), isFull);
  }
  // What converts is never taken from anybody.
  const [leaveFirst, leaveThird] = [seats.take('first', false), seats.take('third', false)];
  clock.advance(60_000);
  assert.throws(() => seats.take('second', true), isFull);
  leaveFirst();
  leaveThird();
  ask('second');
  seats.clear();
});
