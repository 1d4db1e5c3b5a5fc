import assert from 'node:assert/strict';
import { readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { Stream } from '../../hub/stream.ts';
import type { Recorder } from '../record/record.ts';
import { until } from '../../base/until-fixture.ts';
import {
  copyAsKilled,
  findingsOf,
  openArchive,
  probePackets,
  temporaryRoot,
} from '../fixtures/archive-fixture.ts';
import { connect, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';

const footage = footageOf('h264-no-b.mp4', 'aac.mp4');
const day = '2026-11-20';

/**
 * A copy of an archive whose process was killed with `gops` GOPs committed and one open.
 * @returns `bytes`: those of the row; more are in the file
 */
async function killed(t: TestContext, gops: number): Promise<{ dir: string; file: string; bytes: number }> {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + gops * 1000 + 500);
  await untilFragments(recorder, gops);
  const copy = await copyAsKilled(t, dir);
  const { bytes } = archive.reader.stats('cam1');
  return { dir: copy, file: join(copy, 'cam1', day, '22-00-00.000.mp4'), bytes };
}

function untilFragments(recorder: Recorder, count: number): Promise<void> {
  return until(() => recorder.status.fragments === count, `${count} fragments`);
}

test('[R10.3] after a kill every complete GOP is there, and the gap begins at the end of the last', async (t) => {
  const { dir, file } = await killed(t, 5);
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.volume.recovery?.closedSegments, 1);
  assert.deepEqual(archive.reader.intervals('cam1', t0, t0 + 10_000), [
    { kind: 'fragment', startMs: t0, endMs: t0 + 5_000 },
    { kind: 'gap', startMs: t0 + 5_000, endMs: t0 + 10_000, cause: 'server-crashed' },
  ]);
  assert.equal((await probePackets(file))[0], 125);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.3] recording continues after a kill, and the gap is as long as the outage', async (t) => {
  const { dir } = await killed(t, 5);
  const { archive, clock } = await openArchive(t, dir);
  clock.stepWall(9_000);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0 + 12_000, t0 + 15_000);
  await recorder.stop('server-stopped');
  assert.deepEqual(archive.reader.intervals('cam1', t0, t0 + 15_000), [
    { kind: 'fragment', startMs: t0, endMs: t0 + 5_000 },
    { kind: 'gap', startMs: t0 + 5_000, endMs: t0 + 9_000, cause: 'server-crashed' },
    { kind: 'gap', startMs: t0 + 9_000, endMs: t0 + 12_000, cause: 'waiting' },
    { kind: 'fragment', startMs: t0 + 12_000, endMs: t0 + 15_000 },
  ]);
});

test('[R10.3] a file torn at any byte loses only the torn fragment', async (t) => {
  const { dir, file } = await killed(t, 4);
  const whole = await readFile(file);
  const catalog = await readFile(`${dir}.sqlite`);
  const log = await readFile(`${dir}.sqlite-wal`);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
      for (const suffix of ['-wal', '-shm']) await rm(`${dir}.sqlite${suffix}`, { force: true });
      await writeFile(`${dir}.sqlite`, catalog);
      await writeFile(`${dir}.sqlite-wal`, log);
      await writeFile(file, whole.subarray(0, length));
      const { archive } = await openArchive(t, dir);
      const { durationMs, bytes } = archive.reader.stats('cam1');
      const left = durationMs > 0 ? (await stat(file)).size : 0;
      await archive.close();
      assert.equal(bytes, left);
      assert.ok(bytes <= length, 'no row beyond the file');
      assert.equal(durationMs % 1000, 0);
      const findings = (await findingsOf(dir)).filter(({ invariant }) => durationMs > 0 || invariant !== 2);
      assert.deepEqual(findings, []);
    }),
    { numRuns: 25, examples: [[0], [1], [whole.length - 1], [whole.length]] },
  );
});

test('[R10.3] bytes after the last row are adopted if they are a complete fragment, otherwise truncated', async (t) => {
  const long = await killed(t, 6);
  const short = await killed(t, 3);
  // Complete fragments, then a partial one.
  await writeFile(short.file, (await readFile(long.file)).subarray(0, long.bytes - 10));
  const { archive } = await openArchive(t, short.dir);
  assert.equal(archive.volume.recovery?.adoptedFragments, 2);
  assert.equal(archive.reader.stats('cam1').durationMs, 5_000);
  assert.equal((await stat(short.file)).size, archive.reader.stats('cam1').bytes);
  assert.deepEqual(await findingsOf(short.dir), []);
});

test('[R10.3] media that a power failure left as zeros is not adopted', async (t) => {
  const long = await killed(t, 4);
  const short = await killed(t, 3);
  const spoilt = await readFile(long.file);
  spoilt.fill(0, spoilt.indexOf('mdat', short.bytes) + 4 + 200);
  await writeFile(short.file, spoilt);
  const { archive } = await openArchive(t, short.dir);
  assert.equal(archive.reader.stats('cam1').durationMs, 3_000);
  assert.equal((await stat(short.file)).size, short.bytes);
});

test('[R10.3] a new file without a row is adopted, an unreadable one is left alone', async (t) => {
  const { dir } = await killed(t, 2);
  const begun = await temporaryRoot(t);
  const { archive: other } = await openArchive(t, begun);
  const stream = new Stream('cam1');
  const recorder = other.recorders.record('cam1', stream);
  connect(stream, footage, t0 + 30_000, t0 + 33_000);
  await recorder.stop('recording-off');
  const folder = join(dir, 'cam1', day);
  await writeFile(
    join(folder, '22-00-30.000.mp4'),
    await readFile(join(begun, 'cam1', day, '22-00-30.000.mp4')),
  );
  await writeFile(join(folder, '22-00-50.000.mp4'), 'not a film');
  await writeFile(join(folder, 'notes.txt'), 'mine');
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.volume.recovery?.adoptedFiles, 1);
  assert.equal(archive.reader.stats('cam1').durationMs, 5_000);
  assert.equal(archive.volume.recovery?.findings.length, 2);
  assert.deepEqual(await readdir(folder), [
    '22-00-00.000.mp4',
    '22-00-30.000.mp4',
    '22-00-50.000.mp4',
    'notes.txt',
  ]);
});

test('[R10.3] a file whose recorder was killed inside its first fragment is deleted', async (t) => {
  const { dir, file } = await killed(t, 2);
  const bytes = await readFile(file);
  const folder = join(dir, 'cam1', day);
  await writeFile(join(folder, '22-00-30.000.mp4'), '');
  await writeFile(join(folder, '22-00-31.000.mp4'), bytes.subarray(0, 300));
  await writeFile(join(folder, '22-00-32.000.mp4'), bytes.subarray(0, 3_000));
  await writeFile(join(folder, '22-00-33.000.mp4'), Buffer.alloc(3_000));
  const { archive } = await openArchive(t, dir);
  assert.deepEqual(await readdir(folder), ['22-00-00.000.mp4']);
  assert.deepEqual(archive.volume.recovery?.findings, []);
  assert.deepEqual(await findingsOf(dir), []);
});

test('after a clean shutdown nothing is checked again', async (t) => {
  const dir = await temporaryRoot(t);
  const first = await openArchive(t, dir);
  const stream = new Stream('cam1');
  first.archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 3_000);
  await first.archive.close();
  const { archive } = await openArchive(t, dir);
  assert.deepEqual(archive.volume.recovery, {
    wasDirty: false,
    closedSegments: 0,
    adoptedFragments: 0,
    adoptedFiles: 0,
    cutBytes: 0,
    finishedRemovals: 0,
    findings: [],
  });
  assert.deepEqual(archive.reader.intervals('cam1', t0, t0 + 5_000).at(-1), {
    kind: 'gap',
    startMs: t0 + 3_000,
    endMs: t0 + 5_000,
    cause: 'server-stopped',
  });
});

test('an interrupted deletion is completed, and only that file is deleted', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir, { limits: { segmentMs: 2_000 } });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 6_000);
  await recorder.stop('recording-off');
  const file = join(dir, 'cam1', day, '22-00-00.000.mp4');
  const bytes = await readFile(file);
  await archive.retention.run();
  archive.retention.configure({ quotaBytes: archive.health.totalBytes - 1 });
  await archive.retention.run();
  await assert.rejects(stat(file));
  const copy = await copyAsKilled(t, dir);
  // As if the process had died between deleting the row and the file.
  const { DatabaseSync } = await import('node:sqlite');
  const catalog = new DatabaseSync(`${copy}.sqlite`);
  catalog.prepare('INSERT INTO pending_removal VALUES (?, ?)').run('cam1', (t0 / 1000) * 90_000);
  catalog.close();
  await writeFile(join(copy, 'cam1', day, '22-00-00.000.mp4'), bytes);
  const after = await openArchive(t, copy);
  assert.equal(after.archive.volume.recovery?.finishedRemovals, 1);
  assert.deepEqual(await readdir(join(copy, 'cam1', day)), ['22-00-02.000.mp4', '22-00-04.000.mp4']);
  assert.deepEqual(await findingsOf(copy), []);
});

test('a row whose file was lost is reported and deleted', async (t) => {
  const { dir, file } = await killed(t, 3);
  await rm(file);
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.volume.recovery?.findings.length, 1);
  assert.equal(archive.reader.stats('cam1').segments, 0);
});

test('flushed bytes that the disk lost are reported, the rest is kept', async (t) => {
  const { dir, file, bytes } = await killed(t, 3);
  await truncate(file, bytes - 1);
  const { archive } = await openArchive(t, dir);
  assert.match(archive.volume.recovery?.findings[0] ?? '', /lost \d+ bytes/);
  assert.equal(archive.reader.stats('cam1').durationMs, 2_000);
});
