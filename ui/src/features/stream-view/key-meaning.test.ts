import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyMeaning } from './key-meaning.ts';

const meaning = (key: string, code: string, shiftKey = false) => keyMeaning({ key, code, shiftKey });

test('[R1.7] keys mean the same on a Russian layout as on a Latin one', () => {
  assert.equal(meaning('л', 'KeyK'), 'k');
  assert.equal(meaning('Л', 'KeyK', true), 'k');
  assert.equal(meaning('х', 'BracketLeft'), '[');
  assert.equal(meaning('Х', 'BracketLeft', true), '{');
  assert.equal(meaning('б', 'Comma'), ',');
});

test('a Latin layout with a different order is used as typed', () => {
  assert.equal(meaning('K', 'KeyV', true), 'k');
  assert.equal(meaning('?', 'Comma', true), '?');
  assert.equal(meaning('ArrowLeft', 'ArrowLeft'), 'ArrowLeft');
});
