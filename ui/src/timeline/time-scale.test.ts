import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TimeScale } from './time-scale.ts';

const HOUR_MS = 3_600_000;
const nowMs = Date.UTC(2026, 10, 21, 12);

const scales = fc
  .record({
    startMs: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
    spanMs: fc.integer({ min: 200_000, max: 36 * HOUR_MS }),
    widthPx: fc.integer({ min: 200, max: 7680 }),
  })
  .map(({ startMs, spanMs, widthPx }) => new TimeScale(startMs, spanMs, widthPx));

test('[R9.4] opens at 20 hours back to 3 hours ahead', () => {
  const scale = TimeScale.opening(nowMs, 1000);
  assert.equal(scale.startMs, nowMs - 20 * HOUR_MS);
  assert.equal(scale.endMs, nowMs + 3 * HOUR_MS);
});

test('[R9.4] zooms in by 1.5 only while the span is over 5 minutes', () => {
  const over = new TimeScale(nowMs, 5 * 60_000 + 1, 1000);
  assert.equal(over.zoomedIn(nowMs).spanMs, over.spanMs / 1.5);
  const at = new TimeScale(nowMs, 5 * 60_000, 1000);
  assert.equal(at.zoomedIn(nowMs), at);
});

test('[R9.4] zooms out by 1.5 only while the span is under 24 hours', () => {
  const under = new TimeScale(nowMs, 24 * HOUR_MS - 1, 1000);
  assert.equal(under.zoomedOut(nowMs).spanMs, under.spanMs * 1.5);
  const at = new TimeScale(nowMs, 24 * HOUR_MS, 1000);
  assert.equal(at.zoomedOut(nowMs), at);
});

test('[R9.1] archive data is requested again after 3.5 s, or six times the seconds of a pixel', () => {
  assert.equal(new TimeScale(nowMs, 100_000, 1000).refreshMs, 3500);
  assert.equal(new TimeScale(nowMs, 1_000_000, 1000).refreshMs, 6000);
});

test('pixel to time and back', () => {
  fc.assert(
    fc.property(scales, fc.double({ min: -500, max: 8000, noNaN: true }), (scale, px) => {
      assert.ok(Math.abs(scale.toPx(scale.toMs(px)) - px) < 1e-3);
    }),
  );
});

test('[R9.4] the moment under the pointer keeps its pixel through any zoom', () => {
  const zooms = fc.array(fc.constantFrom('in', 'out', 'pinch'), { maxLength: 40 });
  fc.assert(
    fc.property(scales, fc.double({ min: 0, max: 1, noNaN: true }), zooms, (start, share, steps) => {
      const px = share * start.widthPx;
      const ms = start.toMs(px);
      let scale = start;
      for (const step of steps) {
        if (step === 'in') scale = scale.zoomedIn(ms);
        else if (step === 'out') scale = scale.zoomedOut(ms);
        else scale = scale.pinched(1.13, ms);
        assert.ok(scale.spanMs >= 200_000 - 1 && scale.spanMs <= 36 * HOUR_MS + 1);
      }
      assert.ok(Math.abs(scale.toPx(ms) - px) < 1e-2);
    }),
  );
});
