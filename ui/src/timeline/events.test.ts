import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventAt, eventMarks, inOrder, neighbourEvent, type TimelineEvent } from './events.ts';
import { TimeScale } from './time-scale.ts';

const T0 = Date.UTC(2026, 10, 21);

function event(startS: number, endS: number): TimelineEvent {
  return { id: startS, kind: 'motion', startMs: T0 + startS * 1000, endMs: T0 + endS * 1000 };
}

test('[R10.7] an event in two answers is one event, and all are in order', () => {
  assert.deepEqual(
    inOrder([event(30, 40), event(10, 12), event(30, 44)]).map(({ startMs, endMs }) => [
      startMs - T0,
      endMs - T0,
    ]),
    [
      [10_000, 12_000],
      [30_000, 44_000],
    ],
  );
});

test('[R10.7] next and previous go from event to event, also while one plays', () => {
  const events = [event(100, 110), event(200, 205), event(300, 301)];
  const to = (fromS: number, direction: 1 | -1) => neighbourEvent(events, T0 + fromS * 1000, direction)?.id;
  assert.equal(to(0, 1), 100);
  assert.equal(to(98, 1), 200);
  assert.equal(to(298, 1), undefined);
  assert.equal(to(400, -1), 300);
  assert.equal(to(299, -1), 200, 'just come to the third');
  assert.equal(to(98, -1), undefined);
  assert.equal(eventAt(events, T0 + 204_000)?.id, 200);
  assert.equal(eventAt(events, T0 + 206_000), undefined);
});

test('[R10.7] marks are wide enough to be seen, apart, inside the lane, and no more than fit', () => {
  const spans = fc.array(fc.tuple(fc.nat(90_000), fc.nat(300)), { maxLength: 500 });
  fc.assert(
    fc.property(spans, fc.integer({ min: 300, max: 4000 }), (pairs, widthPx) => {
      const scale = new TimeScale(T0, 86_400_000, widthPx);
      const marks = eventMarks(inOrder(pairs.map(([start, length]) => event(start, start + length))), scale);
      marks.forEach(({ fromPx, toPx }, index) => {
        assert.ok(fromPx >= 0 && toPx <= widthPx);
        assert.ok(toPx - fromPx >= 2.99 || toPx === widthPx);
        assert.ok(fromPx > (marks[index - 1]?.toPx ?? -1));
      });
      assert.ok(marks.length <= widthPx / 3);
    }),
  );
});

test('[R10.7] in a year with a thousand events, any view shows each of its events, in separate marks', () => {
  const yearMs = 365 * 86_400_000;
  const fromMs = Date.UTC(2026, 0, 1);
  const made = fc.record({
    startMs: fc.integer({ min: fromMs, max: fromMs + yearMs }),
    lengthMs: fc.integer({ min: 0, max: 600_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(made, { minLength: 1000, maxLength: 1000 }),
      fc.integer({ min: fromMs, max: fromMs + yearMs }),
      fc.constantFrom(300_000, 86_400_000, yearMs),
      (times, startMs, spanMs) => {
        const year = inOrder(
          times.map(({ startMs: at, lengthMs }, id) => ({
            id,
            kind: 'motion',
            startMs: at,
            endMs: at + lengthMs,
          })),
        );
        const scale = new TimeScale(startMs, spanMs, 1440);
        const marks = eventMarks(year, scale);
        for (const [index, mark] of marks.entries()) {
          assert.ok(mark.fromPx >= 0 && mark.toPx <= scale.widthPx && mark.toPx > mark.fromPx - 1e-6);
          assert.ok(mark.fromPx > (marks[index - 1]?.toPx ?? -Infinity));
        }
        for (const event of year) {
          if (event.endMs < scale.startMs || event.startMs > scale.endMs) continue;
          const px = Math.max(0, scale.toPx(event.startMs));
          assert.ok(marks.some(({ fromPx, toPx }) => fromPx <= px && px <= toPx + 1e-6));
        }
      },
    ),
    { numRuns: 20 },
  );
});
