import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodingBudget, type DecodingLook } from './decoding-budget.ts';

/** Samples ten times a second for some seconds; true when the budget was lowered. */
function watch(
  budget: DecodingBudget,
  seconds: number,
  framesPerS: number,
  look: Partial<DecodingLook> = {},
) {
  let wasLowered = false;
  for (let at = 0; at <= seconds * 10; at++) {
    wasLowered ||= budget.look({
      nowMs: at * 100,
      shownFrames: Math.floor((at / 10) * framesPerS),
      rate: 25,
      speed: 8,
      isPlaying: true,
      hasStalled: false,
      ...look,
    });
  }
  return wasLowered;
}

test('[R9.5] a machine that shows almost no frames at a speed plays key frames at that speed and above, not below', () => {
  const budget = new DecodingBudget();
  assert.equal(watch(budget, 5, 2), true);
  assert.equal(budget.isKeyFramesOnly(8), true);
  assert.equal(budget.isKeyFramesOnly(16), true);
  assert.equal(budget.isKeyFramesOnly(4), false);
  budget.reset();
  assert.equal(budget.isKeyFramesOnly(16), false);
});

test('[R9.5] a machine that keeps up plays all frames, even of a camera with a low frame rate', () => {
  assert.equal(watch(new DecodingBudget(), 20, 50), false);
  assert.equal(watch(new DecodingBudget(), 20, 2, { rate: 1, speed: 2 }), false);
});

test('no decision is made at normal speed, while paused, or before two seconds have passed', () => {
  assert.equal(watch(new DecodingBudget(), 20, 0, { speed: 1 }), false);
  assert.equal(watch(new DecodingBudget(), 20, 0, { isPlaying: false }), false);
  assert.equal(watch(new DecodingBudget(), 1.8, 0), false);
});

test('a connection whose buffer runs dry repeatedly is too slow for all frames', () => {
  const budget = new DecodingBudget();
  const looks = [0, 1000, 2000].map((nowMs) =>
    budget.look({ nowMs, shownFrames: nowMs, rate: 25, speed: 4, isPlaying: true, hasStalled: true }),
  );
  assert.deepEqual(looks, [false, false, true]);
});
