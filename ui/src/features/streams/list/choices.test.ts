import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultChoices, loadChoices, saveChoices, type StreamsChoices } from './choices.ts';

function storage(initial?: string) {
  let text = initial ?? null;
  return { getItem: () => text, setItem: (_key: string, value: string) => void (text = value) };
}

test('[R2.26] the settings of the list survive a reload', () => {
  const local = storage();
  const choices: StreamsChoices = {
    view: 'table',
    isGrouped: true,
    onlyAvailable: true,
    sortType: '-createdAt',
    search: 'gate north',
    columns: ['share', 'location'],
  };
  saveChoices(local, choices);
  assert.deepEqual(loadChoices(local), choices);
});

test('[R2.26] any column of the table is an order, in both directions', () => {
  const sortOf = (sortType: string) => loadChoices(storage(JSON.stringify({ sortType }))).sortType;
  for (const sort of ['share', '-share', '-viewers', 'oldest', 'bitrate', '-tags', 'depth']) {
    assert.equal(sortOf(sort), sort);
  }
  assert.equal(sortOf('--share'), 'name');
});

test('invalid stored settings result in the default list', () => {
  for (const text of [undefined, '', '{', 'null', '7', '{"view":"wall","sortType":"size","search":4}']) {
    assert.deepEqual(loadChoices(storage(text)), defaultChoices, text);
  }
});

test('columns that the table does not have are left out, and none is a choice', () => {
  const columnsOf = (columns: unknown) => loadChoices(storage(JSON.stringify({ columns }))).columns;
  assert.deepEqual(columnsOf(['location', 'weight', 'status', 7]), ['status', 'location']);
  assert.deepEqual(columnsOf([]), []);
  assert.deepEqual(columnsOf('status'), defaultChoices.columns);
});
