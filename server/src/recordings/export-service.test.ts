import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import { addPrincipal } from '../access/user-fixture.ts';
import { systemClock } from '../base/clock.ts';
import type { Exports } from '../export/exports.ts';
import { newStream } from '../store/stream-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { ExportService } from './export-service.ts';

const archiveRight = { view: true, archive: true, share: false, edit: false };

const emptyJournal: ConstructorParameters<typeof ExportService>[1] = {
  page: () => Promise.resolve({ items: [], next: null }),
};

/** Two streams, a user who may watch the archive of the first, and an export of it. */
async function scene(t: TestContext, { journal = emptyJournal }: { journal?: typeof emptyJournal } = {}) {
  const store = await temporaryStore(t);
  const gate = await store.streams.add(newStream('gate'));
  await store.streams.add(newStream('yard'));
  const ann = await addPrincipal(store, 'ann');
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  const grant = (has: boolean) =>
    store.permissions.replaceOfStream(gate.id, has ? [{ userId: ann.user.id, rights: archiveRight }] : []);
  await grant(true);
  const id = await store.exports.add({
    userId: ann.user.id,
    name: '',
    streams: [{ uid: 'gate', name: 'Gate' }],
    startMs: 5,
    endMs: 6,
    status: 'ready',
    failure: null,
    expectedBytes: 4,
    packageBytes: 4,
    createdMs: 1,
    expiresMs: null,
    digest: null,
    nodeId: 'main',
  });
  const requested: unknown[] = [];
  const exports = {
    add: (request: unknown) => Promise.resolve(requested.push(request)),
    addDigest: (request: unknown) => Promise.resolve(requested.push(request)),
    package: () =>
      Promise.resolve({
        bytes: 4,
        stream: (start: number, end: number) =>
          Promise.resolve(Readable.from(Buffer.from('abcd').subarray(start, end + 1))),
      }),
  } as unknown as Exports;
  const ends: ((code: ErrorCode) => void)[] = [];
  const liveSessions = {
    addShort({ end }: { end: (code: ErrorCode) => void }) {
      ends.push(end);
      return () => {};
    },
  };
  return {
    service: new ExportService({ store, exports, liveSessions, clock: systemClock }, journal),
    ann,
    admin,
    id,
    requested,
    ends,
    grant,
  };
}

test('an export can be requested by a user who may watch the archive of each of its streams, each named once', async (t) => {
  const { service, ann, requested } = await scene(t);
  const body = { startTime: 1, endTime: 2, name: 'x' };
  const note = newAuditNote();
  await assert.rejects(service.add(ann, { ...body, streams: ['gate', 'yard'] }, note), { code: 'Forbidden' });
  assert.deepEqual([note.target, note.details], ['gate yard', { startTime: 1, endTime: 2 }]);
  assert.deepEqual(requested, []);
  await service.add(ann, { ...body, streams: ['gate', 'gate'] }, note);
  const streams = [{ uid: 'gate', name: 'gate' }];
  assert.deepEqual(requested, [{ userId: ann.user.id, streams, startMs: 1, endMs: 2, name: 'x' }]);
});

test('[R11.4] a digest of a night in which all cameras were dark has those that fit into two minutes', async (t) => {
  const detail = { code: null, reason: null, subject: null, user: null, address: null, figures: {} };
  const items = Array.from({ length: 300 }, (_, index) => ({
    ...{ id: index + 1, kind: 'stream-down' as const, stream: `cam${index}`, streamName: `Camera ${index}` },
    ...{ startTime: 0, endTime: null, isOngoing: true, isReviewed: false, note: '', detail },
  }));
  const journal: typeof emptyJournal = {
    page: (_, { kinds }) =>
      Promise.resolve({ items: kinds.includes('stream-down') ? items : [], next: null }),
  };
  const { service, admin, requested } = await scene(t, { journal });
  const zone = { timeZone: 'Europe/Moscow', language: 'en' as const };
  const body = { streams: [], startTime: 0, endTime: 28_800_000, name: 'Night', ...zone };
  await service.addDigest(admin, body, newAuditNote());
  const [request] = requested as { readonly streams: readonly unknown[] }[];
  assert.equal(request?.streams.length, 80);
});

test('an export is visible only to its owner, not to administrators', async (t) => {
  const { service, admin, id } = await scene(t);
  const note = newAuditNote();
  for (const refused of [
    service.get(admin, id),
    service.retry(admin, id, note),
    service.remove(admin, id, note),
    service.package(admin, id, note),
  ])
    await assert.rejects(refused, { code: 'NotFound' });
});

test('[R4.4] a download requires the right to its footage, and ends when that right ends', async (t) => {
  const { service, ann, id, ends, grant } = await scene(t);
  const note = newAuditNote();
  const found = await service.package(ann, id, note);
  assert.equal(found.name, `export ${id}`);
  assert.deepEqual([note.target, note.details], [String(id), { streams: ['gate'] }]);
  assert.equal((await buffer(await found.stream(1, 2))).toString(), 'bc');
  const cut = await found.stream(0, 3);
  ends.at(-1)?.('Forbidden');
  await assert.rejects(buffer(cut), { code: 'Forbidden' });
  await grant(false);
  await assert.rejects(service.package(ann, id, note), { code: 'Forbidden' });
});
