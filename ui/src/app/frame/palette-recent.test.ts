import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchResult } from './search-api.ts';
import { addRecent, loadRecent } from './palette-recent.ts';

function storage(): Pick<Storage, 'getItem' | 'setItem'> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
  };
}

const stream = (id: string): SearchResult => ({ kind: 'stream', id, name: `Stream ${id}`, note: '' });

test('the item opened last comes first, each item once, the oldest are dropped', () => {
  const own = storage();
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'b']) addRecent(own, 'anna', stream(id));
  assert.deepEqual(
    loadRecent(own, 'anna').map(({ id }) => id),
    ['b', 'g', 'f', 'e', 'd', 'c'],
  );
  assert.deepEqual(loadRecent(own, 'boris'), []);
});

test('entries that can’t be parsed are dropped', () => {
  const own = storage();
  for (const text of ['{', '5', '[{"kind":"door","id":"a","name":"b","note":""},{"kind":"user"},null]']) {
    own.setItem('vidette.recent.anna', text);
    assert.deepEqual(loadRecent(own, 'anna'), [], text);
  }
});
