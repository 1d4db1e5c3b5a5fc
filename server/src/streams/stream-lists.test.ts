import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { calls } from '@vidette/contract/calls';
import { addPrincipal } from '../access/user-fixture.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { StateChanges } from '../engine/state-changes.ts';
import type { ManagedStream } from '../engine/managed-stream.ts';
import type { ManagedStreamState } from '../engine/state.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { StreamLists } from './stream-lists.ts';

const viewRight = { view: true, archive: false, share: false, edit: false };
const running: ManagedStreamState = { status: 'running', failureReason: null, code: null };
const failed: ManagedStreamState = {
  status: 'failed',
  failureReason: 'The camera refused the connection.',
  code: 'STREAM_SOURCE_ERR',
};

/** Streams `gate` and `yard`; `ann` may view the first. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const gate = await store.streams.add(newStream('gate', { tags: ['Door'], shareKey: 'k', nodeId: 'away' }));
  await store.streams.add(newStream('yard', { tags: ['door', 'far'] }));
  const ann = await addPrincipal(store, 'ann');
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  await store.permissions.replaceOfStream(gate.id, [{ userId: ann.user.id, rights: viewRight }]);
  const states = new Map([
    ['gate', running],
    ['yard', failed],
  ]);
  const changes = new StateChanges();
  const managed = (uid: string) =>
    ({ settings: { uid }, state: states.get(uid) }) as unknown as ManagedStream;
  const waiting = new Map<string, string>();
  const streamService = { listRevision: 0 };
  const newLists = () =>
    new StreamLists({
      clock,
      store,
      streamManager: {
        find: (uid) => (states.has(uid) ? managed(uid) : undefined),
        state: (uid) => states.get(uid) ?? assert.fail(uid),
        streams: () => [...states.keys()].map(managed).values(),
        changes,
      },
      statuses: {
        async settle() {
          for (const [uid, status] of waiting)
            await store.streams.saveStatuses(new Map([[uid, { status, code: null, reason: null }]]));
        },
      },
      membership: { isAvailable: (node) => node !== 'away', hasNode: (uid) => uid !== 'gate' },
      streamService,
      sortFigures: { of: async (sort) => new Map(sort === 'viewers' ? [['yard', 3]] : [['gate', 0.5]]) },
    });
  const change = (uid: string, state: ManagedStreamState) => {
    states.set(uid, state);
    changes.add(uid);
  };
  return { clock, ann, admin, lists: newLists(), newLists, change, waiting, changes, streamService };
}

const pageQuery = (query: Record<string, unknown> = {}) => calls.listStreams.query.parse(query);
const statusQuery = (query: Record<string, unknown> = {}) => calls.listStreamStatuses.query.parse(query);
const uidsOf = ({ items }: { items: readonly { uid: string }[] }) => items.map(({ uid }) => uid);

test('[R7.1] a list shows only streams that the reader may view, without secrets and rights that they lack', async (t) => {
  const { lists, ann, admin } = await scene(t);
  const { items, total, groups } = await lists.page(ann, pageQuery(), 'en');
  assert.deepEqual([uidsOf({ items }), total, groups], [['gate'], 1, []]);
  const [shown] = items;
  assert.deepEqual(
    [shown?.streamSource, shown?.isPublic, shown?.canEdit, shown?.status, shown?.node],
    ['rtsp://cam', null, false, 'running', { id: 'away', available: false }],
  );
  const all = await lists.page(admin, pageQuery({ sortType: '-name' }), 'en');
  assert.deepEqual(uidsOf(all), ['yard', 'gate']);
  assert.equal(all.items[1]?.streamSource, 'rtsp://user:pass@cam/gate');
  assert.deepEqual((await lists.tags(ann)).items, [{ name: 'Door', total: 1 }]);
  assert.deepEqual((await lists.tags(admin)).items, [
    { name: 'Door', total: 2 },
    { name: 'far', total: 1 },
  ]);
});

test('a list that is filtered or sorted by status waits for statuses that are not stored yet', async (t) => {
  const { lists, admin, waiting } = await scene(t);
  waiting.set('gate', 'failed');
  const available = async (query: object) => uidsOf(await lists.page(admin, pageQuery({ ...query }), 'en'));
  assert.deepEqual(await available({}), ['gate', 'yard']);
  assert.deepEqual(await available({ onlyAvailable: true }), ['yard']);
  waiting.set('gate', 'running').set('yard', 'failed');
  assert.deepEqual(await available({ isOnlyAvailable: true }), ['gate']);
  waiting.set('gate', 'paused');
  assert.deepEqual(await available({ sortType: '-status' }), ['gate', 'yard']);
});

test('a list is sorted by figures; a stream without one, or whose archive the reader may not see, is last', async (t) => {
  const { lists, ann, admin } = await scene(t);
  const sorted = async (sortType: string, reader = admin) =>
    uidsOf(await lists.page(reader, pageQuery({ sortType }), 'en'));
  assert.deepEqual(await sorted('viewers'), ['yard', 'gate']);
  assert.deepEqual(await sorted('-viewers'), ['yard', 'gate']);
  assert.deepEqual(await sorted('-share'), ['gate', 'yard']);
  assert.deepEqual(await sorted('share', ann), ['gate']);
});

test('[R4.1] a poll returns the changes since its revision, only of streams that the reader may view', async (t) => {
  const { lists, ann, admin, change } = await scene(t);
  const first = await lists.statuses(ann, statusQuery(), 'en');
  assert.deepEqual([uidsOf(first), first.listChanged], [['gate'], true]);
  assert.deepEqual(first.items[0], {
    uid: 'gate',
    status: 'running',
    failureReason: null,
    nodeAvailable: false,
  });
  const since = first.revision;
  assert.deepEqual(await lists.statuses(ann, statusQuery({ since }), 'en'), {
    items: [],
    revision: since,
    listChanged: false,
  });
  change('yard', running);
  const hidden = await lists.statuses(ann, statusQuery({ since }), 'en');
  assert.deepEqual([hidden.items, hidden.revision > since, hidden.listChanged], [[], true, false]);
  assert.deepEqual(uidsOf(await lists.statuses(admin, statusQuery({ since }), 'en')), ['yard']);
  change('gate', failed);
  const poll = statusQuery({ since, onlyAvailable: true });
  assert.deepEqual(uidsOf(await lists.statuses(admin, poll, 'en')), ['yard']);
});

test('a revision of an earlier run, or one that is too old, returns all streams and a new list', async (t) => {
  const { lists, newLists, clock, admin, changes, change } = await scene(t);
  change('gate', failed);
  const { revision } = await lists.statuses(admin, statusQuery(), 'en');
  clock.advance(1_000);
  const restarted = newLists();
  const all = await restarted.statuses(admin, statusQuery({ since: revision }), 'en');
  assert.deepEqual([uidsOf(all), all.listChanged], [['gate', 'yard'], true]);
  for (let turn = 0; turn < 9_000; turn++) changes.add('gate');
  const late = await lists.statuses(admin, statusQuery({ since: revision }), 'en');
  assert.deepEqual([uidsOf(late), late.listChanged], [['gate', 'yard'], true]);
});

test('a list is outdated for readers who read it before the last change of streams or rights; reasons are in the reader’s language', async (t) => {
  const { lists, admin, change, changes, streamService } = await scene(t);
  const { revision: since } = await lists.statuses(admin, statusQuery(), 'en');
  change('gate', failed);
  streamService.listRevision = changes.revision;
  const changed = await lists.statuses(admin, statusQuery({ since }), 'ru');
  assert.equal(changed.listChanged, true);
  assert.match(changed.items[0]?.failureReason ?? '', /[а-я]/i);
  change('gate', running);
  const next = await lists.statuses(admin, statusQuery({ since: changed.revision }), 'ru');
  assert.deepEqual([uidsOf(next), next.listChanged], [['gate'], false]);
});
