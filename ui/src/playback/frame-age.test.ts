import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameAge } from './frame-age.ts';
import { TestClock } from './test-clock.ts';

function setUp() {
  const clock = new TestClock();
  return { clock, age: new FrameAge(clock), nowMs: clock.wallMs() };
}

test('a frame becomes old when it has not changed for three seconds, and its age grows by seconds', () => {
  const { clock, age, nowMs } = setUp();
  assert.equal(age.look(undefined, false), undefined);
  assert.equal(age.look(nowMs, true), undefined);
  clock.advance(2900);
  assert.equal(age.look(nowMs, false), undefined);
  clock.advance(11_400);
  const old = age.look(nowMs, false);
  assert.deepEqual(old, { utcMs: nowMs, ageMs: 14_000 });
  clock.advance(500);
  assert.equal(age.look(nowMs, false), old);
  clock.advance(500);
  assert.deepEqual(age.look(nowMs, false), { utcMs: nowMs, ageMs: 15_000 });
  assert.equal(age.look(nowMs + 40, true), undefined);
});

test('the age of a live frame does not depend on the difference between the clocks of server and browser', () => {
  for (const aheadMs of [-3_600_000, 3_600_000]) {
    const { clock, age, nowMs } = setUp();
    age.look(nowMs + aheadMs, false);
    age.look(nowMs + aheadMs, true);
    clock.advance(5000);
    assert.equal(age.look(nowMs + aheadMs, false)?.ageMs, 5000);
  }
});

test('a frame of the archive that is still on screen is as old as its time says', () => {
  const { clock, age, nowMs } = setUp();
  age.look(nowMs - 60_000, false);
  clock.advance(5000);
  assert.equal(age.look(nowMs - 60_000, false)?.ageMs, 65_000);
});

test('the time for which the machine slept counts', () => {
  const { clock, age, nowMs } = setUp();
  age.look(nowMs, true);
  clock.sleep(60_000);
  assert.equal(age.look(nowMs, true)?.ageMs, 60_000);
});
