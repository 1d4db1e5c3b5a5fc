import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { temporaryRoot } from '../fixtures/archive-fixture.ts';
import { openCatalogForReading, openCatalogForWriting } from './catalog-file.ts';
import { CatalogReads } from './catalog-reads.ts';
import { CatalogError, CatalogWriter } from './catalog-writer.ts';
import type { CatalogChange } from './catalog-writes.ts';

const init = new Uint8Array(100);

function segment(uid: string, startTicks: number): CatalogChange {
  const fragments = [{ durationTicks: 90_000, bytes: 500, startsWithKey: true }];
  return { type: 'segment', uid, startTicks, init, fragments };
}

async function openWriter(t: TestContext, clock: ManualClock, groupMs: number) {
  const path = `${await temporaryRoot(t)}.sqlite`;
  openCatalogForWriting(path).close();
  const writer = new CatalogWriter(path, clock, groupMs);
  const database = openCatalogForReading(path);
  t.after(async () => {
    await writer.close();
    database.close();
  });
  return { writer, reads: new CatalogReads(database) };
}

test('once a commit has resolved, its rows are readable and the stream’s totals are updated', async (t) => {
  const { writer, reads } = await openWriter(t, new ManualClock(), 0);
  await writer.commit([segment('cam1', 1000)]);
  await writer.commit([
    {
      type: 'fragments',
      uid: 'cam1',
      segmentStartTicks: 1000,
      fragments: [{ durationTicks: 45_000, bytes: 200, startsWithKey: false }],
    },
  ]);
  const stream = reads.stream('cam1');
  assert.deepEqual([stream?.segments, stream?.bytes, stream?.durationTicks], [1, 800, 135_000]);
  const row = reads.newestSegment(stream?.id ?? 0);
  assert.ok(row);
  assert.deepEqual(reads.fragments(row, init.length), [
    { startTicks: 1000, offset: 100, durationTicks: 90_000, bytes: 500, startsWithKey: true },
    { startTicks: 91_000, offset: 600, durationTicks: 45_000, bytes: 200, startsWithKey: false },
  ]);
});

test('the first commit is immediate, later ones are grouped', async (t) => {
  const clock = new ManualClock();
  const { writer, reads } = await openWriter(t, clock, 100);
  await writer.commit([segment('cam1', 1000)]);
  const grouped = ['cam2', 'cam3', 'cam4'].map((uid) => writer.commit([segment(uid, 1000)]));
  assert.equal(clock.pendingTimers, 1);
  assert.equal(reads.streams().length, 1);
  clock.advance(100);
  await Promise.all(grouped);
  assert.equal(reads.streams().length, 4);
});

test('a bad change fails alone and leaves nothing behind', async (t) => {
  const { writer, reads } = await openWriter(t, new ManualClock(), 0);
  const results = await Promise.allSettled([
    writer.commit([segment('cam1', 1000)]),
    writer.commit([segment('cam2', 1000)]),
    writer.commit([
      segment('cam3', 5000),
      { type: 'fragments', uid: 'cam3', segmentStartTicks: 1, fragments: [] },
    ]),
    writer.commit([segment('cam4', 1000)]),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(reads.stream('cam3'), undefined);
  assert.equal(reads.totals().bytes, 1800);
});

test('if the catalog cannot be opened, pending commits fail and close still completes', async (t) => {
  const writer = new CatalogWriter(`${await temporaryRoot(t)}/no/such/folder.sqlite`, new ManualClock(), 0);
  await assert.rejects(writer.commit([segment('cam1', 1000)]), CatalogError);
  await writer.close();
  await assert.rejects(writer.commit([segment('cam1', 1000)]), CatalogError);
});
