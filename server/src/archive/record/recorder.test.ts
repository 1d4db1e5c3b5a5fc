import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { BlockPool } from '@vidette/media/sample-block';
import { pooledSource } from '../../hub/pooled-source-fixture.ts';
import { Stream } from '../../hub/stream.ts';
import { until } from '../../base/until-fixture.ts';
import {
  findingsOf,
  openArchive,
  probePackets,
  systemError,
  temporaryRoot,
  watchedFiles,
} from '../fixtures/archive-fixture.ts';
import type { DiskStep } from '../fixtures/archive-fixture.ts';
import { catalogPath, type ArchiveFiles } from '../segments/segments.ts';
import { connect, deliver, footageOf, heavier, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import type { RecordedInterval } from '../read/read.ts';

const footage = footageOf('h264-b-pyramid.mp4', 'aac.mp4');

/** Intervals as seconds since the start of the footage. */
function seconds(intervals: readonly RecordedInterval[]): unknown[] {
  return intervals.map((interval) => [
    interval.kind === 'gap' ? interval.cause : interval.kind,
    (interval.startMs - t0) / 1000,
    (interval.endMs - t0) / 1000,
  ]);
}

test('[R10.3] ffprobe reads every recorded file without an error', async (t) => {
  for (const [video, audio] of [
    ['h264-b-pyramid.mp4', 'aac.mp4'],
    ['h265-b-pyramid.mp4', 'opus.mp4'],
    ['h264-no-b.mp4', undefined],
    [undefined, 'aac.mp4'],
  ] as const) {
    const dir = await temporaryRoot(t);
    const { archive } = await openArchive(t, dir);
    const stream = new Stream('cam1');
    const recorder = archive.recorders.record('cam1', stream);
    connect(stream, footageOf(video, audio), t0, t0 + 130_000);
    await recorder.stop('recording-off');
    assert.deepEqual(await findingsOf(dir), []);
    const folder = join(dir, 'cam1', '2026-11-20');
    const names = await readdir(folder);
    assert.ok(names.length === 3 && names[0] === '22-00-00.000.mp4', names.join());
    let packets = 0;
    for (const name of names) packets += (await probePackets(join(folder, name)))[0] ?? 0;
    if (video) assert.ok(Math.abs(packets - 130 * 25) <= 4, `${packets} of ${video} frames`);
  }
});

test('[R10.1] memory is used again when its frames are on the disk, before their row is in the catalog', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const video = footage.tracks.find(({ kind }) => kind === 'video');
  assert.ok(video?.kind === 'video');
  const pool = new BlockPool(64, 1e6);
  const { stream, send } = pooledSource(pool, video);
  const recorder = archive.recorders.record(stream.uid, stream);
  // GOPs of a second, each frame in a block of its own.
  const sendGop = () => Array.from({ length: 25 }, (_, at) => send(40, at === 0));
  sendGop();
  sendGop();
  await until(() => recorder.status.fragments === 1, 'the row of the first');
  const catalog = new DatabaseSync(catalogPath(dir));
  try {
    catalog.exec('BEGIN IMMEDIATE');
    sendGop();
    const before = pool.freeBytes;
    await until(() => pool.freeBytes - before >= 24 * 64, 'the memory of the second');
    assert.equal(recorder.status.fragments, 1);
  } finally {
    catalog.close();
  }
  await until(() => recorder.status.fragments === 2, 'the row of the second');
});

test('[R10.3] bytes, flush, folders, then the row, in that order and before any reader is notified', async (t) => {
  const dir = await temporaryRoot(t);
  const steps: DiskStep[] = [];
  const { archive } = await openArchive(t, dir, { files: watchedFiles(steps) });
  const stream = new Stream('cam1');
  const rowsAt = () => archive.reader.stats('cam1').segments;
  steps.length = 0;
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 2_500);
  await until(() => recorder.status.fragments === 2, 'two fragments');
  const day = join(dir, 'cam1', '2026-11-20');
  const file = join(day, '22-00-00.000.mp4');
  assert.deepEqual(
    steps.map(({ name, path }) => `${name} ${path}`),
    [
      `makeFolder ${join(dir, 'cam1')}`,
      `syncFolder ${dir}`,
      `makeFolder ${day}`,
      `syncFolder ${join(dir, 'cam1')}`,
      `create ${file}`,
      `write ${file}`,
      `sync ${file}`,
      `syncFolder ${day}`,
      `write ${file}`,
      `sync ${file}`,
    ],
  );
  assert.equal(rowsAt(), 1);
  await recorder.stop('recording-off');
  assert.equal(archive.reader.stats('cam1').bytes, (await stat(file)).size);
});

test('[R10.3] there is no row before the flush', async (t) => {
  const dir = await temporaryRoot(t);
  const rows: number[] = [];
  let segments: () => number = () => 0;
  const files = watchedFiles([], ({ name }) => {
    if (name === 'sync' || name === 'syncFolder') rows.push(segments());
    return undefined;
  });
  const { archive } = await openArchive(t, dir, { files });
  segments = () => archive.reader.stats('cam1').segments;
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 1_500);
  await until(() => recorder.status.fragments === 1, 'a fragment');
  assert.ok(rows.length >= 4 && rows.every((count) => count === 0), rows.join());
  assert.equal(segments(), 1);
});

test('[R10.3] a folder that another process removes before its first file is created again', async (t) => {
  const dir = await temporaryRoot(t);
  const disk = watchedFiles([]);
  let removals = 0;
  const files: ArchiveFiles = {
    ...disk,
    create: async (path) => {
      if (path.endsWith('.mp4') && removals++ === 0) await disk.removeFolder(dirname(path));
      return disk.create(path);
    },
  };
  const { archive } = await openArchive(t, dir, { files });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 3_500);
  await until(() => recorder.status.fragments === 3, 'three fragments');
  assert.ok(removals > 1);
  await recorder.stop('recording-off');
  assert.deepEqual(await findingsOf(dir), []);
});

for (const [code, cause] of [
  ['EIO', 'write-failed'],
  ['ENOSPC', 'disk-full'],
] as const) {
  test(`[R10.4] a flush that fails with ${code} is never repeated: the file is cut back and a gap says ${cause}`, async (t) => {
    const dir = await temporaryRoot(t);
    const steps: DiskStep[] = [];
    let breaksNext = false;
    let isClosed = false;
    // Like the kernel: it reports a failed flush once, and the next flush succeeds.
    const disk = watchedFiles(steps, ({ name, path }) => {
      if (!breaksNext || name !== 'sync' || !path.endsWith('.mp4')) return undefined;
      breaksNext = false;
      return systemError(code);
    });
    const files: ArchiveFiles = {
      ...disk,
      create: async (path) => {
        const file = await disk.create(path);
        const close = async () => {
          await file.close();
          isClosed = path.endsWith('.mp4');
        };
        return { ...file, close };
      },
    };
    const { archive, clock } = await openArchive(t, dir, { files });
    const stream = new Stream('cam1');
    const recorder = archive.recorders.record('cam1', stream);
    connect(stream, footage, t0, t0 + 3_500);
    await until(() => recorder.status.fragments === 3, 'three fragments');
    breaksNext = true;
    deliver(stream, footage, t0 + 3_500, t0 + 6_500);
    await until(() => recorder.status.state === 'failed', 'the failure');
    assert.equal(recorder.status.code, cause);
    await until(() => isClosed, 'the cut');
    assert.deepEqual(
      steps.slice(-3).map(({ name }) => name),
      ['write', 'truncate', 'sync'],
    );
    clock.advance(6_000);
    deliver(stream, footage, t0 + 6_500, t0 + 9_500);
    await until(() => recorder.status.state === 'recording', 'recording again');
    await recorder.stop('recording-off');
    const [before, gap, after] = archive.reader.intervals('cam1', t0, t0 + 10_000);
    assert.deepEqual(seconds(before ? [before] : []), [['fragment', 0, 3]]);
    assert.ok(gap?.kind === 'gap' && gap.cause === cause);
    // How much of the queue is retried depends on when the clock advances.
    assert.ok(gap.startMs === t0 + 3_000 && gap.endMs >= t0 + 4_000 && gap.endMs <= t0 + 6_000);
    assert.equal(after?.kind, 'fragment');
    assert.deepEqual(await findingsOf(dir), []);
    assert.equal((await readdir(join(dir, 'cam1', '2026-11-20'))).length, 2);
  });
}

test('[R10.4] a disk that accepts only a part of a write fails as a full one does', async (t) => {
  const dir = await temporaryRoot(t);
  const counts = [undefined, undefined, 700];
  const files = watchedFiles([], ({ name, path }) =>
    name === 'write' && path.endsWith('.mp4') ? counts.shift() : undefined,
  );
  const { archive } = await openArchive(t, dir, { files });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 2_500);
  await until(() => recorder.status.fragments === 2, 'two fragments');
  deliver(stream, footage, t0 + 2_500, t0 + 3_500);
  await until(() => recorder.status.state === 'failed', 'the failure');
  assert.equal(recorder.status.code, 'disk-full');
  await recorder.stop('recording-off');
  assert.deepEqual(await findingsOf(dir), []);
  assert.deepEqual(
    await probePackets(join(dir, 'cam1', '2026-11-20', '22-00-00.000.mp4')).then(([n]) => n),
    50,
  );
});

test('[R10.4] with less than the reserve free nothing is written, and recording continues once there is space', async (t) => {
  const dir = await temporaryRoot(t);
  let availableBytes = 1;
  const { archive, clock } = await openArchive(t, dir, {
    measure: () => Promise.resolve({ totalBytes: 1_000_000_000, availableBytes }),
  });
  const stream = new Stream('cam1');
  let liveSamples = 0;
  const viewer = stream.addReader({
    name: 'live',
    maxBytes: 1e8,
    from: 'next-key',
    onReadable: () => undefined,
  });
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 2_500);
  await until(() => recorder.status.state === 'failed', 'the failure');
  assert.equal(recorder.status.code, 'disk-full');
  while (viewer.take()) liveSamples++;
  assert.ok(liveSamples > 100, 'live continues');
  availableBytes = 900_000_000;
  clock.advance(6_000);
  await until(() => archive.health.canRecord, 'another measurement');
  deliver(stream, footage, t0 + 2_500, t0 + 5_500);
  await until(() => recorder.status.state === 'recording', 'recording');
});

test('[R10.3] setting the clock back overwrites and reorders nothing; setting it forward leaves a gap', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0 + 60_000, t0 + 70_000);
  stream.pause('unreachable');
  connect(stream, footage, t0 + 65_000, t0 + 75_000);
  stream.pause('unreachable');
  connect(stream, footage, t0 + 90_000, t0 + 95_000);
  // Starts before all of the existing footage and runs into it.
  stream.pause('unreachable');
  connect(stream, footage, t0 + 55_000, t0 + 65_000);
  await recorder.stop('recording-off');
  assert.deepEqual(await findingsOf(dir), []);
  const intervals = archive.reader.intervals('cam1', t0, t0 + 200_000);
  const recorded = intervals.filter(({ kind }) => kind === 'fragment');
  assert.deepEqual(
    recorded.map(({ startMs, endMs }) => [(startMs - t0) / 1000, (endMs - t0) / 1000]),
    [
      // Shifted footage returns to its real time by one fiftieth of its length.
      [55, 84.7],
      [90, 95],
    ],
  );
  assert.equal(archive.reader.stats('cam1').durationMs, 34_700);
});

test('a jump in time within a run is a gap, a long frame is not', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 4_000);
  deliver(stream, footage, t0 + 4_800, t0 + 8_000);
  deliver(stream, footage, t0 + 20_500, t0 + 25_000);
  await recorder.stop('recording-off');
  assert.deepEqual(seconds(archive.reader.intervals('cam1', t0, t0 + 25_000)), [
    ['fragment', 0, 8],
    ['no-frames', 8, 21],
    ['fragment', 21, 25],
  ]);
  assert.deepEqual(await findingsOf(dir), []);
});

test('[R10.3] a new day and new parameters each begin a new file', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  const midnight = Date.UTC(2026, 10, 21);
  connect(stream, footage, midnight - 5_000, midnight + 5_000);
  connect(stream, footageOf('h264-no-b.mp4'), midnight + 5_000, midnight + 10_000);
  await recorder.stop('recording-off');
  assert.deepEqual(await readdir(join(dir, 'cam1', '2026-11-20')), ['23-59-55.000.mp4']);
  assert.deepEqual(await readdir(join(dir, 'cam1', '2026-11-21')), ['00-00-00.000.mp4', '00-00-05.000.mp4']);
  assert.deepEqual(archive.reader.ranges('cam1', midnight - 10_000, midnight + 10_000).ranges, [
    { date: midnight - 10_000, status: 'gap' },
    { date: midnight - 5_000, status: 'fragment' },
  ]);
  assert.deepEqual(await findingsOf(dir), []);
});

/** A disk whose flushes of segments wait until `go`. */
function heldDisk() {
  const held = Promise.withResolvers<void>();
  const steps: DiskStep[] = [];
  const disk = watchedFiles(steps);
  const files: ArchiveFiles = {
    ...disk,
    async create(path) {
      const file = await disk.create(path);
      if (!path.endsWith('.mp4')) return file;
      return {
        ...file,
        async sync() {
          await held.promise;
          await file.sync();
        },
      };
    },
  };
  const writesOf = (uid: string) =>
    steps.filter(({ name, path }) => name === 'write' && path.endsWith('.mp4') && path.includes(uid)).length;
  return { files, writesOf, go: () => held.resolve() };
}

test('[R10.3] what waited during a slow write is written in one operation, fragment by fragment', async (t) => {
  const dir = await temporaryRoot(t);
  const disk = heldDisk();
  const { archive } = await openArchive(t, dir, { files: disk.files });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 1_500);
  await until(() => disk.writesOf('cam1') === 1, 'a write');
  // The end of the first segment is within what waits.
  deliver(stream, footage, t0 + 1_500, t0 + 70_500);
  disk.go();
  await until(() => recorder.status.fragments === 70, 'seventy fragments');
  assert.equal(disk.writesOf('cam1'), 3);
  await recorder.stop('recording-off');
  assert.deepEqual(await findingsOf(dir), []);
  assert.deepEqual(seconds(archive.reader.intervals('cam1', t0, t0 + 70_000)), [['fragment', 0, 70]]);
});

test('[R15.4] when too much of all streams waits, the one with the most loses whole GOPs, and recovers by itself', async (t) => {
  const dir = await temporaryRoot(t);
  const disk = heldDisk();
  const { archive } = await openArchive(t, dir, {
    files: disk.files,
    limits: { backlogMaxBytes: 1_000_000 },
  });
  const small = new Stream('small');
  const large = new Stream('large');
  const recorders = [small, large].map((stream) => archive.recorders.record(stream.uid, stream));
  const much = heavier(footage, 2_000);
  connect(small, footage, t0, t0 + 1_500);
  connect(large, much, t0, t0 + 1_500);
  await until(() => disk.writesOf('small') + disk.writesOf('large') === 2, 'writes of both');
  for (let from = 1_500; from < 20_500; from += 1_000) {
    deliver(small, footage, t0 + from, t0 + from + 1_000);
    deliver(large, much, t0 + from, t0 + from + 1_000);
    assert.ok(archive.recorders.backlogShare <= 1, `${archive.recorders.backlogShare}`);
  }
  assert.ok((archive.recorders.of('large')?.status.shed?.samples ?? 0) > 0);
  assert.equal(archive.recorders.of('small')?.status.shed, undefined);
  assert.equal(archive.health.shed?.streams, 1);
  disk.go();
  await until(() => archive.recorders.backlogShare < 0.2, 'an empty backlog');
  deliver(small, footage, t0 + 20_500, t0 + 23_000);
  deliver(large, much, t0 + 20_500, t0 + 23_000);
  await Promise.all(recorders.map((recorder) => recorder.stop('recording-off')));
  assert.deepEqual(await findingsOf(dir), []);
  assert.deepEqual(seconds(archive.reader.intervals('small', t0, t0 + 23_000)), [['fragment', 0, 23]]);
  const intervals = archive.reader.intervals('large', t0, t0 + 23_000);
  const causes = intervals.map((each) => (each.kind === 'gap' ? each.cause : each.kind));
  assert.deepEqual(causes, ['fragment', 'write-too-slow', 'fragment']);
  assert.ok(
    intervals.every(({ startMs }) => (startMs - t0) % 1_000 < 100),
    'gaps end at key frames',
  );
  assert.equal(archive.health.shed, undefined, 'the recorders have ended');
  for (const name of await readdir(join(dir, 'large', '2026-11-20')))
    await probePackets(join(dir, 'large', '2026-11-20', name));
});

test('a disk slower than the stream loses frames and reports it, and the stream’s source never waits', async (t) => {
  const dir = await temporaryRoot(t);
  const disk = heldDisk();
  const { archive, clock } = await openArchive(t, dir, {
    files: disk.files,
    limits: { queueMaxBytes: 100_000 },
  });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 1_500);
  await until(() => disk.writesOf('cam1') === 1, 'a write');
  deliver(stream, footage, t0 + 1_500, t0 + 60_000);
  clock.advance(3_000);
  const { bytes = 0, ms = 0 } = recorder.status.waiting ?? {};
  assert.ok(bytes > 0 && ms >= 3_000, `${bytes} bytes wait for ${ms} ms`);
  disk.go();
  await until(() => recorder.status.state === 'recording', 'recording');
  deliver(stream, footage, t0 + 60_000, t0 + 63_000);
  await recorder.stop('recording-off');
  assert.deepEqual(recorder.status.waiting, { bytes: 0, ms: 0 });
  assert.ok(recorder.status.skippedSamples > 1000, String(recorder.status.skippedSamples));
  const causes = archive.reader
    .intervals('cam1', t0, t0 + 63_000)
    .map((each) => (each.kind === 'gap' ? each.cause : each.kind));
  assert.deepEqual(causes, ['fragment', 'write-too-slow', 'fragment']);
  assert.deepEqual(await findingsOf(dir), []);
});

test('a GOP that never ends is written in parts, and a seek finds its key frame', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  stream.setTracks(footage.tracks);
  for (const sample of footage.between(t0, t0 + 35_000)) {
    const isFirst = sample.trackId === 1 && sample.dts === (t0 / 1000) * 90_000;
    stream.write(sample.trackId === 1 ? { ...sample, isKey: isFirst } : sample);
  }
  await recorder.stop('recording-off');
  assert.equal(recorder.status.fragments, 49);
  assert.deepEqual(await findingsOf(dir), []);
  assert.equal((await archive.reader.frameAt('cam1', t0 + 33_000)).timeMs, t0);
  const playlist = await archive.reader.playlist('cam1', t0 + 20_000, t0 + 30_000);
  assert.equal(playlist.match(/#EXTINF/g)?.length, 1, playlist);
});
