import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchSections, type GuideSection } from './search.ts';

const section = (page: string, heading: string, text: string): GuideSection => ({
  address: `${page}.html#${heading}`,
  page,
  heading,
  text,
});
const sections = [
  section('Monitor', 'Overload', 'Exports pause while the disk is slow. See archive.folder.'),
  section('Install', 'Update', 'Back up the disk first.'),
  section('Disk sizes', 'Bit rate', 'A camera.'),
  section('Back up', 'Another disk', 'Copy it.'),
];
const found = (query: string) => searchSections(sections, query).map(({ heading }) => heading);

test('headings are found before titles of pages, and these before text, in the order of the guide', () => {
  assert.deepEqual(found('DISK'), ['Another disk', 'Bit rate', 'Overload', 'Update']);
});

test('every word has to be found, as the beginning of a word', () => {
  assert.deepEqual(found('disk back'), ['Another disk', 'Update']);
  assert.deepEqual(found('isk'), []);
  assert.deepEqual(found('folder'), ['Overload']);
  assert.deepEqual(found('archive.fol'), ['Overload']);
});

test('an empty query finds nothing, and characters of patterns are only characters', () => {
  assert.deepEqual(found('  '), []);
  assert.deepEqual(found('.*'), []);
  assert.deepEqual(found('('.repeat(10_000)), []);
});
