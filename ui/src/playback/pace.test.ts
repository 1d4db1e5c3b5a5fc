import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Pace } from './pace.ts';

const NOW_S = 1_795_000_000;

function started(): Pace {
  const pace = new Pace();
  pace.decide({ spans: [{ start: 0, end: 0.3 }], currentTime: 0, hasStalled: false, elapsedS: 0.1 });
  return pace;
}

test('the first frame of a long GOP is followed by a jump to the newest one', () => {
  const decision = new Pace().decide({
    spans: [{ start: NOW_S - 8, end: NOW_S }],
    currentTime: NOW_S - 8,
    hasStalled: false,
    elapsedS: 0.1,
  });
  assert.ok(decision.jumpTo !== undefined && NOW_S - decision.jumpTo < 0.5);
});

test('a small delay is caught up by playing slightly faster; otherwise the speed is normal', () => {
  const decide = (behindS: number) =>
    started().decide({
      spans: [{ start: NOW_S - 20, end: NOW_S }],
      currentTime: NOW_S - behindS,
      hasStalled: false,
      elapsedS: 0.1,
    });
  assert.deepEqual(decide(0.35), { rate: 1 });
  assert.ok(decide(1).rate > 1.03);
  assert.equal(decide(3).rate, 1.1);
  assert.equal(decide(3).jumpTo, undefined);
  assert.equal(decide(0.15).rate, 0.97);
  assert.equal(decide(0.05).rate, 0.9);
  assert.ok((decide(9).jumpTo ?? 0) > NOW_S - 0.5);
});

test('a stall raises the buffer target, quiet minutes lower it again', () => {
  const pace = started();
  const input = { spans: [{ start: 0, end: 10 }], currentTime: 9.5, elapsedS: 0.1 };
  for (let stall = 0; stall < 30; stall++) pace.decide({ ...input, hasStalled: true });
  assert.equal(pace.targetS, 2);
  for (let second = 0; second < 3000; second++) pace.decide({ ...input, hasStalled: false });
  assert.ok(pace.targetS < 0.31);
});

test('a playhead whose data is gone or isolated jumps to the newest range', () => {
  const spans = [
    { start: NOW_S - 60, end: NOW_S - 50 },
    { start: NOW_S - 5, end: NOW_S },
  ];
  for (const currentTime of [NOW_S - 70, NOW_S - 50.02, NOW_S - 30]) {
    const { jumpTo } = started().decide({ spans, currentTime, hasStalled: true, elapsedS: 0.1 });
    assert.ok(jumpTo !== undefined && jumpTo >= NOW_S - 5, String(currentTime - NOW_S));
  }
});

test('live playback approaches the camera from any start and stays there, with frames every 40 ms and jitter', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.5, max: 12, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 0.15, noNaN: true }), { minLength: 5, maxLength: 5 }),
      (gopS, jitter) => {
        const pace = new Pace();
        let end = 100 + gopS;
        let at = 100;
        let rate = 1;
        let hasStalled = false;
        for (let tick = 0; tick < 600; tick++) {
          const target = 100 + gopS + tick * 0.1 - (jitter[tick % 5] ?? 0);
          end = Math.max(end, target);
          const before = at;
          at = Math.min(end, at + 0.1 * rate);
          hasStalled = at - before < 0.099 * rate;
          const decision = pace.decide({
            spans: [{ start: 100, end }],
            currentTime: at,
            hasStalled,
            elapsedS: 0.1,
          });
          rate = decision.rate;
          if (decision.jumpTo !== undefined) at = decision.jumpTo;
          assert.ok(rate >= 0.9 && rate <= 1.1);
        }
        assert.ok(end - at < pace.targetS + 0.3, `${end - at} s behind`);
      },
    ),
    { numRuns: 50 },
  );
});
