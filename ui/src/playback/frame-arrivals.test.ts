import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameArrivals } from './frame-arrivals.ts';
import { TestClock } from './test-clock.ts';

function setUp() {
  const clock = new TestClock();
  const arrivals = new FrameArrivals(clock);
  /** This many frames, one after each interval. */
  const receive = (count: number, everyMs: number) => {
    for (let at = 0; at < count; at++) {
      clock.advance(everyMs);
      arrivals.note();
    }
  };
  return { clock, arrivals, receive };
}

test('frames that arrive are live; those that stop are not, soon after the next one was due', () => {
  const { clock, arrivals, receive } = setUp();
  receive(50, 40);
  assert.equal(arrivals.absence, undefined);
  clock.advance(2900);
  assert.equal(arrivals.absence, undefined);
  clock.advance(200);
  assert.equal(arrivals.absence, 'silent');
  arrivals.note();
  assert.equal(arrivals.absence, undefined);
});

test('key frames of a long GOP are waited for as long as they usually take, and no longer than half a minute', () => {
  const { clock, arrivals, receive } = setUp();
  receive(3, 10_000);
  clock.advance(11_000);
  assert.equal(arrivals.absence, undefined);
  clock.advance(15_000);
  assert.equal(arrivals.absence, 'silent');
  receive(3, 60_000);
  clock.advance(29_000);
  assert.equal(arrivals.absence, undefined);
  clock.advance(2000);
  assert.equal(arrivals.absence, 'silent');
});

test('a report of the link takes effect immediately, and until frames arrive', () => {
  const { clock, arrivals, receive } = setUp();
  receive(50, 40);
  arrivals.stop('network');
  assert.equal(arrivals.absence, 'network');
  clock.advance(60_000);
  assert.equal(arrivals.absence, 'network');
  arrivals.resume();
  assert.equal(arrivals.absence, undefined);
  clock.advance(5900);
  assert.equal(arrivals.absence, undefined);
  clock.advance(200);
  assert.equal(arrivals.absence, 'silent');
  arrivals.stop('source');
  assert.equal(arrivals.absence, 'source');
  arrivals.note();
  assert.equal(arrivals.absence, undefined);
});

test('a machine that slept does not take the last frame for a new one', () => {
  const { clock, arrivals, receive } = setUp();
  receive(50, 40);
  clock.sleep(60_000);
  assert.equal(arrivals.absence, 'silent');
});
