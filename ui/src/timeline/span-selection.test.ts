import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanSelection } from './span-selection.ts';
import { TimeScale } from './time-scale.ts';

const startMs = Date.UTC(2026, 10, 21, 10);
const minuteMs = 60_000;
// One pixel is one second.
const scale = new TimeScale(startMs, 1_000_000, 1000);
const laterMs = startMs + 3_600_000;

test('a dragged end snaps to whole seconds, even past the other end', () => {
  const selection = new SpanSelection();
  assert.equal(selection.press(60, scale, 9), false);
  selection.set({ startMs: startMs + minuteMs, endMs: startMs + 2 * minuteMs });
  assert.equal(selection.press(90, scale, 9), false);
  assert.equal(selection.press(65, scale, 9), true);
  selection.move(30.7, scale, laterMs);
  assert.deepEqual(selection.span, { startMs: startMs + 30_000, endMs: startMs + 2 * minuteMs });
  selection.move(200, scale, laterMs);
  assert.deepEqual(selection.span, { startMs: startMs + 2 * minuteMs, endMs: startMs + 200_000 });
  selection.release();
  selection.move(300, scale, laterMs);
  assert.equal(selection.span?.endMs, startMs + 200_000);
});

test('a dragged end can’t be in the future', () => {
  const selection = new SpanSelection();
  selection.set({ startMs: startMs + minuteMs, endMs: startMs + 2 * minuteMs });
  assert.ok(selection.press(120, scale, 9));
  selection.move(900, scale, startMs + 150_500);
  assert.equal(selection.span?.endMs, startMs + 150_000);
});
