import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { holdLimits } from '@vidette/contract/constants';
import { silentLog } from '../../base/log.ts';
import type { SegmentRow, CatalogStreamRow } from '../catalog/catalog.ts';
import { openArchive, recordSpan, temporaryRoot } from '../fixtures/archive-fixture.ts';
import { MemoryStore, remoteOf } from '../fixtures/object-fixture.ts';
import { footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { HeldFootage, type FootageHold } from './retention.ts';
import type { ArchiveOptions } from '../archive.ts';

const footage = footageOf('h264-no-b.mp4');
const hourMs = 3_600_000;

/** Two streams of one minute, in ten-second files, and holds that a test sets. */
async function made(t: TestContext, options: Partial<ArchiveOptions> = {}) {
  const dir = await temporaryRoot(t);
  const { archive, clock } = await openArchive(t, dir, { limits: { segmentMs: 10_000 }, ...options });
  await recordSpan(archive, 'cam1', footage, t0, t0 + 60_000);
  await recordSpan(archive, 'cam2', footage, t0, t0 + 60_000);
  const state = {
    holds: [] as FootageHold[],
    ended: [] as number[],
    failure: undefined as Error | undefined,
  };
  archive.retention.configure({
    holds: {
      active: () => (state.failure ? Promise.reject(state.failure) : Promise.resolve(state.holds)),
      end: (ids) => {
        state.ended.push(...ids);
        state.holds = state.holds.filter(({ id }) => !ids.includes(id));
        return Promise.resolve();
      },
    },
  });
  const hold = (id: number, uid: string, fromMs: number, toMs: number) =>
    state.holds.push({ id, uid, startMs: t0 + fromMs, endMs: t0 + toMs });
  const pass = async () => {
    // The first one may have begun earlier.
    await archive.retention.run();
    await archive.retention.run();
  };
  const left = (uid: string) =>
    archive.reader
      .intervals(uid, t0, t0 + 60_000)
      .filter(({ kind }) => kind === 'fragment')
      .map(({ startMs, endMs }) => [startMs - t0, endMs - t0]);
  return { archive, clock, state, hold, pass, left };
}

test('[R11.5] held footage outlives the depth of its stream, by whole segments, until the hold ends', async (t) => {
  const { archive, clock, state, hold, pass, left } = await made(t);
  archive.retention.configure({ depthOf: () => 1 });
  hold(1, 'cam1', 15_000, 30_000);
  clock.advance(hourMs + 61_000);
  await pass();
  assert.deepEqual(left('cam1'), [[10_000, 30_000]], 'a hold ends before the segment that begins at its end');
  assert.deepEqual(left('cam2'), []);
  assert.deepEqual(archive.retention.status.held.segments, 2);
  state.holds = [];
  await pass();
  assert.deepEqual(left('cam1'), []);
  assert.deepEqual(archive.retention.status.held, { segments: 0, bytes: 0 });
});

test('[R11.5] a held moment keeps the segment that contains it, also at its first frame', async (t) => {
  const { archive, clock, hold, pass, left } = await made(t);
  archive.retention.configure({ depthOf: () => 1 });
  hold(1, 'cam1', 20_000, 20_000);
  hold(2, 'cam2', 29_999, 29_999);
  clock.advance(hourMs + 61_000);
  await pass();
  assert.deepEqual(left('cam1'), [[20_000, 30_000]]);
  assert.deepEqual(left('cam2'), [[20_000, 30_000]]);
});

test('[R11.5] the last known holds stay in effect while they can’t be read, and nothing is deleted before the first answer', async (t) => {
  const { archive, clock, state, hold, pass, left } = await made(t);
  archive.retention.configure({ depthOf: () => 1 });
  clock.advance(hourMs + 61_000);
  state.failure = new Error('no database');
  await assert.rejects(pass(), /no database/);
  assert.equal(left('cam1').length, 1);
  state.failure = undefined;
  hold(1, 'cam1', 0, 5_000);
  await pass();
  state.failure = new Error('no database');
  await pass();
  assert.deepEqual(left('cam1'), [[0, 10_000]]);
});

test('[R11.5] for quota and free space newer footage is deleted in place of held footage', async (t) => {
  let bytes = () => 0;
  let totalBytes = 1e9;
  const measure = () => Promise.resolve({ totalBytes, availableBytes: totalBytes - bytes() });
  const { archive, hold, pass, left } = await made(t, {
    limits: { segmentMs: 10_000, reserveBytes: 0 },
    measure,
  });
  bytes = () => archive.health.totalBytes;
  const perSegment = archive.health.totalBytes / 12;
  hold(1, 'cam1', 0, 20_000);
  archive.retention.configure({ quotaBytes: Math.round(8.5 * perSegment) });
  await pass();
  assert.deepEqual(left('cam1')[0], [0, 20_000]);
  assert.ok(archive.health.totalBytes <= 8.5 * perSegment);
  totalBytes = Math.round(24 * perSegment);
  archive.retention.configure({ quotaBytes: null, minFreeShare: 1 - 5.5 / 24 });
  await pass();
  assert.deepEqual(left('cam1')[0], [0, 20_000]);
  assert.ok(archive.health.totalBytes <= 5.5 * perSegment);
});

test('[R11.5] in the bucket, too, held footage stays, within a share of the bucket’s quota', async (t) => {
  const store = new MemoryStore();
  const { archive, clock, state, hold, pass, left } = await made(t, {
    ...remoteOf(store),
    limits: { segmentMs: 10_000 },
  });
  archive.objectStorage?.uploader.configure({ remoteAfterOf: () => 0 });
  clock.advance(120_000);
  await archive.objectStorage?.uploader.run();
  await archive.objectStorage?.uploader.run();
  const bytes = archive.health.totalBytes;
  hold(1, 'cam1', 0, 10_000);
  archive.retention.configure({ remoteQuotaBytes: Math.round(bytes / 2), holdShare: 0.5 });
  await pass();
  assert.equal(left('cam1')[0]?.[0], 0);
  assert.ok(archive.health.totalBytes <= bytes / 2);
  archive.retention.configure({ remoteQuotaBytes: Math.round(bytes / 2), holdShare: 0.001 });
  await pass();
  assert.deepEqual(state.ended, [1]);
});

test('[R11.5] beyond its share the oldest holds end, exactly as many as necessary; a share of 0 ends all', async (t) => {
  const { archive, state, hold, pass } = await made(t);
  const total = archive.health.totalBytes;
  hold(1, 'cam2', 0, 5_000);
  hold(2, 'cam1', 0, 5_000);
  hold(3, 'cam1', 8_000, 9_000);
  hold(4, 'elsewhere', 0, 60_000);
  await pass();
  const held = archive.retention.status.held;
  assert.equal(held.segments, 2, 'two holds keep the same segment, one has its footage on another node');
  const share = held.bytes / total;
  archive.retention.configure({ quotaBytes: total, holdShare: share });
  await pass();
  assert.deepEqual(state.ended, [], 'the share is just enough');
  archive.retention.configure({ quotaBytes: total - 1, holdShare: share });
  await pass();
  assert.deepEqual(state.ended, [1]);
  archive.retention.configure({ quotaBytes: null, holdShare: 0 });
  await pass();
  assert.deepEqual(state.ended, [1, 2, 3]);
});

test('[R10.4] the end of many holds costs one search of the catalog for each, wherever their footage is', async () => {
  let reads = 0;
  const held = new HeldFootage(
    {
      stream: (uid) => ({ id: Number(uid) }) as CatalogStreamRow,
      // Odd streams are recorded on another node.
      segments: (id, startTicks) => {
        reads++;
        return id % 2 === 0 ? [{ startTicks, bytes: 10, isRemote: false } as SegmentRow] : [];
      },
    },
    silentLog,
  );
  const holds = Array.from({ length: holdLimits.max }, (_, id) => {
    return { id, uid: String(id % 20), startMs: id * 10_000, endMs: id * 10_000 + 5_000 };
  });
  const ended: number[] = [];
  held.readFrom({
    active: () => Promise.resolve(holds),
    end: (ids) => Promise.resolve(void ended.push(...ids)),
  });
  await held.refresh();
  assert.equal(held.bytes.local, 10_000);
  reads = 0;
  await held.limit({ local: 20, remote: 0 });
  const here = holds.filter(({ id }) => id % 2 === 0).map(({ id }) => id);
  assert.deepEqual(ended, here.slice(0, -2));
  assert.equal(held.bytes.local, 20);
  assert.ok(reads <= 2 * holds.length, `${reads} searches`);
});

test('[R10.4] files of other programs lessen what may be held, so that recording keeps its part', async (t) => {
  let others = 0;
  let footageBytes = () => 0;
  const { archive, state, hold, pass } = await made(t, {
    limits: { segmentMs: 10_000, reserveBytes: 0 },
    measure: () => Promise.resolve({ totalBytes: 1e9, availableBytes: 1e9 - others - footageBytes() }),
  });
  footageBytes = () => archive.health.totalBytes;
  hold(1, 'cam1', 0, 60_000);
  archive.retention.configure({ minFreeShare: 0.1, holdShare: 0.2 });
  await pass();
  assert.deepEqual(state.ended, []);
  others = 9e8 - archive.health.totalBytes;
  await pass();
  assert.deepEqual(state.ended, [1], 'it had half of what is left to footage');
});
