import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { addPrincipal } from '../access/user-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { StreamRightsService } from './stream-rights.ts';

const rights = { view: true, archive: false, share: false, edit: true };

async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  const editor = await addPrincipal(store, 'editor');
  const ann = await addPrincipal(store, 'ann');
  const { id } = await store.streams.add(newStream('gate'));
  await store.permissions.replaceOfStream(id, [{ userId: editor.user.id, rights }]);
  const reviewed: string[] = [];
  const noted: string[] = [];
  const service = new StreamRightsService({
    store,
    authenticator: { forget: () => {} },
    liveSessions: { reviewStream: (uid) => void reviewed.push(uid) },
    streamService: { noteRights: (uids) => void noted.push(...uids) },
  });
  const seenBy = async (principal: typeof admin) => {
    const viewer = { userId: principal.user.id, isAdmin: principal.isAdmin };
    const seen = await store.streamList.find(viewer, 'gate');
    assert.ok(seen);
    return seen;
  };
  return { service, admin, editor, ann, seenBy, reviewed, noted };
}

test('an unknown login is an error for administrators, and like any other for an editor', async (t) => {
  const { service, admin, editor, seenBy } = await scene(t);
  const items = ['ann', 'stranger'].map((user) => ({ ...rights, edit: false, user }));
  await assert.rejects(service.saveOfStream(admin, await seenBy(admin), items, newAuditNote()), {
    code: 'NotFound',
    details: { fields: [{ path: 'items.1.user', code: 'NotFound' }] },
  });
  const saved = await service.saveOfStream(editor, await seenBy(editor), items, newAuditNote());
  assert.deepEqual(
    saved.map(({ user, view }) => [user, view]),
    [
      ['ann', true],
      ['stranger', true],
    ],
  );
});

test('an editor can grant only the rights that they have, whether the login exists or not', async (t) => {
  const { service, editor, seenBy, reviewed, noted } = await scene(t);
  for (const user of ['ann', 'stranger']) {
    const items = [{ ...rights, archive: true, user }];
    await assert.rejects(service.saveOfStream(editor, await seenBy(editor), items, newAuditNote()), {
      code: 'Forbidden',
      details: { fields: [{ path: 'items.0.archive', code: 'Forbidden' }] },
    });
  }
  assert.deepEqual([reviewed, noted], [[], []]);
  const note = newAuditNote();
  await service.saveOfStream(editor, await seenBy(editor), [{ ...rights, user: 'ann' }], note);
  assert.deepEqual([reviewed, noted], [['gate'], ['gate']]);
  assert.deepEqual(note.details, { changes: { ann: [null, ['view', 'edit']] } });
});
