import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opened } from './opened.ts';

test('resources of an area are closed in reverse order, and a failing closer does not keep others open', async () => {
  const closed: string[] = [];
  const area = await opened(async (closers) => {
    closers.push(() => closed.push('store'));
    closers.push(() => {
      throw new Error('the archive does not close');
    });
    closers.push(() => closed.push('server'));
    return { name: 'all' };
  });
  assert.equal(area.name, 'all');
  await assert.rejects(area.close(), /the archive does not close/);
  assert.deepEqual(closed, ['server', 'store']);
  await assert.rejects(area.close(), /the archive does not close/);
  assert.deepEqual(closed, ['server', 'store'], 'closed twice');
});

test('an area that fails to open closes what it has opened, and its own error is thrown', async () => {
  const closed: string[] = [];
  const open = opened(async (closers) => {
    closers.push(() => closed.push('store'));
    closers.push(() => closed.push('archive'));
    throw new Error('the port is taken');
  });
  await assert.rejects(open, /the port is taken/);
  assert.deepEqual(closed, ['archive', 'store']);
});
