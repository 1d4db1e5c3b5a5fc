import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import { managedSettingsOf } from './stream-view.ts';

test('all streams are read, each once and with its tags, however many there are', async (t) => {
  const store = await temporaryStore(t);
  const read = async () => {
    const records: StreamRecord[] = [];
    for await (const record of store.streams.all()) records.push(record);
    return records;
  };
  assert.deepEqual(await read(), []);
  for (let n = 1; n <= 1_000; n++) await store.streams.add(newStream(`s${n}`, { tags: [`t${n}`, 'all'] }));
  const uids = (records: readonly StreamRecord[]) => records.map(({ uid, tags }) => `${uid} ${tags.join()}`);
  const expected = Array.from({ length: 1_001 }, (_, at) => `s${at + 1} t${at + 1},all`);
  assert.deepEqual(uids(await read()), expected.slice(0, 1_000));
  await store.streams.add(newStream('s1001', { tags: ['t1001', 'all'] }));
  assert.deepEqual(uids(await read()), expected);
});

test('[R3.3] what runs a stream opens its addresses when it needs them, and passes all of it on', async (t) => {
  const store = await temporaryStore(t);
  const source = 'rtsp://user:pass@cam/1';
  const subSource = 'rtsp://user:pass@cam/2';
  const record = await store.streams.add(newStream('one', { source, subSource, isPaused: true }));
  let opened = 0;
  const counting = {
    get source() {
      opened++;
      return record.source;
    },
    subSource: null,
  };
  const lazy = managedSettingsOf({ ...record, addresses: counting });
  assert.equal(lazy.isPaused, true);
  assert.equal(opened, 0, 'a paused stream needs none');
  assert.equal(lazy.source, source);
  assert.equal(opened, 1);
  assert.deepEqual(JSON.parse(JSON.stringify(managedSettingsOf(record))), {
    uid: 'one',
    ...{ source, subSource, allowLoopback: false, isPaused: true, isOnDemand: false },
    ...{ isRecorded: true, findsMotion: true, depthHours: -1, farAfterHours: -1 },
  });
});
