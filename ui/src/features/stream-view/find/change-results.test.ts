import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeLine } from '@vidette/contract/archive-changes';
import { noResults, withLine } from './change-results.ts';
import { linesOf } from './change-search.ts';

const step = (startTime: number, endTime: number, change: number): ChangeLine => ({
  type: 'step',
  startTime,
  endTime,
  change,
});

test('the curve has one step for each time, and finer ones replace the one that they divide', () => {
  const lines = [
    step(0, 10, 1),
    step(10, 20, 9),
    step(20, 30, 2),
    step(10, 14, 0),
    step(14, 16, 8),
    step(16, 20, 0),
  ];
  const { steps } = lines.reduce(withLine, noResults);
  assert.deepEqual(
    steps.map(({ startTime, endTime, change }) => [startTime, endTime, change]),
    [
      [0, 10, 1],
      [10, 14, 0],
      [14, 16, 8],
      [16, 20, 0],
      [20, 30, 2],
    ],
  );
});

test('a line of a newer server changes nothing', () => {
  assert.equal(withLine(noResults, { type: 'weather' } as unknown as ChangeLine), noResults);
});

test('lines are read whole, however the network cuts them', async () => {
  const text = Buffer.from(
    '{"type":"progress","frames":1,"expected":2}\n{"type":"failed","code":"Forbidden"}\n',
  );
  for (const size of [1, 7, 50, 1000]) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      Uint8Array.from(text.subarray(index * size, (index + 1) * size)),
    );
    const found = [];
    for await (const some of linesOf(new Response(new Blob(chunks)).body ?? assert.fail()))
      found.push(...some);
    assert.deepEqual(
      found.map(({ type }) => type),
      ['progress', 'failed'],
    );
  }
});
