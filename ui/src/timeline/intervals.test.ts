import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clickAction, intervalAt, intervalsOf, joined, playableAfter, type Range } from './intervals.ts';

const kinds = fc.constantFrom('live', 'gap', 'fragment') as fc.Arbitrary<Range['status']>;
const ranges = fc.array(fc.record({ date: fc.integer({ min: -100, max: 1100 }), status: kinds }), {
  maxLength: 30,
});

test('[R3.10] each range lasts until the next date, and a request is answered completely', () => {
  const found = intervalsOf(
    [
      { date: 50, status: 'fragment' },
      { date: 200, status: 'gap' },
      { date: 300, status: 'fragment' },
      { date: 900, status: 'live' },
    ],
    100,
    1000,
  );
  assert.deepEqual(found, [
    { startMs: 100, endMs: 200, kind: 'fragment' },
    { startMs: 200, endMs: 300, kind: 'gap' },
    { startMs: 300, endMs: 900, kind: 'fragment' },
    { startMs: 900, endMs: 1000, kind: 'live' },
  ]);
});

test('intervals cover the span without overlap, whatever the server answers', () => {
  fc.assert(
    fc.property(ranges, (answer) => {
      const found = intervalsOf(answer, 0, 1000);
      assert.equal(found[0]?.startMs, 0);
      assert.equal(found.at(-1)?.endMs, 1000);
      for (const [index, interval] of found.entries()) {
        assert.ok(interval.endMs > interval.startMs);
        const next = found[index + 1];
        if (next) {
          assert.equal(next.startMs, interval.endMs);
          assert.notEqual(next.kind, interval.kind);
        }
      }
    }),
  );
});

test('a range requested in pieces is joined to the answer of a single request', () => {
  fc.assert(
    fc.property(ranges, fc.integer({ min: 1, max: 999 }), (answer, cut) => {
      const whole = intervalsOf(answer, 0, 1000);
      const pieces = [...intervalsOf(answer, 0, cut), ...intervalsOf(answer, cut, 1000)];
      assert.deepEqual(joined(pieces), whole);
    }),
  );
});

test('the interval of a moment is the one that contains it', () => {
  fc.assert(
    fc.property(ranges, fc.integer({ min: 0, max: 999 }), (answer, ms) => {
      const found = intervalAt(intervalsOf(answer, 0, 1000), ms);
      assert.ok(found && found.startMs <= ms && ms < found.endMs);
    }),
  );
  assert.equal(intervalAt([], 5), undefined);
});

const timeline = intervalsOf(
  [
    { date: 100, status: 'fragment' },
    { date: 200, status: 'gap' },
    { date: 300, status: 'fragment' },
    { date: 400, status: 'gap' },
  ],
  0,
  1000,
);

test('[R4.9] a click on a fragment plays that moment', () => {
  assert.deepEqual(clickAction(timeline, 350, 1000), { type: 'seek', ms: 350 });
});

test('[R4.9] a click on a gap goes to the next fragment', () => {
  assert.deepEqual(clickAction(timeline, 250, 1000), { type: 'seek', ms: 300 });
  assert.deepEqual(clickAction(timeline, 10, 1000), { type: 'seek', ms: 100 });
});

test('[R4.9] a click on a gap at the last position does nothing, nor does one in the future', () => {
  assert.deepEqual(clickAction(timeline, 500, 1000), { type: 'none' });
  assert.deepEqual(clickAction(timeline, 1500, 1000), { type: 'none' });
});

test('[R4.9] a click on live goes live, and so does one on the gap before it', () => {
  const live = intervalsOf(
    [
      { date: 100, status: 'gap' },
      { date: 900, status: 'live' },
    ],
    0,
    1000,
  );
  assert.deepEqual(clickAction(live, 950, 1000), { type: 'live' });
  assert.deepEqual(clickAction(live, 500, 1000), { type: 'live' });
});

test('[R4.9] whatever is clicked, the requested moment can be played', () => {
  fc.assert(
    fc.property(ranges, fc.integer({ min: 0, max: 999 }), (answer, ms) => {
      const intervals = intervalsOf(answer, 0, 1000);
      const action = clickAction(intervals, ms, 1000);
      if (action.type === 'seek') {
        assert.ok(action.ms >= ms);
        assert.equal(intervalAt(intervals, action.ms)?.kind, 'fragment');
      } else if (action.type === 'none') {
        assert.equal(playableAfter(intervals, ms), undefined);
      }
    }),
  );
});
