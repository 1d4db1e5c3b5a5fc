import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { Stream } from '../../hub/stream.ts';
import { faultOf, findingsOf, openArchive, temporaryRoot } from '../fixtures/archive-fixture.ts';
import type { Archive } from '../archive.ts';
import { connect, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { catalogPath } from '../segments/segments.ts';
import { useEmptyDisk } from './use-disk.ts';

async function record(archive: Archive, fromMs: number, toMs: number): Promise<void> {
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footageOf('h264-no-b.mp4'), fromMs, toMs);
  await recorder.stop('recording-off');
}

/** A closed archive whose disk is missing, with an empty one in its place. */
async function replaced(t: TestContext): Promise<string> {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  await record(archive, t0, t0 + 5_000);
  await record(archive, t0 + 20_000, t0 + 25_000);
  await archive.close();
  await rename(dir, `${dir}-old`);
  await mkdir(dir);
  return dir;
}

const gapOf = (archive: Archive) => archive.reader.ranges('cam1', t0, t0 + 60_000).gaps;

test('[R10.4] an empty disk is used on request: earlier footage is a gap with that cause, and recording continues', async (t) => {
  const dir = await replaced(t);
  await mkdir(join(dir, 'lost+found'));
  const { archive, clock } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, 'marker-missing');
  assert.equal(archive.volume.isEmpty, true);
  await archive.volume.useEmptyDisk();
  assert.equal(archive.volume.problem, undefined);
  assert.deepEqual(gapOf(archive), [{ startTime: t0, endTime: t0 + 60_000, cause: 'disk-replaced' }]);
  assert.equal(archive.health.totalBytes, 0);
  clock.advance(60_000);
  await record(archive, t0 + 60_000, t0 + 65_000);
  assert.deepEqual(gapOf(archive), [{ startTime: t0, endTime: t0 + 60_000, cause: 'disk-replaced' }]);
  await assert.rejects(archive.volume.useEmptyDisk(), faultOf('ActionNotAcceptable'));
  await archive.close();
  assert.deepEqual(await findingsOf(dir), []);

  // The old disk no longer belongs to the archive.
  await rename(dir, `${dir}-new`);
  await rename(`${dir}-old`, dir);
  const { archive: wrong } = await openArchive(t, dir);
  assert.equal(wrong.volume.problem, 'marker-of-another-archive');
});

test('[R10.4] footage on the old disk counts as missing as soon as the empty one is used', async (t) => {
  const dir = await temporaryRoot(t);
  const clock = new ManualClock(t0 + 10_000);
  const { archive } = await openArchive(t, dir, { clock });
  await record(archive, t0, t0 + 10_000);
  const recorder = archive.recorders.record('cam1', new Stream('cam1'));
  const recordedMs = () => archive.reader.stats('cam1').recorded?.day.recordedMs;
  const daysOf = () => archive.reader.recordedDays('cam1', t0, t0 + 10_000, 0);
  assert.equal(recordedMs(), 10_000);
  assert.equal((await daysOf()).length, 1);
  await rm(dir, { recursive: true });
  await archive.volume.useEmptyDisk();
  // Without waiting a minute, or a restart, in between.
  assert.equal(recordedMs(), 0);
  assert.equal(archive.reader.stats('cam1').recorded?.day.expectedMs, 10_000);
  assert.deepEqual(await daysOf(), []);
  await recorder.stop('recording-off');
});

test('[R10.4] a deleted folder is created again, one that contains anything is left alone', async (t) => {
  const dir = await replaced(t);
  const { archive } = await openArchive(t, dir);
  await writeFile(join(dir, 'mine.txt'), '');
  await assert.rejects(archive.volume.useEmptyDisk(), faultOf('ActionNotAcceptable'));
  assert.equal(archive.reader.stats('cam1').segments, 2);
  await rm(dir, { recursive: true });
  await archive.volume.useEmptyDisk();
  await record(archive, t0 + 60_000, t0 + 62_000);
  assert.equal(archive.reader.stats('cam1').segments, 1);
});

test('[R10.4] the same on the command line while the server is stopped', async (t) => {
  const dir = await replaced(t);
  await useEmptyDisk(dir, catalogPath(dir));
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, undefined);
  assert.equal(gapOf(archive)[0]?.cause, 'disk-replaced');
  await assert.rejects(useEmptyDisk(dir, catalogPath(dir)), /another process/);
  assert.ok((await readdir(dir)).length > 0);
});

test('folders and catalog are not accessible to other users, including those created by earlier versions', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  await record(archive, t0, t0 + 2_000);
  await archive.close();
  const others = async () => {
    const paths = [dir, catalogPath(dir), join(dir, 'cam1'), join(dir, 'cam1', '2026-11-20')];
    const modes = await Promise.all(paths.map((path) => stat(path)));
    return modes.map(({ mode }) => (mode & 0o777).toString(8));
  };
  assert.deepEqual(await others(), ['750', '640', '750', '750']);
  await chmod(dir, 0o755);
  await chmod(catalogPath(dir), 0o644);
  const { archive: next } = await openArchive(t, dir);
  assert.deepEqual((await others()).slice(0, 2), ['750', '640']);
  assert.equal((await stat(`${catalogPath(dir)}-wal`)).mode & 0o777, 0o640);
  assert.equal(next.volume.problem, undefined);
});
