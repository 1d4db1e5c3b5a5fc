import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { placesIn } from './word-list.mjs';

/** The matches in a file, as `line word`. */
const found = (path: string, text: string) => placesIn(path, text).map(({ line, word }) => `${line} ${word}`);

test('old-style words are found in any text, regardless of case, even across a line break', () => {
  assert.deepEqual(found('a.md', 'Nobody waits.\nIt starts anew, at\nonce.'), [
    '1 nobody',
    '2 anew',
    '2 at once',
  ]);
  assert.deepEqual(found('a.ts', '// It stops at\n// once.\nf("whoever asks");'), ['1 at once', '3 whoever']);
});

test('parts of other words are not found', () => {
  assert.deepEqual(found('a.ts', 'const atOnce = renewed(somebodyElse, manewer);'), []);
  assert.deepEqual(found('a.md', 'It looks at oncebound things.'), []);
});

test('a phrase alone in quotes or backticks is a value or a quotation', () => {
  assert.deepEqual(found('a.ts', "whom === 'nobody' || whom === 'nobody here'"), ['1 nobody']);
  assert.deepEqual(found('a.md', 'The value `nobody`, not `nobody\u00b4.'), ['1 nobody']);
});

test('private names are found in documents, comments and identifiers', () => {
  assert.deepEqual(found('a.md', 'The `Doorkeeper` checks it.'), ['1 Doorkeeper']);
  assert.deepEqual(found('a.ts', '// See WriteGate.\nclass DiskRoom {}\nnew MyDiskRoom();'), [
    '1 WriteGate',
    '2 DiskRoom',
  ]);
});

test('private names that are English words are found only as identifiers', () => {
  assert.deepEqual(found('a.md', 'Footage is kept. Removal takes time.'), []);
  assert.deepEqual(
    found('a.tsx', "// Footage.\nconst text = 'Footage';\nlet one: Footage;\nconst at = <Desk />;"),
    ['3 Footage', '4 Desk'],
  );
});

test('each match names the replacement', () => {
  assert.deepEqual(placesIn('a.md', 'at  once'), [
    { line: 1, word: 'at once', better: 'immediately, or simultaneously' },
  ]);
});
