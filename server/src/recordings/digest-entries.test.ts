import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from '@vidette/contract/digest-plan';
import { addPrincipal } from '../access/user-fixture.ts';
import { JournalService } from '../events/journal-service.ts';
import type { JournalChange } from '../store/journal.ts';
import { newStream } from '../store/stream-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { digestEntries } from './digest-entries.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** From 22:00 to 06:00. */
const fromMs = 40 * dayMs + 22 * hourMs;
const toMs = fromMs + 8 * hourMs;

const down = (uid: string, startMs: number): JournalChange => ({
  ...{ type: 'begin', kind: 'stream-down', uid, startMs },
  detail: { code: 'EHOSTUNREACH' },
});

const gap = (uid: string, startMs: number, endMs: number): JournalChange => ({
  ...{ type: 'put', kind: 'gap', uid, key: `${uid} ${startMs}`, startMs, endMs },
  detail: { code: 'unreachable' },
});

test('[R11.4] a digest says which cameras were dark, however long before it began, to those who may watch the archive', async (t) => {
  const store = await temporaryStore(t);
  for (const uid of ['long-dark', 'dark', 'back', 'late', 'early', 'secret'])
    await store.streams.add(newStream(uid));
  await store.streams.add(newStream('live', { archive: { isEnable: false, depthHours: -1 } }));
  const ann = await addPrincipal(store, 'ann');
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  for (const uid of ['dark', 'back', 'secret', 'live']) {
    const { id = 0 } = (await store.streams.byUid(uid)) ?? {};
    const rights = { view: true, archive: uid !== 'secret', share: false, edit: false };
    await store.permissions.replaceOfStream(id, [{ userId: ann.user.id, rights }]);
  }
  await store.journal.append([
    down('long-dark', fromMs - 35 * dayMs),
    { type: 'begin', kind: 'recording-stopped', uid: 'dark', startMs: fromMs + 3 * hourMs },
    down('dark', fromMs + 4 * hourMs),
    // Recording continues later than the camera is back.
    down('back', fromMs - 3 * hourMs),
    { type: 'end', kind: 'stream-down', uid: 'back', endMs: fromMs + 2 * hourMs },
    gap('late', fromMs - 3 * hourMs, toMs + hourMs),
    gap('early', fromMs - 3 * hourMs, fromMs - 1),
    down('secret', fromMs),
    down('live', fromMs),
    down('early', toMs),
  ]);
  const journal = new JournalService({ store, journalWriter: { settle: () => Promise.resolve() } });
  const seenBy = async (principal: typeof ann, streams: readonly string[] = []) => {
    const entries = await digestEntries(journal, principal, { fromMs, toMs, streams });
    const { parts } = planOf(entries, { fromMs, toMs, nowMs: toMs + dayMs });
    return parts.map(
      (part) => `${part.uid} ${(part.fromMs - fromMs) / hourMs} to ${(part.toMs - fromMs) / hourMs}`,
    );
  };
  assert.deepEqual(await seenBy(admin), [
    'back 0 to 2',
    'late 0 to 8',
    'long-dark 0 to 8',
    'secret 0 to 8',
    'dark 3 to 8',
  ]);
  assert.deepEqual(await seenBy(ann), ['back 0 to 2', 'dark 3 to 8']);
  assert.deepEqual(await seenBy(admin, ['long-dark', 'live']), ['long-dark 0 to 8']);
});
