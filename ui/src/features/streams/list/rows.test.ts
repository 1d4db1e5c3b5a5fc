import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsFor, layRows, pagesOf, rowsBetween, rowTops } from './rows.ts';

test('a list without groups is laid out in rows of the given number of columns', () => {
  assert.deepEqual(layRows(5, [], 2), [
    { kind: 'streams', first: 0, count: 2 },
    { kind: 'streams', first: 2, count: 2 },
    { kind: 'streams', first: 4, count: 1 },
  ]);
});

test('each group begins on a new row under its heading', () => {
  const inside = { name: 'inside', total: 3 };
  const rest = { name: null, total: 1 };
  assert.deepEqual(layRows(4, [inside, rest], 2), [
    { kind: 'heading', group: inside },
    { kind: 'streams', first: 0, count: 2 },
    { kind: 'streams', first: 2, count: 1 },
    { kind: 'heading', group: rest },
    { kind: 'streams', first: 3, count: 1 },
  ]);
});

test('every stream appears exactly once, in order, however the list is grouped', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 40 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      (totals, columns) => {
        const groups = totals.map((total, index) => ({ name: String(index), total }));
        const total = totals.reduce((sum, one) => sum + one, 0);
        const places = layRows(total, groups, columns).flatMap((row) =>
          row.kind === 'heading' ? [] : Array.from({ length: row.count }, (_, index) => row.first + index),
        );
        assert.deepEqual(
          places,
          Array.from({ length: total }, (_, index) => index),
        );
      },
    ),
  );
});

test('only visible pages are requested', () => {
  const rows = layRows(10_000, [], 4);
  assert.deepEqual(pagesOf(rows.slice(0, 3), 60), [1]);
  assert.deepEqual(pagesOf(rows.slice(14, 16), 60), [1, 2]);
  assert.deepEqual(pagesOf(rows.slice(2400, 2410), 60), [161]);
});

test('the rows between two heights are those that intersect the range', () => {
  const tops = rowTops(layRows(6, [{ name: 'a', total: 6 }], 2), { heading: 40, streams: 100 });
  assert.deepEqual(tops, [0, 40, 140, 240, 340]);
  assert.deepEqual(rowsBetween(tops, -500, 39), { first: 0, end: 1 });
  assert.deepEqual(rowsBetween(tops, 140, 200), { first: 2, end: 3 });
  assert.deepEqual(rowsBetween(tops, 0, 5000), { first: 0, end: 4 });
  assert.deepEqual(rowsBetween([0], 0, 500), { first: 0, end: 0 });
});

test('the number of tiles suits phones as well as walls', () => {
  assert.equal(columnsFor(336, 12), 1);
  assert.equal(columnsFor(1408, 12), 4);
  assert.equal(columnsFor(3808, 12), 7);
  assert.equal(columnsFor(0, 12), 1);
});
