import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { Stream } from '../../hub/stream.ts';
import { until } from '../../base/until-fixture.ts';
import {
  archiveOf,
  faultOf,
  openArchive,
  probePackets,
  recordSpan,
  temporaryRoot,
} from '../fixtures/archive-fixture.ts';
import { connect, deliver, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { segmentPath } from '../segments/segments.ts';
import type { TimeZone } from './recorded-days.ts';

const footage = footageOf('h264-no-b.mp4', 'aac.mp4');
const hourMs = 3_600_000;

test('[R3.10] [R7.13] ranges apply from date to date, and gaps have their causes', async (t) => {
  const { archive } = await archiveOf(t, [
    [0, 90_000],
    [100_000, 130_000],
  ]);
  assert.deepEqual(archive.reader.ranges('cam1', t0 - 10_000, t0 + 200_000).ranges, [
    { date: t0 - 10_000, status: 'gap' },
    { date: t0, status: 'fragment' },
    { date: t0 + 90_000, status: 'gap' },
    { date: t0 + 100_000, status: 'fragment' },
    { date: t0 + 130_000, status: 'gap' },
  ]);
  assert.deepEqual(archive.reader.ranges('cam1', t0 + 20_000, t0 + 30_000).ranges, [
    { date: t0 + 20_000, status: 'fragment' },
  ]);
  assert.deepEqual(archive.reader.ranges('cam1', t0 - 10_000, t0 + 200_000).gaps, [
    { startTime: t0 + 90_000, endTime: t0 + 100_000, cause: 'unreachable' },
    { startTime: t0 + 130_000, endTime: t0 + 200_000, cause: 'recording-off' },
  ]);
  // Nothing counts as missing before the first recording.
  assert.equal(archive.reader.ranges('cam1', t0 - 10_000, t0 + 200_000).begunAt, t0);
  assert.equal(archive.reader.ranges('cam1', t0 - 10_000, t0 - 5_000).begunAt, t0 - 5_000);
  assert.equal(archive.reader.ranges('cam1', t0 + 20_000, t0 + 200_000).begunAt, null);
  assert.deepEqual(archive.reader.extent('cam1', t0 - 10_000, t0 + 10_000).gaps, []);
  assert.deepEqual(archive.reader.intervals('cam1', t0 + 92_000, t0 + 95_000), [
    { kind: 'gap', startMs: t0 + 92_000, endMs: t0 + 95_000, cause: 'unreachable' },
  ]);
  assert.deepEqual(archive.reader.ranges('cam1', t0, t0).ranges, []);
  assert.deepEqual(archive.reader.ranges('unknown', t0, t0 + 1).ranges, [{ date: t0, status: 'gap' }]);
  assert.deepEqual(archive.reader.period('cam1'), { startTime: t0, endTime: t0 + 130_000 });
});

test('[R3.10] intervals of any window are adjacent, alternate and agree with the complete list', async (t) => {
  const { archive } = await archiveOf(t, [
    [0, 5_000],
    [7_000, 9_000],
    [9_100, 12_000],
    [15_000, 20_000],
  ]);
  const whole = archive.reader.intervals('cam1', t0 - 5_000, t0 + 30_000);
  const kindAt = (list: typeof whole, ms: number) =>
    list.find((each) => each.startMs <= ms && ms < each.endMs)?.kind;
  fc.assert(
    fc.property(
      fc.integer({ min: -5_000, max: 29_000 }),
      fc.integer({ min: 1, max: 20_000 }),
      (from, length) => {
        const startMs = t0 + from;
        const endMs = Math.min(startMs + length, t0 + 30_000);
        const part = archive.reader.intervals('cam1', startMs, endMs);
        assert.equal(part[0]?.startMs, startMs);
        assert.equal(part.at(-1)?.endMs, endMs);
        part.forEach((each, index) => {
          assert.ok(index === 0 || each.startMs === part[index - 1]?.endMs);
          assert.equal(kindAt(whole, each.startMs), each.kind);
        });
      },
    ),
  );
});

test('[R3.10] while a stream is being recorded, the time after its last fragment is live', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 5_500);
  await until(() => recorder.status.fragments === 5, 'five fragments');
  assert.deepEqual(archive.reader.ranges('cam1', t0, t0 + 10_000).ranges, [
    { date: t0, status: 'fragment' },
    { date: t0 + 5_000, status: 'live' },
  ]);
  assert.deepEqual((await archive.reader.coarseRanges('cam1', t0, t0 + 10_000, 60)).ranges, [
    { date: t0, status: 'fragment' },
    { date: t0 + 5_000, status: 'live' },
  ]);
  assert.equal(recorder.status.lastFragmentEndMs, t0 + 5_000);
});

test('[R3.10] a stream is live at the present even if a clock that was ahead dated footage later', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const day = 86_400_000;
  await recordSpan(archive, 'cam1', footage, t0 + 40 * day, t0 + 40 * day + 5_000);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 5_500);
  await until(() => recorder.status.fragments === 5, 'five fragments');
  assert.deepEqual(archive.reader.ranges('cam1', t0, t0 + 10_000).ranges, [
    { date: t0, status: 'fragment' },
    { date: t0 + 5_000, status: 'live' },
  ]);
});

test('[R9.3] requests longer than the limits get TimeRangeIsTooLong', async (t) => {
  const { archive } = await archiveOf(t, [[0, 2_000]]);
  archive.reader.ranges('cam1', t0, t0 + 10_800_000);
  assert.throws(() => archive.reader.ranges('cam1', t0, t0 + 10_800_001), faultOf('TimeRangeIsTooLong'));
  const coarse = (ms: number, seconds: number) => archive.reader.coarseRanges('cam1', t0, t0 + ms, seconds);
  const dayMs = 86_400_000;
  assert.equal((await coarse(31 * dayMs, 248)).ranges[0]?.status, 'fragment');
  await assert.rejects(coarse(31 * dayMs + 1, 86_400), faultOf('TimeRangeIsTooLong'));
  await coarse(60 * 10_800_000, 60);
  await assert.rejects(coarse(60 * 10_800_000 + 1, 60), faultOf('TimeRangeIsTooLong'));
  await assert.rejects(coarse(10_800_001, 1), faultOf('TimeRangeIsTooLong'));
  await assert.rejects(coarse(-1, 60), faultOf('BadRequest'));
  await archive.reader.playlist('cam1', t0, t0 + 604_800_000);
  await assert.rejects(archive.reader.playlist('cam1', t0, t0 + 604_800_001), faultOf('TimeRangeIsTooLong'));
  await archive.reader.download('cam1', t0, t0 + hourMs);
  await assert.rejects(archive.reader.download('cam1', t0, t0 + hourMs + 1), faultOf('TimeRangeIsTooLong'));
  assert.throws(() => archive.reader.ranges('cam1', t0 + 1, t0), faultOf('BadRequest'));
});

test('[R7.14] statistics cover the stored footage', async (t) => {
  const { archive } = await archiveOf(t, [
    [0, 70_000],
    [80_000, 90_000],
  ]);
  const { bytes, bitrate, ...rest } = archive.reader.stats('cam1');
  // This test doesn't define what should have been recorded.
  assert.deepEqual(rest, {
    startTime: t0,
    endTime: t0 + 90_000,
    durationMs: 80_000,
    farBytes: 0,
    segments: 3,
    recorded: null,
  });
  assert.equal(bitrate, Math.round((bytes * 8) / 80));
  assert.equal(archive.reader.stats('unknown').segments, 0);
});

test('[R7.15] [R5.3] recorded days follow the reader’s calendar, across daylight saving time too', async (t) => {
  const days = [
    Date.UTC(2026, 2, 28, 23, 30) - t0,
    Date.UTC(2026, 2, 29, 21, 30) - t0,
    Date.UTC(2026, 9, 24, 22, 30) - t0,
    Date.UTC(2026, 9, 25, 23, 30) - t0,
  ].map((fromMs) => [fromMs, fromMs + 2_000] as const);
  const { archive } = await archiveOf(t, days);
  const from = Date.UTC(2026, 0, 1);
  const to = Date.UTC(2026, 11, 31);
  const daysOf = async (zone: TimeZone, toMs = to, uid = 'cam1') =>
    (await archive.reader.recordedDays(uid, from, toMs, zone)).map(({ day }) => day);
  assert.deepEqual(await daysOf(0), ['2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25']);
  // Berlin: UTC+1, UTC+2 from 29 March 01:00 UTC to 25 October 01:00 UTC.
  assert.deepEqual(await daysOf('Europe/Berlin'), ['2026-03-29', '2026-10-25', '2026-10-26']);
  assert.deepEqual(await daysOf(180), ['2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26']);
  assert.deepEqual(await daysOf(0, Date.UTC(2026, 2, 29, 21)), ['2026-03-28']);
  assert.deepEqual(await daysOf(0, to, 'unknown'), []);
});

test('[R7.15] how much of each day is recorded, for days of 23, 24 and 25 hours, also from the cache', async (t) => {
  const autumn = Date.UTC(2026, 9, 24, 12) - t0;
  const written = await archiveOf(t, [
    // Across midnight UTC, in the night when Berlin's clocks go forward.
    [Date.UTC(2026, 2, 28, 23, 59) - t0, Date.UTC(2026, 2, 29, 0, 2) - t0],
    [autumn, autumn + 60_000],
    [autumn + 120_000, autumn + 150_000],
    [autumn + 86_400_000, autumn + 86_400_000 + 10_000],
  ]);
  await written.archive.close();
  const { archive, clock } = await openArchive(t, written.dir);
  clock.stepWall(Date.UTC(2026, 10, 1) - clock.wallMs());
  const from = Date.UTC(2026, 2, 1);
  const to = Date.UTC(2026, 10, 1);
  const [hours, seconds] = [3_600_000, 1_000];
  const berlin = [
    // Recording began 59 minutes into the day.
    { day: '2026-03-29', spanMs: 23 * hours - 3540 * seconds, recordedMs: 180 * seconds },
    { day: '2026-10-24', spanMs: 24 * hours, recordedMs: 90 * seconds },
    { day: '2026-10-25', spanMs: 25 * hours, recordedMs: 10 * seconds },
  ];
  assert.deepEqual(await archive.reader.recordedDays('cam1', from, to, 'Europe/Berlin'), berlin);
  assert.deepEqual(await archive.reader.recordedDays('cam1', from, to, 'Europe/Berlin'), berlin);
  assert.deepEqual(await archive.reader.recordedDays('cam1', from, to, 0), [
    { day: '2026-03-28', spanMs: 60 * seconds, recordedMs: 60 * seconds },
    { day: '2026-03-29', spanMs: 24 * hours, recordedMs: 120 * seconds },
    { day: '2026-10-24', spanMs: 24 * hours, recordedMs: 90 * seconds },
    { day: '2026-10-25', spanMs: 24 * hours, recordedMs: 10 * seconds },
  ]);
  // Only the requested part counts, at both ends.
  const noonMs = t0 + autumn;
  const cut = await archive.reader.recordedDays('cam1', noonMs + 30_000, noonMs + 130_000, 'Europe/Moscow');
  assert.deepEqual(cut, [{ day: '2026-10-24', spanMs: 100 * seconds, recordedMs: 40 * seconds }]);
});

test('[R7.17] a playlist of byte ranges plays in ffmpeg, with complete and growing files', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 65_000);
  stream.pause('unreachable');
  connect(stream, footage, t0 + 70_000, t0 + 80_500);
  await until(() => recorder.status.fragments === 75, 'everything but the open GOP');
  const text = await archive.reader.playlist('cam1', t0 + 2_300, t0 + 90_000);
  assert.match(text, /#EXT-X-ENDLIST\n$/);
  assert.equal(text.match(/#EXT-X-MAP/g)?.length, 1);
  assert.equal(text.match(/#EXT-X-DISCONTINUITY\n/g)?.length, 1);
  assert.deepEqual(text.match(/#EXT-X-PROGRAM-DATE-TIME:.*/g), [
    '#EXT-X-PROGRAM-DATE-TIME:2026-11-20T22:00:02.000Z',
    '#EXT-X-PROGRAM-DATE-TIME:2026-11-20T22:01:10.000Z',
  ]);
  const total = [...text.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, value]) => sum + Number(value), 0);
  assert.ok(Math.abs(total - 73) < 0.01, String(total));
  // As a server would serve them: the files under the names in the playlist.
  const site = join(dirname(dir), 'site');
  await mkdir(join(site, 'segment'), { recursive: true });
  for (const name of new Set([...text.matchAll(/segment\/(\d+)\.mp4/g)].map(([, found]) => found ?? ''))) {
    await copyFile(segmentPath(dir, 'cam1', Number(name)), join(site, 'segment', `${name}.mp4`));
  }
  await writeFile(join(site, 'index.m3u8'), text);
  const [frames] = await probePackets(join(site, 'index.m3u8'));
  assert.equal(frames, 73 * 25);
  await assert.rejects(archive.reader.playlist('unknown', t0, t0 + 1), faultOf('NotFound'));
});

test('[R7.17] a segment is served up to its last committed byte and no further', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footage, t0, t0 + 2_500);
  await until(() => recorder.status.fragments === 2, 'two fragments');
  const name = /segment\/(\d+)\.mp4/.exec(await archive.reader.playlist('cam1', t0, t0 + 10_000))?.[1] ?? '';
  const growing = await archive.reader.openSegment('cam1', name);
  assert.equal(growing.isGrowing, true);
  deliver(stream, footage, t0 + 2_500, t0 + 5_500);
  await until(() => recorder.status.fragments === 5, 'five fragments');
  const bytes = Buffer.concat(await (await growing.stream(0, 1e9)).toArray());
  assert.equal(bytes.length, growing.size);
  await recorder.stop('recording-off');
  const closed = await archive.reader.openSegment('cam1', name);
  assert.equal(closed.isGrowing, false);
  const range = Buffer.concat(await (await closed.stream(100, 199)).toArray());
  assert.deepEqual(range, bytes.subarray(100, 200));
  for (const wrong of ['1', '../cam2', 'x', '99999999999999999999', '']) {
    await assert.rejects(archive.reader.openSegment('cam1', wrong), faultOf('NotFound'));
  }
});

test('a reader that disconnects before the first byte closes the file', async (t) => {
  const { archive, dir } = await archiveOf(t, [[0, 10_000]]);
  const name = /segment\/(\d+)\.mp4/.exec(await archive.reader.playlist('cam1', t0, t0 + 10_000))?.[1] ?? '';
  const openFiles = async () => {
    const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`));
    const targets = (await Promise.allSettled(links)).map((one) =>
      one.status === 'fulfilled' ? one.value : '',
    );
    return targets.filter((target) => target.startsWith(dir) && target.endsWith('.mp4')).length;
  };
  const streams = await Promise.all(
    Array.from({ length: 5 }, async () => (await archive.reader.openSegment('cam1', name)).stream(0, 999)),
  );
  for (const stream of streams) stream.destroy();
  // Closing takes a few turns of the event loop; otherwise only the garbage collector would close them, some
  // seconds later.
  let looks = 0;
  while ((await openFiles()) > 0) assert.ok(++looks < 200, 'files stay open');
});

test('the key frame at or before a time can be decoded alone', async (t) => {
  const { archive } = await archiveOf(t, [
    [0, 10_000],
    [20_000, 30_000],
  ]);
  const { timeMs, track, keySample } = await archive.reader.frameAt('cam1', t0 + 5_700);
  assert.equal(timeMs, t0 + 5_000);
  assert.equal(track.codec, 'h264');
  assert.equal(keySample.isKey, true);
  const [expected] = footage.between(t0 + 5_000, t0 + 5_001).filter((sample) => sample.trackId === 1);
  assert.deepEqual(Buffer.concat([...keySample.data]), Buffer.concat([...(expected?.data ?? [])]));
  assert.equal((await archive.reader.frameAt('cam1', t0 + 15_000)).timeMs, t0 + 9_000);
  await assert.rejects(archive.reader.frameAt('cam1', t0 - 1), faultOf('NotFound'));
});

test('a key frame between two milliseconds is found by the time reported for it', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  const frames = footageOf('h264-no-b.mp4');
  const halfMs = 45;
  stream.setTracks(frames.tracks);
  for (const sample of frames.between(t0, t0 + 10_000)) {
    stream.write({ ...sample, dts: sample.dts + halfMs, pts: sample.pts + halfMs });
  }
  await recorder.stop('recording-off');
  const told = await archive.reader.frameAt('cam1', t0 + 5_700);
  assert.equal(told.timeMs, t0 + 5_000);
  assert.equal((await archive.reader.frameAt('cam1', told.timeMs)).timeMs, told.timeMs);
});
