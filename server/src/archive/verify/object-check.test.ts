import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import type { Archive } from '../archive.ts';
import { findingsOf, openArchive, recordSpan, temporaryRoot } from '../fixtures/archive-fixture.ts';
import { openCatalogForWriting } from '../catalog/catalog.ts';
import type { ObjectStorageCheck } from './object-check.ts';
import { remoteOf, MemoryStore } from '../fixtures/object-fixture.ts';
import { ObjectReader } from '../object-storage/object-storage.ts';
import { footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { catalogPath, catalogTicks, segmentPath } from '../segments/segments.ts';
import { rebuildCatalog } from './rebuild.ts';

const footage = footageOf('h264-no-b.mp4', 'aac.mp4');
const keyOf = (second: string) => `main/cam1/2026-11-20/22-00-${second}.000.mp4`;

/** Three files of five seconds: two are in the bucket, one is local. Closed. */
async function twoTiers(t: TestContext) {
  const store = new MemoryStore();
  const dir = await temporaryRoot(t);
  const options = { limits: { segmentMs: 5_000 }, ...remoteOf(store) };
  const { archive, clock } = await openArchive(t, dir, options);
  await recordSpan(archive, 'cam1', footage, t0, t0 + 15_000);
  clock.advance(20_000);
  archive.objectStorage?.uploader.configure({ remoteAfterOf: () => 10 / 3600 });
  await archive.objectStorage?.uploader.run();
  await archive.objectStorage?.uploader.run();
  assert.deepEqual(store.keys, [keyOf('00'), keyOf('05')]);
  const before = facts(archive);
  await archive.close();
  const look = (readsAll = false): ObjectStorageCheck => ({ ...options.remote, readsAll });
  const reopen = async () => (await openArchive(t, dir, options)).archive;
  return { store, dir, remote: options.remote, look, reopen, before };
}

function facts(archive: Archive) {
  return [archive.reader.stats('cam1'), archive.reader.intervals('cam1', t0, t0 + 15_000)];
}

async function invariantsOf(dir: string, look: ObjectStorageCheck): Promise<number[]> {
  return (await findingsOf(dir, look)).map(({ invariant }) => invariant);
}

test('`check` with the bucket finds missing, truncated, left-over and changed objects, and nothing if all is consistent', async (t) => {
  const { store, dir, look } = await twoTiers(t);
  assert.deepEqual(await findingsOf(dir, look(true)), []);
  const whole = store.copy();
  const object = whole.objects.get(keyOf('05'));
  assert.ok(object);
  const put = (key: string, bytes: Uint8Array) => store.objects.set(key, { ...object, bytes });

  const flipped = Buffer.from(object.bytes);
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 9) ^ 1, flipped.length - 9);
  put(keyOf('05'), flipped);
  assert.deepEqual(await invariantsOf(dir, look()), []);
  assert.deepEqual(await invariantsOf(dir, look(true)), [14]);
  put(keyOf('05'), object.bytes.subarray(1));
  assert.deepEqual(await invariantsOf(dir, look()), [14]);
  store.objects.delete(keyOf('05'));
  put(keyOf('30'), object.bytes);
  put('main/notes.txt', object.bytes);
  assert.deepEqual(await invariantsOf(dir, look()), [14, 15, 15]);
  store.objects.set('main/vidette-archive.json', { bytes: Buffer.from('{"archiveId":"x"}'), metadata: {} });
  assert.deepEqual(await invariantsOf(dir, look()), [16]);
});

test('a file that reappeared next to its object is found', async (t) => {
  const { store, dir } = await twoTiers(t);
  const object = store.objects.get(keyOf('05'));
  await writeFile(segmentPath(dir, 'cam1', catalogTicks(t0 + 5_000)), object?.bytes ?? '');
  assert.deepEqual(
    (await findingsOf(dir)).map(({ invariant }) => invariant),
    [12],
  );
});

test('`rebuild-index` rebuilds the rows of both tiers, by facts or by headers, and a file takes precedence over its object', async (t) => {
  const { store, dir, remote, look, reopen, before } = await twoTiers(t);
  // One was uploaded with more fragments than fit into the metadata; the file of another still exists.
  const first = store.objects.get(keyOf('00'));
  assert.ok(first);
  const { 'vidette-index-0': index, ...metadata } = first.metadata;
  assert.ok(index);
  store.objects.set(keyOf('00'), { ...first, metadata });
  store.objects.set(keyOf('10'), {
    bytes: await readFile(segmentPath(dir, 'cam1', catalogTicks(t0 + 10_000))),
    metadata: {},
  });
  await rm(catalogPath(dir));
  const report = await rebuildCatalog(dir, catalogPath(dir), remote);
  assert.deepEqual(report.findings, []);
  assert.equal(report.segments, 3);
  assert.deepEqual(await findingsOf(dir, look()), []);
  const archive = await reopen();
  assert.deepEqual(facts(archive), before);
  archive.objectStorage?.uploader.configure({ remoteAfterOf: () => 0 });
});

test('after the loss of a disk `rebuild-index` restores remote footage', async (t) => {
  const { store, dir, remote, look, reopen } = await twoTiers(t);
  for (const path of [dir, catalogPath(dir), `${dir}.alive`])
    await rm(path, { recursive: true, force: true });
  await assert.rejects(rebuildCatalog(dir, catalogPath(dir)), /marker/);
  const report = await rebuildCatalog(dir, catalogPath(dir), remote);
  assert.deepEqual([report.segments, report.findings], [2, []]);
  assert.deepEqual(await findingsOf(dir, look(true)), []);
  const archive = await reopen();
  assert.deepEqual(archive.reader.period('cam1'), { startTime: t0, endTime: t0 + 10_000 });
  assert.equal((await archive.reader.frameAt('cam1', t0 + 7_300)).timeMs, t0 + 7_000);
  assert.equal(store.keys.length, 2);
});

test('a catalog from before object storage is migrated without loss', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  await recordSpan(archive, 'cam1', footage, t0, t0 + 5_000);
  const before = facts(archive);
  await archive.close();
  const database = new DatabaseSync(catalogPath(dir));
  database.exec(`
    DROP TABLE far_sending; DROP TABLE far_removal; DROP INDEX segment_near_by_start; DROP INDEX segment_far_by_start;
    ALTER TABLE segment DROP COLUMN is_far; ALTER TABLE stream DROP COLUMN far_segments;
    ALTER TABLE stream DROP COLUMN far_bytes; ALTER TABLE fragment_index DROP COLUMN sums;
    UPDATE archive SET version = 1;
    CREATE INDEX segment_closed_by_start ON segment (start_ticks) WHERE is_open = 0;
  `);
  const schemaOf = (from: DatabaseSync) =>
    from
      .prepare(`SELECT name FROM sqlite_schema ORDER BY name`)
      .all()
      .map(({ name }) => name);
  await assert.rejects(findingsOf(dir), /start the server once/);
  database.close();
  const { archive: again } = await openArchive(t, dir);
  assert.deepEqual(facts(again), before);
  assert.deepEqual(await findingsOf(dir), []);
  const fresh = await temporaryRoot(t);
  const [upgraded, made] = [
    openCatalogForWriting(catalogPath(dir)),
    openCatalogForWriting(`${fresh}.sqlite`),
  ];
  assert.deepEqual(schemaOf(upgraded), schemaOf(made));
  upgraded.close();
  made.close();
});

test('sequential reads use larger windows, random reads small ones', async () => {
  const object = Buffer.alloc(20_000_000, 7);
  const spans: number[] = [];
  const reader = new ObjectReader(async (offset, length) => {
    spans.push(length);
    return object.subarray(offset, offset + length);
  }, object.length);
  for (let at = 0; at < 8_000_000; at += 100_000)
    assert.equal((await reader.read(at, 100_000)).length, 100_000);
  assert.ok(spans.length <= 8, String(spans));
  assert.equal(Math.max(...spans), 2_097_152);
  spans.length = 0;
  for (const at of [15_000_000, 1_000_000, 12_000_000]) await reader.read(at, 8_192);
  assert.deepEqual(spans, [262_144, 262_144, 262_144]);
  await assert.rejects(reader.read(object.length - 10, 11), { code: 'InternalServerError' });
});
