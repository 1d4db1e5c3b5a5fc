import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { PollRounds } from './poll-rounds.ts';

/** A clock and fixed randomness: rounds last 90 ms. */
function rounds(): {
  clock: ManualClock;
  rounds: PollRounds;
  woken: string[];
  rest: (name: string) => () => void;
} {
  const clock = new ManualClock();
  const made = new PollRounds(clock);
  const woken: string[] = [];
  return { clock, rounds: made, woken, rest: (name) => made.rest(() => woken.push(name)) };
}

test('all waiting readers are woken together, once, by one timer, and the next reader begins a new round', () => {
  const { clock, woken, rest } = rounds();
  rest('a');
  clock.advance(40);
  rest('b');
  assert.equal(clock.pendingTimers, 1);
  clock.advance(49);
  assert.deepEqual(woken, []);
  clock.advance(1);
  assert.deepEqual(woken, ['a', 'b']);
  assert.equal(clock.pendingTimers, 0);
  rest('a');
  clock.advance(90);
  assert.deepEqual(woken, ['a', 'b', 'a']);
});

test('a reader that leaves is not woken, the others are', () => {
  const { clock, woken, rest } = rounds();
  const leave = rest('a');
  rest('b');
  leave();
  clock.advance(90);
  assert.deepEqual(woken, ['b']);
});

test('a reader that waits again when woken waits in the next round', () => {
  const { clock, rounds: made } = rounds();
  let count = 0;
  const again = () => {
    count++;
    made.rest(again);
  };
  made.rest(again);
  clock.advance(400);
  assert.equal(count, 4);
  assert.equal(clock.pendingTimers, 1);
});

test('many connections are spread over several rounds', () => {
  const { clock, woken, rest } = rounds();
  for (let index = 0; index < 40; index++) {
    if (index === 32) clock.advance(20);
    rest(String(index));
  }
  clock.advance(70);
  assert.equal(woken.length, 32);
  clock.advance(20);
  assert.equal(woken.length, 40);
});
