import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { calls } from '@vidette/contract/calls';
import { addPrincipal } from '../access/user-fixture.ts';
import { Fault } from '../base/fault.ts';
import type { Principal } from '../access/principal.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { ConfigFile } from '../config/schema.ts';
import { StateChanges } from '../engine/state-changes.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { StreamEditing } from './stream-editing.ts';
import { StreamService, type StreamServiceOptions } from './stream-service.ts';
import { runningStream } from './viewing-fixture.ts';

const viewRight = { view: true, archive: false, share: false, edit: false };

/** The stream `gate`, which `ann` created and `bob` may view, with the service that changes it. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const ann = await addPrincipal(store, 'ann', { maxStreamCreation: 2 });
  const bob = await addPrincipal(store, 'bob');
  const { id } = await store.streams.add(newStream('gate', { createdBy: ann.user.id }));
  await store.permissions.replaceOfStream(id, [{ userId: bob.user.id, rights: viewRight }]);
  const gate = runningStream('gate', clock);
  const applied: { uid: string; isPaused: boolean }[] = [];
  const removed: [uid: string, isPurged: boolean][] = [];
  const streamManager = {
    changes: new StateChanges(),
    find: (uid: string) => (uid === 'gate' ? gate : undefined),
    state: (uid: string) => ({
      status: applied.findLast((one) => one.uid === uid)?.isPaused ? 'paused' : 'pending',
      failureReason: null,
      code: null,
    }),
    apply: (settings: { uid: string; isPaused: boolean }) => applied.push(settings),
    remove: async (uid: string, { purge }: { purge: boolean }) => void removed.push([uid, purge]),
  };
  const membership = {
    id: 'main',
    choose: () => 'main',
    noteChange: () => Promise.resolve(),
    isAvailable: () => true,
  };
  const license = { maxStreams: 9 };
  const options = {
    config: ConfigFile.parse({}),
    clock,
    store,
    streamManager,
    statuses: {},
    license: {
      requireStreamAllowance(streams: number) {
        if (streams >= license.maxStreams) throw new Fault('QuotaReached', 'The license covers no more.');
      },
    },
    liveSessions: { reviewStream: () => {} },
    membership,
  } as unknown as StreamServiceOptions;
  const editing = new StreamEditing({ ...options, streamService: new StreamService(options) });
  const seenBy = async (principal: Principal) => {
    const viewer = { userId: principal.user.id, isAdmin: principal.isAdmin };
    return (await store.streamList.find(viewer, 'gate')) ?? assert.fail('not seen');
  };
  return { store, editing, ann, bob, seenBy, gate, applied, removed, license };
}

const toAdd = (body: object) => calls.addStream.body.parse({ name: 'New', streamSource: 'demo:', ...body });
const toSave = (body: object) => calls.saveStream.body.parse(body);

test('[R7.1] a stream is added within the quota of its user and of the license, and recorded in the log', async (t) => {
  const { editing, ann, store, license } = await scene(t);
  license.maxStreams = 1;
  const refused = newAuditNote();
  await assert.rejects(editing.add(ann, toAdd({}), refused), { code: 'QuotaReached' });
  assert.equal(refused.target, null);
  license.maxStreams = 9;
  const note = newAuditNote();
  const uid = await editing.add(ann, toAdd({}), note);
  assert.equal(note.target, uid);
  assert.equal((await store.streams.byUid(uid))?.createdBy, ann.user.id);
  await assert.rejects(editing.add(ann, toAdd({}), note), { code: 'QuotaReached' });
  const guest = await addPrincipal(store, 'guest', { maxStreamCreation: 0 });
  await assert.rejects(editing.add(guest, toAdd({}), note), { code: 'Forbidden' });
  assert.equal(await store.streams.count(), 2);
});

test('a user who may only view a stream sees no credentials; opening it to watch starts an on-demand stream', async (t) => {
  const { editing, ann, bob, seenBy, gate } = await scene(t);
  assert.equal(editing.get(await seenBy(ann), false, 'en').streamSource, 'rtsp://user:pass@cam/gate');
  const shown = editing.get(await seenBy(bob), false, 'en');
  assert.deepEqual([shown.streamSource, shown.canEdit, shown.isPublic], ['rtsp://cam', false, null]);
  assert.equal(gate.demand.isHeld, false);
  editing.get(await seenBy(bob), true, 'en');
  assert.equal(gate.demand.isHeld, true);
});

test('[R7.3] a save changes the given members, and the log contains the changes without secrets', async (t) => {
  const { editing, ann, seenBy } = await scene(t);
  const note = newAuditNote();
  const seen = await seenBy(ann);
  const body = { name: 'Gate', streamSource: 'rtsp://user:other@cam/gate', tags: ['Door', 'door'] };
  const saved = await editing.save(ann, seen, toSave(body), 'en', note);
  assert.deepEqual([saved.name, saved.tags, saved.revision], ['Gate', ['Door'], 2]);
  assert.deepEqual(note.details, {
    changes: { name: ['gate', 'Gate'], tags: [[], ['Door']], streamSource: ['***', '***'] },
  });
  assert.doesNotMatch(JSON.stringify(note), /other|pass/);
});

test('[R7.3] members that no client sets must be sent back unchanged, and a save after another one is refused', async (t) => {
  const { editing, ann, seenBy, store } = await scene(t);
  const seen = await seenBy(ann);
  const view = editing.get(seen, false, 'en');
  const save = (body: object) => editing.save(ann, seen, toSave(body), 'en', newAuditNote());
  await assert.rejects(save({ createdBy: 'bob' }), {
    code: 'ValidationError',
    details: { fields: [{ path: 'createdBy', code: 'ValidationError' }] },
  });
  await assert.rejects(save({ status: 'paused' }), { code: 'ValidationError' });
  assert.equal((await store.streams.byUid('gate'))?.revision, 1);
  // It may have started or failed since it was read.
  await save({ ...view, name: 'Gate', status: 'running', revision: 1 });
  await assert.rejects(save({ name: 'Yard', revision: 1 }), { code: 'ActionNotAcceptable' });
  assert.equal((await store.streams.byUid('gate'))?.name, 'Gate');
});

test('[R7.6] a stream can be paused and resumed by users who may edit it, repeatedly', async (t) => {
  const { editing, ann, bob, store } = await scene(t);
  await assert.rejects(editing.setPaused(bob, 'gate', true), { code: 'Forbidden' });
  await assert.rejects(editing.setPaused(bob, 'missing', true), { code: 'Forbidden' });
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  await assert.rejects(editing.setPaused(admin, 'missing', true), { code: 'NotFound' });
  assert.equal(await editing.setPaused(ann, 'gate', true), 'paused');
  assert.equal(await editing.setPaused(ann, 'gate', true), 'paused');
  assert.equal((await store.streams.byUid('gate'))?.isPaused, true);
  assert.equal(await editing.setPaused(ann, 'gate', false), 'pending');
});

test('[R7.4] a removed stream is logged with its name, and whether its footage was deleted', async (t) => {
  const { editing, ann, seenBy, store, removed } = await scene(t);
  const note = newAuditNote();
  await editing.remove(await seenBy(ann), true, note);
  assert.deepEqual(note.details, { name: 'gate', purge: true });
  assert.deepEqual(removed, [['gate', true]]);
  assert.equal(await store.streams.byUid('gate'), undefined);
});
