import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullChange, markNear } from './changes.ts';

const mark = (endTime: number) => ({ startTime: endTime - 2, endTime, change: 1 });

test('a click near a mark means the nearest one, and none farther away', () => {
  const changes = { steps: [], marks: [mark(1000), mark(1040)] };
  const scale = { msPerPx: 10 };
  assert.equal(markNear(changes, 1015, scale)?.endTime, 1000);
  assert.equal(markNear(changes, 1025, scale)?.endTime, 1040);
  assert.equal(markNear(changes, 1120, scale)?.endTime, 1040);
  assert.equal(markNear(changes, 1121, scale), undefined);
  assert.equal(markNear(undefined, 1000, scale), undefined);
});

test('the largest change fills the height, but noise alone does not', () => {
  assert.equal(fullChange({ steps: [{ ...mark(1), change: 3 }], marks: [] }), 3);
  assert.equal(fullChange({ steps: [{ ...mark(1), change: 0.01 }], marks: [] }), 0.4);
});
