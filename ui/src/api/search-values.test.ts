import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from '@vidette/contract/constants';
import { searchValues } from './search-values.ts';

test('[R5.4] each word is searched for separately, phrases in quotes literally', () => {
  assert.deepEqual(searchValues('  gate   2 '), ['gate', '2']);
  assert.deepEqual(searchValues('gate "north yard" gate'), ['gate', 'north yard']);
  assert.deepEqual(searchValues('"open end'), ['open end']);
  assert.deepEqual(searchValues('"" " "'), []);
});

test('any input results in values that the server accepts', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3000 }), (text) => {
      const values = searchValues(text);
      assert.ok(values.length <= limits.searchValuesMax);
      for (const value of values) assert.ok(value !== '' && value.length <= limits.nameMaxLength);
    }),
  );
});
