import assert from 'node:assert/strict';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Stream } from '../../hub/stream.ts';
import type { Archive, ArchiveOptions } from '../archive.ts';
import { silentLog } from '../../base/log.ts';
import { ManualClock } from '../../base/manual-clock.ts';
import { until } from '../../base/until-fixture.ts';
import {
  copyAsKilled,
  findingsOf,
  openArchive,
  recordSpan,
  systemError,
  temporaryRoot,
  watchedFiles,
  type DiskStep,
} from '../fixtures/archive-fixture.ts';
import { openCatalogForWriting, CatalogWrites } from '../catalog/catalog.ts';
import { connect, deliver, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { catalogPath, catalogTicks, FOLDER_LOCK_NAME, MARKER_NAME } from '../segments/segments.ts';

const footage = footageOf('h264-no-b.mp4');
const day = '2026-11-20';

function record(archive: Archive, uid: string, fromMs: number, toMs: number): Promise<void> {
  return recordSpan(archive, uid, footage, t0 + fromMs, t0 + toMs);
}

/** Two streams of one minute, in ten-second files. */
async function twoStreams(t: TestContext) {
  const dir = await temporaryRoot(t);
  const opened = await openArchive(t, dir, { limits: { segmentMs: 10_000 } });
  await record(opened.archive, 'cam1', 0, 60_000);
  await record(opened.archive, 'cam2', 5_000, 65_000);
  return { dir, ...opened };
}

test('[R10.4] footage older than a stream’s depth is deleted by whole segments, and its gap says removed', async (t) => {
  const { dir, archive, clock } = await twoStreams(t);
  archive.retention.configure({ depthOf: (uid) => (uid === 'cam1' ? 1 : -1) });
  clock.advance(3_600_000 + 25_000);
  // The first pass may have begun earlier.
  await archive.retention.run();
  await archive.retention.run();
  assert.deepEqual(archive.reader.period('cam1'), { startTime: t0 + 20_000, endTime: t0 + 60_000 });
  assert.deepEqual(archive.reader.intervals('cam1', t0, t0 + 30_000)[0], {
    kind: 'gap',
    startMs: t0,
    endMs: t0 + 20_000,
    cause: 'removed',
  });
  assert.equal((await readdir(join(dir, 'cam1', day))).length, 4);
  assert.equal(archive.reader.stats('cam2').segments, 6);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.4] over its quota the archive deletes the oldest segments of all streams', async (t) => {
  const { dir, archive } = await twoStreams(t);
  const perSegment = archive.health.totalBytes / 12;
  archive.retention.configure({ quotaBytes: Math.round(archive.health.totalBytes - 2.5 * perSegment) });
  await archive.retention.run();
  assert.equal(archive.reader.period('cam1')?.startTime, t0 + 20_000);
  assert.equal(archive.reader.period('cam2')?.startTime, t0 + 15_000);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.4] with too little free space the oldest footage is deleted until there is enough', async (t) => {
  const dir = await temporaryRoot(t);
  let usedBytes = () => 0;
  const { archive } = await openArchive(t, dir, {
    limits: { segmentMs: 10_000, reserveBytes: 0 },
    measure: () => Promise.resolve({ totalBytes: 1_000_000, availableBytes: 1_000_000 - usedBytes() }),
  });
  usedBytes = () => archive.health.totalBytes;
  await record(archive, 'cam1', 0, 60_000);
  const total = archive.health.totalBytes;
  archive.retention.configure({ minFreeShare: 1 - total / 2 / 1_000_000 });
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 3);
});

test('[R10.4] a clock set far forward deletes nothing', async (t) => {
  const { archive, clock } = await twoStreams(t);
  archive.retention.configure({ depthOf: () => 1 });
  clock.stepWall(365 * 86_400_000);
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 6);
});

test('[R10.4] the growing segment is never deleted', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 5_500);
  await until(() => recorder.status.fragments === 5, 'five fragments');
  archive.retention.configure({ quotaBytes: 0 });
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 1);
});

test('[R4.3] purge deletes the rows, files and folders of that stream alone', async (t) => {
  const { dir, archive } = await twoStreams(t);
  const stream = new Stream('cam1');
  archive.recorders.record('cam1', stream);
  connect(stream, footage, t0 + 100_000, t0 + 105_000);
  await archive.recorders.remove('cam1');
  assert.equal(archive.recorders.of('cam1'), undefined);
  assert.deepEqual((await readdir(dir)).sort(), ['cam2', MARKER_NAME, FOLDER_LOCK_NAME]);
  assert.equal(archive.reader.period('cam1'), undefined);
  assert.equal(archive.reader.stats('cam2').segments, 6);
  await archive.recorders.remove('cam1');
  assert.deepEqual(await findingsOf(dir), []);
});

test('a file without a row is never deleted', async (t) => {
  const { dir, archive } = await twoStreams(t);
  const mine = join(dir, 'cam1', day, '03-00-00.000.mp4');
  await writeFile(mine, 'mine');
  archive.retention.configure({ quotaBytes: 0 });
  await archive.retention.run();
  await archive.recorders.remove('cam1');
  assert.equal((await stat(mine)).size, 4);
  await archive.close();
  assert.deepEqual(
    (await findingsOf(dir)).map(({ invariant }) => invariant),
    [2],
  );
});

test('[R10.4] without its marker a folder that was in use is neither written nor emptied until the marker is back', async (t) => {
  const { dir, archive, clock } = await twoStreams(t);
  const marker = join(dir, MARKER_NAME);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  // The disk is not mounted: the folder under it is empty.
  await rename(dir, `${dir}-disk`);
  await mkdir(dir);
  connect(stream, footage, t0 + 100_000, t0 + 103_000);
  await until(() => recorder.status.state === 'failed', 'the failure');
  assert.equal(recorder.status.code, 'wrong-disk');
  assert.equal(archive.volume.problem, 'marker-missing');
  archive.retention.configure({ quotaBytes: 0 });
  await assert.rejects(archive.retention.run(), { code: 'wrong-disk' });
  assert.deepEqual(await readdir(dir), []);
  assert.equal(archive.reader.stats('cam1').segments, 6);
  await rm(dir, { recursive: true });
  await rename(`${dir}-disk`, dir);
  clock.advance(6_000);
  deliver(stream, footage, t0 + 103_000, t0 + 106_000);
  await until(() => recorder.status.state === 'recording', 'recording');
  assert.equal(archive.volume.problem, undefined);
  assert.ok((await stat(marker)).size > 0);
});

test('[R10.4] an archive that starts on the wrong disk answers, writes nothing, and continues once the right one is mounted', async (t) => {
  const { dir, archive: first } = await twoStreams(t);
  await first.close();
  await rename(dir, `${dir}-disk`);
  await mkdir(dir);
  await writeFile(join(dir, MARKER_NAME), JSON.stringify({ archiveId: 'another' }));
  const { archive, clock } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, 'marker-of-another-archive');
  assert.equal(archive.reader.stats('cam1').segments, 6);
  await assert.rejects(archive.recorders.remove('cam1'), { code: 'wrong-disk' });
  assert.deepEqual(await readdir(dir), [MARKER_NAME]);
  await rm(dir, { recursive: true });
  await rename(`${dir}-disk`, dir);
  clock.advance(10_000);
  await until(() => archive.volume.recovery !== undefined, 'recovery');
  await archive.recorders.remove('cam1');
  assert.equal(archive.volume.problem, undefined);
});

test('a second process is rejected', async (t) => {
  const { dir } = await twoStreams(t);
  await assert.rejects(openArchive(t, dir), /another process/);
});

/** The same archive, reopened by a machine whose clock is off by this much. */
async function reopened(t: TestContext, offMs: number, options: Partial<ArchiveOptions> = {}) {
  const { dir, archive: first, clock: firstClock } = await twoStreams(t);
  first.retention.configure({ depthOf: () => 1 });
  firstClock.advance(70_000);
  await first.close();
  const clock = new ManualClock(firstClock.wallMs() + offMs);
  const { archive } = await openArchive(t, dir, { ...options, clock });
  return { dir, clock, archive };
}

test('[R10.4] a clock years ahead at start deletes nothing and is reported, and the quota still applies', async (t) => {
  const { archive, clock, dir } = await reopened(t, 3 * 365 * 86_400_000);
  archive.retention.configure({ depthOf: () => 1 });
  for (let pass = 0; pass < 20; pass++) {
    clock.advance(10_000);
    await archive.retention.run();
  }
  assert.equal(archive.reader.stats('cam1').segments, 6);
  assert.ok((archive.retention.status.clockAheadMs ?? 0) > 365 * 86_400_000);
  archive.retention.configure({ quotaBytes: Math.round(archive.health.totalBytes * 0.8) });
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments + archive.reader.stats('cam2').segments, 9);
  // A corrected clock is trusted again, and footage is deleted when due.
  clock.stepWall(-3 * 365 * 86_400_000);
  await archive.retention.run();
  assert.equal(archive.retention.status.clockAheadMs, undefined);
  clock.advance(3_600_000);
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments + archive.reader.stats('cam2').segments, 0);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.4] what the wrong clock of a short run left behind proves nothing to the next run', async (t) => {
  const wrong = await reopened(t, 365 * 86_400_000);
  wrong.archive.retention.configure({ depthOf: () => 1 });
  wrong.clock.advance(4_000);
  await wrong.archive.close();
  const clock = new ManualClock(wrong.clock.wallMs());
  const { archive } = await openArchive(t, wrong.dir, { clock });
  archive.retention.configure({ depthOf: () => 1 });
  clock.advance(20_000);
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 6);
});

test('[R10.4] a depth lowered before the first pass waits too, even across a crash', async (t) => {
  const { dir, archive: first, clock } = await twoStreams(t);
  first.retention.configure({ depthOf: () => -1 });
  await first.retention.noteDepths();
  first.retention.configure({ depthOf: () => 1 });
  assert.equal(first.retention.pendingDepth('cam1')?.waitMs, 3_600_000);
  // A run this short stores nothing when it ends.
  await first.close();
  const later = new ManualClock(clock.wallMs() + 3_700_000);
  const { archive } = await openArchive(t, dir, { clock: later });
  archive.retention.configure({ depthOf: () => 1 });
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 6);
  assert.equal(archive.retention.pendingDepth('cam1')?.hours, 1);
});

test('[R10.4] a lowered depth waits for an hour, even across a restart, and is undone by raising it', async (t) => {
  const { dir, archive: first, clock: firstClock } = await twoStreams(t);
  first.retention.configure({ depthOf: () => -1 });
  firstClock.advance(3_700_000);
  await first.retention.run();
  first.retention.configure({ depthOf: () => 1 });
  await first.retention.run();
  assert.equal(first.retention.pendingDepth('cam1')?.waitMs, 3_600_000);
  assert.deepEqual(first.retention.lossOf('cam1', 1).segments, 6);
  const { depthHours, beginsAt } = first.retention.loss('cam1');
  assert.deepEqual([depthHours, beginsAt], [1, firstClock.wallMs() + 3_600_000]);
  assert.equal(first.retention.loss('cam1', 2).beginsAt, null, 'two hours delete nothing');
  firstClock.advance(1_800_000);
  assert.equal(first.retention.loss('cam1').beginsAt, firstClock.wallMs() + 1_800_000);
  await first.retention.run();
  await first.close();
  const clock = new ManualClock(firstClock.wallMs());
  const { archive } = await openArchive(t, dir, { clock });
  archive.retention.configure({ depthOf: (uid) => (uid === 'cam1' ? 1 : -1) });
  clock.advance(1_700_000);
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 6);
  assert.equal(archive.retention.pendingDepth('cam2'), undefined);
  clock.advance(120_000);
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 0);
  assert.equal(archive.reader.stats('cam2').segments, 6);
});

test('[R10.4] a file that cannot be deleted stays in the catalog, is counted, and blocks no other', async (t) => {
  let fault: string | undefined = 'EPERM';
  const broken = '22-00-10.000.mp4';
  const files = watchedFiles([], ({ name, path }) =>
    fault !== undefined && name === 'remove' && path.endsWith(broken) ? systemError(fault) : undefined,
  );
  const { archive, clock, dir } = await reopened(t, 0, { files });
  archive.retention.configure({ depthOf: () => 1 });
  clock.advance(3_600_000);
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 1);
  assert.equal(archive.reader.stats('cam2').segments, 0);
  const { files: count, bytes, code } = archive.retention.status.undeletable ?? {};
  assert.deepEqual([count, bytes, code], [1, archive.health.totalBytes, 'EPERM']);
  assert.deepEqual(await findingsOf(dir), []);
  // Footage that cannot be deleted does not cause other footage to be deleted.
  await record(archive, 'cam2', 4_000_000, 4_030_000);
  archive.retention.configure({ quotaBytes: archive.health.totalBytes - 1 });
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam2').segments, 1);
  fault = undefined;
  clock.advance(20 * 60_000);
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 0);
  assert.equal(archive.retention.status.undeletable, undefined);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.4] on a disk that fails every deletion rows stay, and footage due is deleted once the disk works again', async (t) => {
  let isSick = true;
  const steps: DiskStep[] = [];
  const files = watchedFiles(steps, (step) => {
    if (!isSick || step.name !== 'remove') return undefined;
    steps.push(step);
    return systemError('EIO');
  });
  const { archive, clock, dir } = await reopened(t, 0, { files });
  archive.retention.configure({ quotaBytes: Math.round(archive.health.totalBytes * 0.75) });
  for (let pass = 0; pass < 50; pass++) {
    clock.advance(10_000);
    await archive.retention.run();
  }
  assert.equal(archive.reader.stats('cam1').segments + archive.reader.stats('cam2').segments, 12);
  assert.ok(steps.length < 250, `${steps.length} attempts`);
  isSick = false;
  clock.advance(20 * 60_000);
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments + archive.reader.stats('cam2').segments, 9);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.4] a file whose deletion was interrupted and that cannot be deleted does not fail the start', async (t) => {
  const { dir, archive } = await twoStreams(t);
  const [first] = (await readdir(join(dir, 'cam1', day))).sort();
  const copy = await copyAsKilled(t, dir);
  await archive.close();
  const database = openCatalogForWriting(catalogPath(copy));
  const startTicks = catalogTicks(t0);
  new CatalogWrites(database).commit([{ type: 'remove', uid: 'cam1', startsTicks: [startTicks] }]);
  database.close();
  let isBroken = true;
  const files = watchedFiles([], ({ name, path }) =>
    isBroken && name === 'remove' && path.endsWith(first ?? '') ? systemError('EPERM') : undefined,
  );
  const { archive: again, clock } = await openArchive(t, copy, { files });
  assert.equal(again.reader.stats('cam1').segments, 6);
  isBroken = false;
  again.retention.configure({ quotaBytes: again.health.totalBytes - 1 });
  clock.advance(20 * 60_000);
  await again.retention.run();
  await again.retention.run();
  assert.equal(again.reader.stats('cam1').segments, 5);
  assert.deepEqual(await findingsOf(copy), []);
});

test('[R10.4] files of other programs displace footage only down to the protected minimum', async (t) => {
  const dir = await temporaryRoot(t);
  const lines: [object, string][] = [];
  const log = { ...silentLog, warn: (fields: object, text: string) => void lines.push([fields, text]) };
  let usedBytes = () => 0;
  const { archive, clock } = await openArchive(t, dir, {
    limits: { segmentMs: 10_000, reserveBytes: 0 },
    log: log as typeof silentLog,
    measure: () => Promise.resolve({ totalBytes: 1e9, availableBytes: Math.max(0, 1e9 - usedBytes()) }),
  });
  usedBytes = () => 1e9;
  archive.retention.configure({ minFreeShare: 0.1, depthOf: () => 48 });
  await record(archive, 'cam1', 0, 60_000);
  await record(archive, 'cam1', 7_200_000, 7_260_000);
  await record(archive, 'cam2', 0, 30_000);
  clock.advance(7_300_000);
  await archive.retention.run();
  await archive.retention.run();
  assert.equal(archive.reader.stats('cam1').segments, 6, 'the last hour of it');
  assert.equal(archive.reader.stats('cam2').segments, 3, 'the last hour that it has');
  const { early, shares } = archive.retention.status;
  assert.equal(early?.segments, 6);
  assert.ok(shares && shares.otherBytes > shares.archiveBytes);
  const [fields] = lines.find(([, text]) => text.includes('files of other programs')) ?? [];
  assert.deepEqual((fields as { stream: string; segments: number }).stream, 'cam1');
});

test('[R10.4] a folder that disappears while files in it are open is noticed within seconds, and nothing further counts as recorded', async (t) => {
  const { dir, archive, clock } = await twoStreams(t);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0 + 100_000, t0 + 103_500);
  await until(() => recorder.status.state === 'recording', 'recording');
  await rename(dir, `${dir}-disk`);
  await mkdir(dir);
  clock.advance(2_000);
  await until(() => archive.volume.problem === 'marker-missing', 'the look');
  deliver(stream, footage, t0 + 103_500, t0 + 106_500);
  await until(() => recorder.status.state === 'failed', 'the failure');
  assert.equal(recorder.status.code, 'wrong-disk');
  assert.deepEqual(await readdir(dir), []);
  await rm(dir, { recursive: true });
  await rename(`${dir}-disk`, dir);
  clock.advance(6_000);
  await until(() => archive.volume.problem === undefined, 'the disk');
  deliver(stream, footage, t0 + 106_500, t0 + 110_000);
  await until(() => recorder.status.state === 'recording', 'recording again');
  await recorder.stop('recording-off');
  assert.deepEqual(await findingsOf(dir), []);
});
