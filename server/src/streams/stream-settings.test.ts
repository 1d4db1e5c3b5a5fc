import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StreamToSave } from '@vidette/contract/calls/streams';
import { openTestStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { merged, settingsShown } from './stream-settings.ts';

test('settings in a call are stored, read and shown; settings left out keep their value or get the default', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-settings-'));
  const store = await openTestStore(folder);
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const shown = (source: string) => `shown ${source}`;
  const added = await store.streams.add(newStream('gate', { source: 'demo:', tags: ['Yard'] }));
  const defaults = {
    name: 'gate',
    streamSource: 'shown demo:',
    subStreamSource: null,
    tags: ['Yard'],
    location: { name: '', latitude: null, longitude: null, timeZone: null },
    meta: { marker: null },
    live: { onDemand: false },
    archive: { isEnable: true, depthHours: -1, farAfterHours: -1 },
    motion: { isEnable: true },
  };
  assert.deepEqual(settingsShown(added, shown), defaults);

  await store.streams.setPaused(added.id, true);
  const body = StreamToSave.parse({
    uid: 'gate',
    location: { latitude: 52.5, timeZone: 'Europe/Berlin' },
    meta: { marker: 'red' },
    archive: { depthHours: 24 },
    motion: { isEnable: false },
  });
  const { name, source, subSource, tags, allowsLoopback } = added;
  const changes = { ...merged(added, body), name, source, subSource, tags, allowsLoopback };
  await store.streams.save(added.id, added.revision, changes);
  const saved = await store.streams.byUid('gate');
  assert.ok(saved);
  assert.deepEqual(settingsShown(saved, shown), {
    ...defaults,
    location: { name: '', latitude: 52.5, longitude: null, timeZone: 'Europe/Berlin' },
    meta: { marker: 'red' },
    archive: { isEnable: true, depthHours: 24, farAfterHours: -1 },
    motion: { isEnable: false },
  });
  assert.equal(saved.isPaused, true, 'a save changes what users set and nothing else');
  assert.deepEqual(merged(saved, { meta: { marker: undefined } }).meta, { marker: 'red' });
});
