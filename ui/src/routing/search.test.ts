import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSearch, writeSearch } from './search.ts';

test('numbers, yes and words come back as what they were', () => {
  const search = { t: 1_700_000_000_000, kiosk: true, q: 'gate & yard + 2', sort: '-name', from: 0 };
  assert.deepEqual(readSearch(writeSearch(search)), search);
});

test('words that look like something else stay words', () => {
  const search = { q: '12', sort: 'true', user: '"quoted"', action: 'null', target: '{}' };
  assert.deepEqual(readSearch(writeSearch(search)), search);
});

test('an address written by hand is read as it looks', () => {
  assert.deepEqual(readSearch('?t=2026-05-01T10:00:00Z&page=3&q=north+yard&kiosk=true&broken=%7B'), {
    t: '2026-05-01T10:00:00Z',
    page: 3,
    q: 'north yard',
    kiosk: true,
    broken: '{',
  });
});

test('nothing to say leaves no question mark, and undefined is nothing', () => {
  assert.equal(writeSearch({}), '');
  assert.equal(writeSearch({ page: undefined }), '');
});
