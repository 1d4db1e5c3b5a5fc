import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { Stream } from '../../hub/stream.ts';
import { until } from '../../base/until-fixture.ts';
import { copyAsKilled, findingsOf, openArchive, temporaryRoot } from '../fixtures/archive-fixture.ts';
import { openCatalogForReading, CatalogReads } from '../catalog/catalog.ts';
import { connect, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { MemoryStore } from '../fixtures/object-fixture.ts';
import { ObjectKeys } from '../object-storage/object-storage.ts';
import { adoptObjects } from './object-rebuild.ts';
import { markerBytes } from '../segments/segments.ts';
import { rebuildCatalog } from './rebuild.ts';

const day = '2026-11-20';

/** A closed archive of two streams with gaps, various parameters, video and audio. */
async function someArchive(t: TestContext): Promise<string> {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir, { limits: { segmentMs: 10_000 } });
  for (const [uid, footage] of [
    ['cam1', footageOf('h264-b-pyramid.mp4', 'aac.mp4')],
    ['cam2', footageOf('h265-b-pyramid.mp4')],
    ['cam3', footageOf(undefined, 'opus.mp4')],
  ] as const) {
    const stream = new Stream(uid);
    const recorder = archive.recorders.record(uid, stream);
    connect(stream, footage, t0, t0 + 25_000);
    connect(stream, footageOf('h264-no-b.mp4'), t0 + 40_000, t0 + 55_500);
    await recorder.stop('recording-off');
  }
  await archive.close();
  return dir;
}

/** All of the catalog's data about footage. */
function contentsOf(dir: string): unknown {
  const database = openCatalogForReading(`${dir}.sqlite`);
  try {
    const reads = new CatalogReads(database);
    return reads.streams().map(({ id, uid, segments, bytes, durationTicks }) => ({
      uid,
      totals: { segments, bytes, durationTicks },
      segments: [...reads.eachSegment(id, 0, Number.MAX_SAFE_INTEGER)].map((row) => {
        const init = reads.init(row.initId);
        const { startTicks, endTicks, bytes, isOpen } = row;
        return { startTicks, endTicks, bytes, isOpen, init, fragments: reads.fragments(row, init.length) };
      }),
    }));
  } finally {
    database.close();
  }
}

test('[R10.3] the catalog rebuilt from the files alone equals the original', async (t) => {
  const dir = await someArchive(t);
  const before = contentsOf(dir);
  await rename(`${dir}.sqlite`, `${dir}.lost`);
  assert.deepEqual((await rebuildCatalog(dir)).findings, []);
  assert.deepEqual(contentsOf(dir), before);
  assert.deepEqual(await findingsOf(dir), []);
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, undefined);
});

test('rebuilding keeps the old catalog, skips what is not footage and reports it', async (t) => {
  const dir = await someArchive(t);
  const folder = join(dir, 'cam1', day);
  await writeFile(join(folder, '23-00-00.000.mp4'), 'not a film');
  const report = await rebuildCatalog(dir);
  assert.equal(report.findings.length, 1);
  assert.ok(report.oldCatalog && (await stat(report.oldCatalog)).size > 0);
  const { archive } = await openArchive(t, dir);
  await assert.rejects(rebuildCatalog(dir), /another process/);
  await archive.close();
});

test('check reports each broken invariant by its number and changes nothing', async (t) => {
  const breaks: [number, (dir: string, file: string, sql: (text: string) => void) => Promise<void> | void][] =
    [
      [1, async (_, file) => rm(file)],
      [2, async (_, file) => writeFile(join(dirname(file), '23-00-00.000.mp4'), 'mine')],
      [3, async (_, file) => writeFile(file, 'tail', { flag: 'a' })],
      [4, (_dir, _file, sql) => sql('UPDATE segment SET end_ticks = end_ticks + 90000 * 8')],
      [
        5,
        (_dir, _file, sql) =>
          sql(`UPDATE fragment_index SET entries = CAST(X'0201' || substr(entries, 3) AS BLOB) WHERE id = 1`),
      ],
      [6, (_dir, _file, sql) => sql('UPDATE segment SET start_ticks = start_ticks + 1 WHERE index_id = 1')],
      [7, (_dir, _file, sql) => sql(`UPDATE init SET bytes = zeroblob(length(bytes)) WHERE id = 1`)],
      [8, (_dir, _file, sql) => sql('UPDATE stream SET bytes = bytes + 1')],
      [
        9,
        (_dir, _file, sql) =>
          sql(`INSERT INTO pending_removal SELECT 'cam1', start_ticks FROM segment WHERE index_id = 1`),
      ],
      [10, (dir) => rm(join(dir, 'vidette-archive.json'))],
      [11, async (_dir, file) => overwrite(file, (await readFile(file)).lastIndexOf('moof'), 'garbage')],
    ];
  for (const [invariant, damage] of breaks) {
    const dir = await someArchive(t);
    assert.deepEqual(await findingsOf(dir), []);
    const file = join(dir, 'cam1', day, '22-00-00.000.mp4');
    await damage(dir, file, (text) => {
      const database = new DatabaseSync(`${dir}.sqlite`);
      database.exec(text);
      database.close();
    });
    const before = await readFile(`${dir}.sqlite`);
    const found = (await findingsOf(dir)).map((finding) => finding.invariant);
    assert.ok(found.includes(invariant), `${invariant} among ${found.join()}`);
    assert.deepEqual(await readFile(`${dir}.sqlite`), before);
  }
});

test('[R10.3] check finds overwritten bytes inside frames, by checksum, or by lengths if there is no checksum', async (t) => {
  const dir = await someArchive(t);
  const file = join(dir, 'cam1', day, '22-00-00.000.mp4');
  const bytes = await readFile(file);
  const flip = async (at: number) => {
    await overwrite(file, at, Buffer.from([(bytes[at] ?? 0) ^ 0x10]).toString('latin1'));
    const found = await findingsOf(dir);
    await writeFile(file, bytes);
    return found.map(({ invariant, text }) => `${invariant} ${text.replace(file, '')}`);
  };
  const media = bytes.indexOf('mdat') + 4;
  const second = bytes.indexOf('mdat', media) + 4;
  const inFirst =
    /^17  contains bytes other than were written in fragment 0 \(\d+ bytes, from 2026-11-20T22:00:00\.000Z\)$/;
  for (const at of [media, media + 100, bytes.indexOf('moof', media) - 5]) {
    const found = await flip(at);
    assert.equal(found.length, 1, found.join());
    assert.match(found[0] ?? '', inFirst);
  }
  const [inSecond = '', ...others] = await flip(second + 200);
  assert.match(inSecond, /fragment 1 .*from 2026-11-20T22:00:01\.000Z/);
  assert.deepEqual(others, []);
  assert.deepEqual(await findingsOf(dir), []);

  // Rows of a version without checksums, and rows restored from the files.
  await rebuildCatalog(dir);
  assert.deepEqual(await findingsOf(dir), []);
  assert.deepEqual(await flip(second + 200), []);
  const [inLength = ''] = await flip(second);
  assert.match(inLength, /^17 .*fragment 1 /);
});

test('[R10.3] check and rebuild-index continue past unreadable data, name and count each', async (t) => {
  const dir = await someArchive(t);
  const [first, second, third] = ['22-00-00.000.mp4', '22-00-10.000.mp4', '22-00-20.000.mp4'].map((name) =>
    join(dir, 'cam1', day, name),
  );
  assert.ok(first && second && third);
  const before = await rebuildCatalog(dir);
  // A folder in place of a file (EISDIR), a dangling link (ENOENT), a link loop (ELOOP), a file in place of a
  // folder.
  for (const file of [first, second, third]) await rm(file);
  await mkdir(first);
  await symlink('nowhere', second);
  await symlink('22-00-20.000.mp4', third);
  await rm(join(dir, 'cam3', day), { recursive: true });
  await writeFile(join(dir, 'cam3', day), 'no folder');
  const found = await findingsOf(dir);
  for (const file of [first, second, third]) {
    assert.ok(
      found.some(({ invariant, text }) => invariant === 1 && text.startsWith(file)),
      file,
    );
  }
  assert.ok(found.some(({ text }) => text.includes(join('cam3', day))));
  // Streams after the failing one are checked.
  await rm(join(dir, 'cam2', day, '22-00-00.000.mp4'));
  assert.ok((await findingsOf(dir)).some(({ text }) => text.includes(join('cam2', day))));
  const report = await rebuildCatalog(dir);
  for (const file of [first, second, third, join(dir, 'cam3', day)]) {
    assert.ok(
      report.findings.some((text) => text.startsWith(file)),
      file,
    );
  }
  assert.equal(report.findings.length, 4);
  assert.ok(report.segments > 0 && report.segments < before.segments);
});

test('[R10.3] a damaged index row fails neither check nor start', async (t) => {
  const dir = await someArchive(t);
  const database = new DatabaseSync(`${dir}.sqlite`);
  database.exec(`PRAGMA foreign_keys = OFF;
    UPDATE fragment_index SET entries = X'FFFFFFFFFFFFFFFFFF' WHERE id = 1;
    UPDATE fragment_index SET entries = X'' WHERE id = 2;
    DELETE FROM fragment_index WHERE id = 3;
    DELETE FROM init WHERE id = 1`);
  database.close();
  const found = await findingsOf(dir);
  assert.ok(found.filter(({ text }) => text.includes('cannot be read')).length >= 2, JSON.stringify(found));
  await rm(join(dir, 'cam3', day), { recursive: true });
  assert.ok((await findingsOf(dir)).some(({ text }) => text.includes(join('cam3', day))));
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, undefined);
});

test('[R10.3] a start after a kill continues past unreadable files, and retries them at the next start', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir, { limits: { segmentMs: 10_000 } });
  for (const uid of ['cam1', 'cam2']) {
    const stream = new Stream(uid);
    const recorder = archive.recorders.record(uid, stream);
    connect(stream, footageOf('h264-no-b.mp4'), t0, t0 + 15_000);
    await until(() => (archive.reader.period(uid)?.endTime ?? 0) > t0 + 12_000, 'footage');
    t.after(() => recorder.stop('recording-off'));
  }
  const copy = await copyAsKilled(t, dir);
  const open = join(copy, 'cam1', day, '22-00-10.000.mp4');
  await rename(open, `${open}.kept`);
  await mkdir(open);
  const { archive: started } = await openArchive(t, copy);
  assert.equal(started.volume.problem, undefined);
  assert.ok(started.volume.recovery?.findings.some((text) => text.startsWith(open)));
  assert.equal(started.reader.stats('cam2').segments, 2);
  await started.close();
  await rm(open, { recursive: true });
  await rename(`${open}.kept`, open);
  const { archive: next } = await openArchive(t, copy);
  assert.equal(next.reader.stats('cam1').segments, 2);
  await next.close();
  assert.deepEqual(await findingsOf(copy), []);
});

async function overwrite(path: string, offset: number, text: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(text, offset, 'latin1');
  await file.close();
}

test('a stop ends the pass through a bucket after the current object', async () => {
  const [store, keys, abort] = [new MemoryStore(), new ObjectKeys('', 'main'), new AbortController()];
  const archiveId = randomUUID();
  store.objects.set(keys.marker, { bytes: Buffer.from(markerBytes(archiveId)), metadata: {} });
  const names = Array.from(
    { length: 20 },
    (_, number) => `${keys.root}cam1/2026-11-20/22-00-${10 + number}.000.mp4`,
  );
  for (const name of names) store.objects.set(name, { bytes: Buffer.alloc(10), metadata: {} });
  let looks = 0;
  store.fault = async ({ name, key }) => {
    if (name === 'find' && key !== keys.marker && ++looks === 3) abort.abort();
  };
  const reads = { stream: () => undefined } as unknown as CatalogReads;
  const { signal } = abort;
  await adoptObjects({ store, keys, reads, commit: () => {}, archiveId, findings: [], signal });
  assert.ok(looks <= 6, `${looks} reads of objects after the stop`);
});
