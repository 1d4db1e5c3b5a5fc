import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { limits } from '@vidette/contract/constants';
import { addPrincipal } from '../access/user-fixture.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { newStream } from '../store/stream-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { MosaicService, type MosaicServiceOptions } from './mosaic-service.ts';

const viewRight = { view: true, archive: false, share: false, edit: false };

/** Two streams; ann may view the first, an administrator may view both. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const gate = await store.streams.add(newStream('gate'));
  await store.streams.add(newStream('yard'));
  const ann = await addPrincipal(store, 'ann');
  const bob = await addPrincipal(store, 'bob');
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  await store.permissions.replaceOfStream(gate.id, [{ userId: ann.user.id, rights: viewRight }]);
  const extended: string[] = [];
  const streamManager = {
    find: (uid: string) => ({ demand: { extend: () => extended.push(uid) } }),
    state: () => ({ status: 'running', failureReason: null, code: null }),
  } as unknown as MosaicServiceOptions['streamManager'];
  const mosaics = new MosaicService({
    clock: new ManualClock(),
    store,
    streamManager,
    membership: { isAvailable: () => true },
  });
  return { mosaics, ann, bob, admin, extended };
}

const cell = (x: number, stream: string | null, members = {}) => ({
  page: 0,
  x,
  y: 0,
  width: 1,
  height: 1,
  stream,
  ...members,
});
const mosaicOf = (...cells: ReturnType<typeof cell>[]) => ({
  name: 'Wall',
  layout: { columns: 4, rows: 1, cells },
  isShared: false,
  rotationSeconds: 0,
});
const cellsOf = ({ layout }: { layout: { cells: readonly { stream: string | null }[] } }) =>
  layout.cells.map(({ stream }) => stream);

test('[R6.5] a stream that the author may no longer view appears as an empty cell, and survives the author’s changes', async (t) => {
  const { mosaics, ann, admin, extended } = await scene(t);
  const { id } = await mosaics.add(ann, mosaicOf(cell(0, 'gate'), cell(1, null)), 'en', newAuditNote());
  const layout = mosaicOf(cell(0, 'gate'), cell(1, 'yard')).layout;
  await mosaics.save(admin, id, { layout }, 'en', newAuditNote());
  const shown = await mosaics.get(ann, id, true, 'en');
  assert.deepEqual(cellsOf(shown), ['gate', null]);
  assert.deepEqual(extended, ['gate']);
  assert.deepEqual(
    shown.streams.map(({ uid }) => uid),
    ['gate'],
  );
  const note = newAuditNote();
  await mosaics.save(ann, id, { layout: shown.layout, name: 'Yard' }, 'en', note);
  assert.deepEqual(note.details, { changes: { name: ['Wall', 'Yard'] } });
  assert.deepEqual(cellsOf(await mosaics.get(admin, id, false, 'en')), ['gate', 'yard']);
});

test('[R7.42] a cell must be on the grid, must not overlap another, and must show a stream that its author may view', async (t) => {
  const { mosaics, ann } = await scene(t);
  const refused = async (cells: ReturnType<typeof cell>[], code: string, index?: number) =>
    assert.rejects(mosaics.add(ann, mosaicOf(...cells), 'en', newAuditNote()), {
      code,
      ...(index !== undefined && { details: { fields: [{ path: `layout.cells.${index}`, code }] } }),
    });
  await refused([cell(0, null), cell(4, null)], 'ValidationError', 1);
  await refused([cell(0, null, { width: 2 }), cell(1, null)], 'ValidationError', 1);
  await refused([cell(0, 'gate'), cell(1, 'yard')], 'Forbidden');
  const full = limits.mosaicTilesPerPageMax;
  const layout = {
    columns: full + 1,
    rows: 1,
    cells: Array.from({ length: full + 1 }, (_, x) => cell(x, null)),
  };
  await assert.rejects(mosaics.add(ann, { ...mosaicOf(), layout }, 'en', newAuditNote()), {
    code: 'ValidationError',
    details: { fields: [{ path: `layout.cells.${full}`, code: 'ValidationError' }] },
  });
  await mosaics.add(ann, mosaicOf(cell(0, null), cell(0, null, { page: 1 })), 'en', newAuditNote());
});

test('[R7.43] a mosaic that is not shared is visible only to its author and administrators', async (t) => {
  const { mosaics, ann, bob, admin } = await scene(t);
  const { id } = await mosaics.add(ann, mosaicOf(cell(0, 'gate')), 'en', newAuditNote());
  await assert.rejects(mosaics.get(bob, id, false, 'en'), { code: 'Forbidden' });
  await assert.rejects(mosaics.remove(bob, id + 1, newAuditNote()), { code: 'Forbidden' });
  await assert.rejects(mosaics.remove(admin, id + 1, newAuditNote()), { code: 'NotFound' });
  await mosaics.save(ann, id, { isShared: true }, 'en', newAuditNote());
  assert.deepEqual(cellsOf(await mosaics.get(bob, id, false, 'en')), [null]);
  await assert.rejects(mosaics.save(bob, id, { name: 'x' }, 'en', newAuditNote()), { code: 'Forbidden' });
  const note = newAuditNote();
  await mosaics.save(admin, id, { name: 'Y', layout: mosaicOf(cell(0, 'yard')).layout }, 'en', note);
  const { changes: _, ...streams } = note.details;
  assert.deepEqual([note.targetName, streams], ['Wall', { added: ['yard'], removed: ['gate'] }]);
  await mosaics.remove(admin, id, note);
  assert.equal(note.targetName, 'Y');
});
