import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdLimits } from '@vidette/contract/constants';
import { temporaryStore } from './store-fixture.ts';
import { newStream } from './stream-fixture.ts';

test('[R11.5] two thousand holds of all streams are in effect; the next one ends the oldest of all', async (t) => {
  const store = await temporaryStore(t);
  const hold = {
    ...{ userId: null, ruleName: 'x', entryId: 1, trailSeconds: null },
    ...{ startMs: 0, endMs: 1, untilMs: 9, createdMs: 0 },
  };
  const { perStreamMax, max } = holdLimits;
  for (let at = 0; at < max / perStreamMax; at++) {
    const { id: streamId } = await store.streams.add(newStream(`s${at}`));
    await store.rules.transaction(async (db) => {
      for (let count = 0; count < perStreamMax; count++) await store.holds.add(db, { ...hold, streamId });
    });
  }
  assert.equal((await store.holds.active()).length, max);
  assert.equal(await store.holds.haveEnded(), false);
  const { id: streamId } = await store.streams.add(newStream('further'));
  await store.rules.transaction((db) => store.holds.add(db, { ...hold, streamId }));
  assert.equal((await store.holds.active()).length, max);
  const ended = await store.rules.transaction((db) => store.holds.takeEnded(db));
  assert.deepEqual(
    ended.map(({ uid, endCause }) => [uid, endCause]),
    [['s0', 'number']],
  );
  assert.equal(await store.holds.haveEnded(), false);
});
