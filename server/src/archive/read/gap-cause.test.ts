import assert from 'node:assert/strict';
import { copyFile, stat, utimes } from 'node:fs/promises';
import { test } from 'node:test';
import { Stream } from '../../hub/stream.ts';
import { until } from '../../base/until-fixture.ts';
import {
  copyAsKilled,
  openArchive,
  recordSpan,
  systemError,
  temporaryRoot,
  watchedFiles,
} from '../fixtures/archive-fixture.ts';
import { connect, deliver, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import type { RecordingGap } from './intervals.ts';
import { catalogPath, heartbeatPath } from '../segments/segments.ts';

const footage = footageOf('h264-no-b.mp4', 'aac.mp4');

/** Gaps as seconds since the start of the footage. */
function seconds(gaps: readonly RecordingGap[]): unknown[] {
  return gaps.map(({ cause, startTime, endTime }) => [cause, (startTime - t0) / 1000, (endTime - t0) / 1000]);
}

test('[R7.13] a gap lists every cause in order, as the reason for the absence changes', async (t) => {
  const { archive, clock } = await openArchive(t, await temporaryRoot(t));
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  const causes = () => seconds(archive.reader.ranges('cam1', t0, t0 + 60_000).gaps);
  const told = (count: number) => until(() => causes().length === count, `${count} causes`);
  connect(stream, footage, t0, t0 + 5_000);
  clock.stepWall(20_000);
  stream.pause('no-frames');
  await until(() => recorder.status.state === 'waiting', 'the break');
  for (const cause of ['unreachable', 'unreachable', 'paused', 'waiting'] as const) {
    clock.stepWall(5_000);
    stream.pause(cause);
    // Each is dated by the clock when it arrives.
    await until(() => causes().length >= 2, 'the next cause');
    if (cause === 'paused') await told(3);
  }
  await told(4);
  connect(stream, footage, t0 + 50_000, t0 + 55_000);
  await recorder.stop('moved');
  assert.deepEqual(causes(), [
    ['no-frames', 5, 25],
    ['unreachable', 25, 35],
    ['paused', 35, 40],
    ['waiting', 40, 50],
    ['moved', 55, 60],
  ]);
});

test('[R7.13] a stream that never delivered a frame still reports why', async (t) => {
  const { archive, clock } = await openArchive(t, await temporaryRoot(t));
  const stream = new Stream('cam1');
  archive.recorders.record('cam1', stream);
  await until(() => archive.reader.ranges('cam1', t0, t0 + 1_000).gaps[0]?.cause === 'waiting', 'waiting');
  clock.stepWall(2_000);
  stream.pause('unreachable');
  await until(() => archive.reader.ranges('cam1', t0, t0 + 9_000).gaps.length === 2, 'unreachable');
  assert.deepEqual(seconds(archive.reader.ranges('cam1', t0 - 1_000, t0 + 9_000).gaps), [
    ['waiting', 0, 2],
    ['unreachable', 2, 9],
  ]);
  assert.equal(archive.reader.ranges('cam1', t0 - 1_000, t0 + 9_000).begunAt, t0);
  assert.equal(archive.reader.ranges('cam1', t0 + 1_000, t0 + 9_000).begunAt, null);
});

test('[R7.13] a recorder that starts while the source is unavailable knows why', async (t) => {
  const { archive } = await openArchive(t, await temporaryRoot(t));
  const stream = new Stream('cam1');
  stream.pause('unreachable');
  archive.recorders.record('cam1', stream);
  await until(
    () => archive.reader.ranges('cam1', t0, t0 + 9_000).gaps[0]?.cause === 'unreachable',
    'unreachable',
  );
});

test('[R7.13] [R10.4] a full disk is the cause from then on, not of what was missing before', async (t) => {
  let isFull = false;
  const files = watchedFiles([], ({ name, path }) =>
    isFull && name === 'write' && path.endsWith('.mp4') ? systemError('ENOSPC') : undefined,
  );
  const { archive, clock } = await openArchive(t, await temporaryRoot(t), { files });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 5_000);
  stream.pause('unreachable');
  await until(() => recorder.status.state === 'waiting' && recorder.status.fragments === 5, 'the break');
  isFull = true;
  connect(stream, footage, t0 + 10_000, t0 + 13_500);
  await until(() => recorder.status.state === 'failed', 'the failure');
  const causes = () => seconds(archive.reader.ranges('cam1', t0, t0 + 30_000).gaps);
  await until(() => causes().length === 2, 'the catalog knows it before anything can be written again');
  isFull = false;
  clock.advance(6_000);
  deliver(stream, footage, t0 + 13_500, t0 + 20_000);
  await recorder.stop('recording-off');
  const [before, full, ...others] = archive.reader.ranges('cam1', t0, t0 + 20_000).gaps;
  assert.deepEqual(seconds(before ? [before] : []), [['unreachable', 5, 10]]);
  assert.equal(full?.cause, 'disk-full');
  assert.equal(full.startTime, t0 + 10_000);
  assert.ok(full.endTime <= t0 + 13_000);
  assert.deepEqual(others, []);
});

test('[R7.13] [R10.3] killed while the camera was offline: the offline gap ends where the server died', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive, clock } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 5_000);
  stream.pause('unreachable');
  const last = (of: typeof archive) => of.reader.ranges('cam1', t0, t0 + 60_000).gaps;
  await until(() => last(archive)[0]?.cause === 'unreachable', 'the break');
  clock.stepWall(30_000);
  const copy = await copyAsKilled(t, dir);
  const sign = heartbeatPath(catalogPath(copy));
  await copyFile(heartbeatPath(catalogPath(dir)), sign);
  await utimes(sign, (t0 + 30_000) / 1000, (t0 + 30_000) / 1000);
  const next = await openArchive(t, copy);
  assert.deepEqual(seconds(last(next.archive)), [
    ['unreachable', 5, 30],
    ['server-crashed', 30, 60],
  ]);
});

test('[R7.13] the archive writes a heartbeat on its clock, and the last one survives', async (t) => {
  const dir = await temporaryRoot(t);
  const first = await openArchive(t, dir);
  first.clock.advance(10_000);
  await first.archive.close();
  const { mtimeMs } = await stat(heartbeatPath(catalogPath(dir)));
  assert.equal(Math.round(mtimeMs), t0 + 10_000);
});

test('[R7.13] footage deleted by an administrator is distinguished from footage that never existed', async (t) => {
  const { archive, clock } = await openArchive(t, await temporaryRoot(t));
  await recordSpan(archive, 'cam1', footage, t0, t0 + 5_000);
  clock.stepWall(10_000);
  await recordSpan(archive, 'cam1', footage, t0 + 7_200_000, t0 + 7_205_000);
  clock.advance(7_300_000);
  archive.retention.configure({ depthOf: () => 1 });
  // The first may be a pass that was already running.
  await archive.retention.run();
  await archive.retention.run();
  const { gaps } = archive.reader.ranges('cam1', t0 - 1_000, t0 + 60_000);
  assert.deepEqual(
    gaps.map(({ cause }) => cause),
    ['removed', 'recording-off', 'waiting'],
  );
  assert.equal(gaps[0]?.endTime, t0 + 5_000);
});
