import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { mayRunAgain, verdictOf } from './verdict.mjs';

const good = { passed: 3, failed: 0, skipped: 0, failures: [] };
const bad = { passed: 2, failed: 1, skipped: 0, failures: ['FAIL'] };

/** Files that passed on their second run. */
const unsteady = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `e2e/file-${index}.test.ts`,
    first: bad,
    second: good,
  }));

test('only whole-product files are run again', () => {
  assert.equal(mayRunAgain('e2e/wall.test.ts'), true);
  assert.equal(mayRunAgain('e2e/api/rights.test.ts'), true);
  for (const module of ['server/src/live', 'ui/src/playback', 'contract/src', 'media/src/fmp4', 'tools'])
    assert.equal(mayRunAgain(`${module}/some.test.ts`), false, module);
});

test('a steady run ends with its figures alone', () => {
  const verdict = verdictOf([{ path: 'media/src/a.test.ts', first: good }]);
  assert.deepEqual(verdict.lines, ['3 passed, 0 failed']);
  assert.equal(verdict.isGood, true);
});

test('skipped tests are counted only if there are any', () => {
  const [line] = verdictOf([{ path: 'media/src/a.test.ts', first: { ...good, skipped: 2 } }]).lines;
  assert.equal(line, '3 passed, 0 failed, 2 skipped');
});

test('a file that passes on its second run is counted and named before the last line', () => {
  const verdict = verdictOf([{ path: 'media/src/a.test.ts', first: good }, ...unsteady(2)]);
  assert.deepEqual(verdict.lines, [
    'UNSTEADY: 2 (e2e/file-0.test.ts, e2e/file-1.test.ts)',
    '9 passed, 0 failed',
  ]);
  assert.equal(verdict.isGood, true);
});

test('more than four unsteady files fail the run, although no test failed', () => {
  const verdict = verdictOf(unsteady(5));
  assert.match(verdict.lines[0] ?? '', /^UNSTEADY: 5 \(.*\): too many/);
  assert.equal(verdict.lines.at(-1), '15 passed, 0 failed');
  assert.equal(verdict.isGood, false);
});

test('a file that fails twice counts with its second run and is not unsteady', () => {
  const verdict = verdictOf([{ path: 'e2e/a.test.ts', first: { ...bad, failed: 2 }, second: bad }]);
  assert.deepEqual(verdict.lines, ['2 passed, 1 failed']);
  assert.deepEqual(verdict.unsteady, []);
  assert.equal(verdict.isGood, false);
});

test('a unit test that fails fails the run', () => {
  const verdict = verdictOf([{ path: 'server/src/a.test.ts', first: bad }]);
  assert.equal(verdict.isGood, false);
  assert.deepEqual(verdict.lines, ['2 passed, 1 failed']);
});
