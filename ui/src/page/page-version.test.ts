import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageVersion } from './page-version.ts';

test('a page is replaced once the server lacks its file, and not because the server does not answer', async () => {
  const answers = [
    () => Promise.reject(new TypeError('Failed to fetch')),
    () => Promise.resolve(true),
    () => Promise.resolve(false),
  ];
  const version = new PageVersion(() => answers.shift()?.() ?? Promise.reject(new Error('asked again')));
  let told = 0;
  version.subscribe(() => told++);
  assert.equal(await version.check(), false);
  assert.equal(await version.check(), false);
  assert.equal(version.isReplaced(), false);
  assert.equal(await version.check(), true);
  assert.equal(version.isReplaced(), true);
  assert.equal(await version.check(), true);
  assert.equal(told, 1);
});
