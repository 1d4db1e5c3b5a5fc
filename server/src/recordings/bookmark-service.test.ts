import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { addPrincipal } from '../access/user-fixture.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { newStream } from '../store/stream-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { BookmarkService } from './bookmark-service.ts';

const archiveRight = { view: true, archive: true, share: false, edit: false };

/** A stream whose archive two users may watch and a third may not, plus an administrator. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const { id } = await store.streams.add(newStream('gate'));
  const [ann, bob, eve] = [
    await addPrincipal(store, 'ann'),
    await addPrincipal(store, 'bob'),
    await addPrincipal(store, 'eve'),
  ];
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  await store.permissions.replaceOfStream(
    id,
    [ann, bob].map(({ user }) => ({ userId: user.id, rights: archiveRight })),
  );
  const config = { archive: { playlistMaxSeconds: 60, rangesMaxSeconds: 120 } };
  const bookmarks = new BookmarkService({
    config: config as ConstructorParameters<typeof BookmarkService>[0]['config'],
    clock: new ManualClock(),
    store,
    journalWriter: { write: async (prepare) => void (await store.journal.append(prepare)) },
  });
  return { bookmarks, ann, bob, eve, admin };
}

const gate = { stream: 'gate', startTime: 1_000, endTime: 2_000, note: 'A red car' };

test('[R10.6] a bookmark is changed by its author or an administrator, and only administrators are told that one does not exist', async (t) => {
  const { bookmarks, ann, bob, eve, admin } = await scene(t);
  const { id } = await bookmarks.add(ann, gate, newAuditNote());
  const note = newAuditNote();
  await assert.rejects(bookmarks.save(bob, id, { note: 'x' }, note), { code: 'Forbidden' });
  await assert.rejects(bookmarks.remove(bob, id, newAuditNote()), { code: 'Forbidden' });
  await assert.rejects(bookmarks.remove(eve, id, newAuditNote()), { code: 'Forbidden' });
  await assert.rejects(bookmarks.remove(bob, id + 1, newAuditNote()), { code: 'Forbidden' });
  await assert.rejects(bookmarks.remove(admin, id + 1, newAuditNote()), { code: 'NotFound' });
  assert.deepEqual(note.details, {});
  const saved = await bookmarks.save(admin, id, { note: 'A blue car' }, note);
  assert.equal(saved.createdBy, 'ann');
  assert.deepEqual(note.details, { changes: { note: ['A red car', 'A blue car'] } });
  await bookmarks.remove(ann, id, newAuditNote());
  assert.equal((await bookmarks.list(ann, { page: 1, pageSize: 10, searchingValues: [] })).total, 0);
});

test('a mark must end after it starts, even when only one of the two times changes', async (t) => {
  const { bookmarks, ann, admin } = await scene(t);
  const atEnd = (path: string) => ({
    code: 'ValidationError',
    details: { fields: [{ path, code: 'ValidationError' }] },
  });
  const note = newAuditNote();
  await assert.rejects(bookmarks.add(ann, { ...gate, endTime: 999 }, note), atEnd('endTime'));
  // Refused calls are in the audit log, too.
  assert.equal(note.target, 'gate');
  const { id } = await bookmarks.add(ann, gate, note);
  await assert.rejects(bookmarks.save(ann, id, { startTime: 2_001 }, note), atEnd('endTime'));
  await assert.rejects(bookmarks.save(ann, id, { endTime: 999 }, note), atEnd('endTime'));
  const annotation = {
    streamId: 'gate',
    type: 'event',
    kind: 'motion',
    time: 10,
    timeEnd: 9,
    note: '',
  } as const;
  await assert.rejects(bookmarks.addAnnotation(admin, annotation, note), atEnd('timeEnd'));
});

test('annotations can be read by users who may watch the archive, in limited spans, and are added by editors', async (t) => {
  const { bookmarks, ann, eve, admin } = await scene(t);
  const annotation = {
    streamId: 'gate',
    type: 'event',
    kind: 'motion',
    time: 10,
    timeEnd: 20,
    note: '',
  } as const;
  await assert.rejects(bookmarks.addAnnotation(ann, annotation, newAuditNote()), { code: 'Forbidden' });
  const { id } = await bookmarks.addAnnotation(admin, annotation, newAuditNote());
  const span = { streamId: 'gate', from: 0, to: 120_000 };
  assert.deepEqual(
    (await bookmarks.annotations(ann, span)).map((one) => one.id),
    [id],
  );
  await assert.rejects(bookmarks.annotations(eve, span), { code: 'Forbidden' });
  await assert.rejects(bookmarks.annotations(ann, { ...span, to: 120_001 }), { code: 'TimeRangeIsTooLong' });
  await assert.rejects(bookmarks.annotations(ann, { ...span, from: 120_001 }), { code: 'ValidationError' });
});
