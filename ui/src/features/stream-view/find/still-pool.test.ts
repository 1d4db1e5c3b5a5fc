import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StillSource } from '../../../playback/key-frame-stills.ts';
import { StillPool } from './still-pool.ts';

function sourceOf(disposed: string[], name: string): StillSource {
  return { at: () => Promise.resolve(undefined), dispose: () => disposed.push(name) };
}

test('each source works for one at a time, and those who wait have their turn in order', async () => {
  const pool = new StillPool([sourceOf([], 'a'), sourceOf([], 'b')]);
  const begun: number[] = [];
  const busy = new Set<StillSource>();
  const ends: (() => void)[] = [];
  const work = (id: number) =>
    pool.use(async (stills) => {
      assert.ok(!busy.has(stills), 'two on one source');
      busy.add(stills);
      begun.push(id);
      await new Promise<void>((end) => ends.push(end));
      busy.delete(stills);
      if (id === 1) throw new Error('not decoded');
      return id;
    });
  const all = Promise.allSettled([1, 2, 3, 4, 5].map(work));
  for (let ended = 0; ended < 5; ended++) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(begun, [1, 2, 3, 4, 5].slice(0, Math.min(5, ended + 2)));
    ends.shift()?.();
  }
  assert.deepEqual(
    (await all).map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
    ['failed', 2, 3, 4, 5],
  );
});

test('all sources are disposed of', () => {
  const disposed: string[] = [];
  new StillPool([sourceOf(disposed, 'a'), sourceOf(disposed, 'b')]).dispose();
  assert.deepEqual(disposed, ['a', 'b']);
});
