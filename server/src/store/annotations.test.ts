import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { newStream } from './stream-fixture.ts';
import { Store } from './store.ts';

async function openStore(t: TestContext): Promise<{ store: Store; streamId: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'motion-'));
  const store = await Store.open({ file: join(folder, 'store.sqlite'), redact: (source) => source });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const { id } = await store.streams.add(newStream('cam1'));
  return { store, streamId: id };
}

function motion(uid: string, startMs: number, endMs: number) {
  return { uid, kind: 'motion', startMs, endMs, note: '×2.0' };
}

test('[R10.7] [R7.18] events become annotations, an event reported again gets its later end, a removed stream is skipped', async (t) => {
  const { store, streamId } = await openStore(t);
  await store.annotations.saveEvents([motion('cam1', 1_000, 3_000), motion('gone', 1_000, 3_000)]);
  await store.annotations.saveEvents([motion('cam1', 1_000, 9_000), motion('cam1', 20_000, 22_000)]);
  const kept = await store.annotations.ofStream(streamId, 0, 100_000);
  assert.deepEqual(
    kept.map(({ type, kind, startMs, endMs, note }) => [type, kind, startMs, endMs, note]),
    [
      ['event', 'motion', 1_000, 9_000, '×2.0'],
      ['event', 'motion', 20_000, 22_000, '×2.0'],
    ],
  );
});

test('[R10.4] [R10.7] annotations that ended before a given time are deleted, those of other kinds stay, and removing a stream deletes all of its own', async (t) => {
  const { store, streamId } = await openStore(t);
  await store.annotations.saveEvents([1_000, 5_000, 9_000].map((at) => motion('cam1', at, at + 2_000)));
  await store.annotations.saveEvents([{ ...motion('cam1', 1_000, 2_000), kind: 'gate' }]);
  await store.annotations.removeEndedBefore('motion', new Map([['cam1', 6_000]]));
  const kept = await store.annotations.ofStream(streamId, 0, 100_000);
  assert.deepEqual(
    kept.map(({ kind, startMs }) => `${kind} ${startMs}`),
    ['gate 1000', 'motion 5000', 'motion 9000'],
  );
  await store.streams.remove(streamId);
  assert.deepEqual(await store.annotations.ofStream(streamId, 0, 100_000), []);
});
