import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSearch, writeSearch } from './search.ts';

test('numbers, booleans and strings keep their types', () => {
  const search = { t: 1_700_000_000_000, kiosk: true, q: 'gate & yard + 2', sort: '-name', from: 0 };
  assert.deepEqual(readSearch(writeSearch(search)), search);
});

test('strings that look like other types remain strings', () => {
  const search = { q: '12', sort: 'true', user: '"quoted"', action: 'null', target: '{}' };
  assert.deepEqual(readSearch(writeSearch(search)), search);
});

test('a manually typed address is parsed as it looks', () => {
  assert.deepEqual(readSearch('?t=2026-05-01T10:00:00Z&page=3&q=north+yard&kiosk=true&broken=%7B'), {
    t: '2026-05-01T10:00:00Z',
    page: 3,
    q: 'north yard',
    kiosk: true,
    broken: '{',
  });
});

test('without values there is no question mark, and undefined is omitted', () => {
  assert.equal(writeSearch({}), '');
  assert.equal(writeSearch({ page: undefined }), '');
});
