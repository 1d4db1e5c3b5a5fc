import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mkdir, open, readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { Stream } from '../../hub/stream.ts';
import { until } from '../../base/until-fixture.ts';
import { faultOf, openArchive, recordSpan, temporaryRoot } from '../fixtures/archive-fixture.ts';
import type { Archive } from '../archive.ts';
import { connect, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { catalogPath } from '../segments/segments.ts';

const day = '2026-11-20';
const end = t0 + 30_000;

/** Three contiguous segments of ten seconds; returns the path of the second one's file. */
async function threeSegments(t: TestContext): Promise<{ dir: string; file: string }> {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir, { limits: { segmentMs: 10_000 } });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footageOf('h264-no-b.mp4'), t0, end);
  await recorder.stop('recording-off');
  await archive.close();
  return { dir, file: join(dir, 'cam1', day, '22-00-10.000.mp4') };
}

function sizes(archive: Archive): { startTime: number; endTime: number }[] {
  return archive.reader
    .extent('cam1', t0, end)
    .gaps.map(({ startTime, endTime }) => ({ startTime, endTime }));
}

const damages: [string, (file: string) => Promise<void>, readonly [number, number]][] = [
  ['missing', (file) => rm(file), [10_000, 20_000]],
  ['empty', (file) => truncate(file, 0), [10_000, 20_000]],
  [
    'a folder',
    async (file) => {
      await rm(file);
      await mkdir(file);
    },
    [10_000, 20_000],
  ],
  ['cut in half', async (file) => truncate(file, Math.floor((await stat(file)).size / 2)), [14_000, 20_000]],
  [
    'overwritten',
    async (file) => writeFile(file, Buffer.alloc((await stat(file)).size, 7)),
    [10_000, 20_000],
  ],
  [
    'zeros from the middle on',
    async (file) => {
      const handle = await open(file, 'r+');
      const { size } = await handle.stat();
      await handle.write(Buffer.alloc(size - Math.floor(size / 2)), 0, undefined, Math.floor(size / 2));
      await handle.close();
    },
    [14_000, 20_000],
  ],
];

for (const [name, damage, [fromMs, toMs]] of damages) {
  test(`[R3.10] a segment that is ${name} is a gap with that cause, and the rest plays and downloads`, async (t) => {
    const { dir, file } = await threeSegments(t);
    await damage(file);
    const { archive } = await openArchive(t, dir);
    const download = await archive.reader.download('cam1', t0, end);
    const bytes = await buffer(Readable.from(download.stream()));
    assert.equal(bytes.length, download.contentLength);
    assert.ok(
      download.durationMs < end - t0 && download.durationMs >= 20_000 - 100,
      `${download.durationMs}`,
    );
    const { gaps } = archive.reader.ranges('cam1', t0, end);
    assert.equal(gaps.length, 1);
    const [gap] = gaps;
    assert.equal(gap?.cause, 'file-damaged');
    assert.ok(Math.abs((gap?.startTime ?? 0) - t0 - fromMs) <= 1_000, `${gap?.startTime}`);
    assert.equal(gap?.endTime, t0 + toMs);
    assert.deepEqual((await archive.reader.coarseRanges('cam1', t0, end, 1)).gaps, gaps);
    const playlist = await archive.reader.playlist('cam1', t0, end);
    assert.equal(playlist.includes('DISCONTINUITY'), true);
    await archive.reader.frameAt('cam1', t0 + 15_000);
    await archive.close();

    // Stored in the catalog: known after a restart, before any file is opened.
    const { archive: next } = await openArchive(t, dir);
    assert.deepEqual(next.reader.ranges('cam1', t0, end).gaps, gaps);
    assert.equal(next.reader.stats('cam1').segments, 3);
  });
}

test('[R3.10] a request for a frame in an overwritten fragment returns the one before it, and the gap is known', async (t) => {
  const { dir, file } = await threeSegments(t);
  const bytes = await readFile(file);
  const moofs: number[] = [];
  for (let at = bytes.indexOf('moof'); at >= 0; at = bytes.indexOf('moof', at + 1)) moofs.push(at - 4);
  const [at = 0, after = 0] = moofs.slice(moofs.length / 2);
  await writeFile(file, bytes.fill(7, at, after));
  const { archive } = await openArchive(t, dir);
  await archive.reader.playlist('cam1', t0, end);
  assert.deepEqual(sizes(archive), [], 'a check of the ends does not find it');
  const { timeMs } = await archive.reader.frameAt('cam1', t0 + 15_500);
  const [gap] = sizes(archive);
  assert.ok(gap && gap.startTime > t0 + 11_000 && gap.startTime < t0 + 15_500, JSON.stringify(gap));
  assert.ok(timeMs >= t0 + 10_000 && timeMs < gap.startTime, `${timeMs - t0}`);
});

test('a byte range and a short download check their own fragments only, and find damage there', async (t) => {
  const { dir, file } = await threeSegments(t);
  const bytes = await readFile(file);
  const moofs: number[] = [];
  for (let at = bytes.indexOf('moof'); at >= 0; at = bytes.indexOf('moof', at + 1)) moofs.push(at - 4);
  assert.equal(moofs.length, 10);
  const [second = 0, third = 0, eighth = 0, ninth = 0] = [moofs[1], moofs[2], moofs[7], moofs[8]];
  await writeFile(file, bytes.fill(7, eighth, ninth));
  const { archive } = await openArchive(t, dir);
  const name = String((t0 + 10_000) * 90);
  const range = (start: number, end: number) =>
    archive.reader.openSegment('cam1', name, () => ({ start, end }));
  const whole = await range(second, third - 1);
  assert.equal(whole.size, bytes.length);
  assert.deepEqual(await buffer(await whole.stream(second, third - 1)), bytes.subarray(second, third));
  const inside = await range(second + 100, third + 100);
  assert.deepEqual(
    await buffer(await inside.stream(second + 100, third + 100)),
    bytes.subarray(second + 100, third + 101),
  );
  const header = await range(0, (moofs[0] ?? 0) - 1);
  assert.deepEqual(await buffer(await header.stream(0, (moofs[0] ?? 0) - 1)), bytes.subarray(0, moofs[0]));
  const { durationMs } = await archive.reader.download('cam1', t0 + 12_000, t0 + 14_000);
  assert.equal(durationMs, 2_000);
  assert.deepEqual(sizes(archive), [], 'no request has read the damage');
  await assert.rejects(archive.reader.download('cam1', t0 + 17_000, t0 + 18_000), faultOf('NotFound'));
  assert.deepEqual(sizes(archive), [{ startTime: t0 + 17_000, endTime: t0 + 20_000 }]);
  const cut = await range(eighth, ninth - 1);
  assert.equal(cut.size, eighth);
  await cut.close();
});

test('a byte range that meets damage ends before it', async (t) => {
  const { dir, file } = await threeSegments(t);
  const bytes = await readFile(file);
  const last = bytes.lastIndexOf('moof') - 4;
  await writeFile(file, bytes.fill(7, last, last + 100));
  const { archive } = await openArchive(t, dir);
  const name = String((t0 + 10_000) * 90);
  const cut = await archive.reader.openSegment('cam1', name, (size) => ({ start: 0, end: size - 1 }));
  assert.equal(cut.size, last);
  await cut.close();
});

test('a header that was overwritten is not served', async (t) => {
  const { dir, file } = await threeSegments(t);
  const bytes = await readFile(file);
  const headerBytes = bytes.indexOf('moof') - 4;
  await writeFile(file, bytes.fill(7, 0, headerBytes));
  const { archive } = await openArchive(t, dir);
  const header = archive.reader.openSegment('cam1', String((t0 + 10_000) * 90), () => ({
    start: 0,
    end: headerBytes - 1,
  }));
  await assert.rejects(header, faultOf('NotFound'));
  assert.deepEqual(sizes(archive), [{ startTime: t0 + 10_000, endTime: t0 + 20_000 }]);
});

test('[R3.10] creating a playlist is enough to find a file whose second half is zeros', async (t) => {
  const { dir, file } = await threeSegments(t);
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0, bytes.length / 2));
  const { archive } = await openArchive(t, dir);
  assert.ok((await archive.reader.playlist('cam1', t0, end)).includes('DISCONTINUITY'));
});

test('[R3.10] a damaged file is found without being opened, and its mark is removed once it is intact again', async (t) => {
  const { dir, file } = await threeSegments(t);
  const { archive, clock } = await openArchive(t, dir);
  assert.deepEqual(sizes(archive), []);
  await rename(file, `${file}.kept`);
  const turn = async (condition: () => boolean, what: string) => {
    const ticking = setInterval(() => clock.advance(1_000), 5);
    try {
      await until(condition, what);
    } finally {
      clearInterval(ticking);
    }
  };
  await turn(() => sizes(archive).length === 1, 'the gap');
  await rename(`${file}.kept`, file);
  await turn(() => sizes(archive).length === 0, 'the end of the gap');
  // If all files are missing, it is another disk, not damage.
  await rename(dir, `${dir}-disk`);
  await mkdir(dir);
  for (let second = 0; second < 100; second++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(sizes(archive), []);
  await rm(dir, { recursive: true });
  await rename(`${dir}-disk`, dir);
  await archive.close();
});

test('[R3.10] the files of many streams with footage of the same time are all checked, some at a time', async (t) => {
  const { dir } = await threeSegments(t);
  const database = new DatabaseSync(catalogPath(dir));
  const [first] = database.prepare('SELECT * FROM segment ORDER BY start_ticks').all();
  const columns = Object.keys(first ?? {}).join();
  for (let stream = 0; stream < 60; stream++) {
    const { lastInsertRowid: id } = database
      .prepare('INSERT INTO stream (uid) VALUES (?)')
      .run(`lost${stream}`);
    const { lastInsertRowid: index } = database
      .prepare('INSERT INTO fragment_index (entries, sums) SELECT entries, sums FROM fragment_index LIMIT 1')
      .run();
    const copy = { ...first, stream_id: id, index_id: index };
    const marks = Object.keys(copy).map((name) => `:${name}`);
    database.prepare(`INSERT INTO segment (${columns}) VALUES (${marks.join()})`).run(copy);
  }
  database.close();
  const { archive, clock } = await openArchive(t, dir);
  const gapsOf = (stream: number) => archive.reader.extent(`lost${stream}`, t0, end).gaps.length;
  const gaps = () => Array.from({ length: 60 }, (_, stream) => gapsOf(stream));
  const ticking = setInterval(() => clock.advance(1_000), 5);
  t.after(() => clearInterval(ticking));
  await until(() => gaps().every((count) => count === 1), 'a gap in each of them');
  assert.deepEqual(sizes(archive), [], 'the file that is there is whole');
});

test('[R3.10] the file of a damaged segment is served up to the damage, and a lost one is NotFound', async (t) => {
  const { dir, file } = await threeSegments(t);
  const whole = await readFile(file);
  await truncate(file, Math.floor(whole.length / 2));
  const { archive } = await openArchive(t, dir);
  const name = /segment\/(\d+)\.mp4/g;
  const [, second] = [
    ...new Set([...(await archive.reader.playlist('cam1', t0, end)).matchAll(name)].map((m) => m[1])),
  ];
  const bytes = await archive.reader.openSegment('cam1', second ?? '');
  assert.ok(bytes.size > 0 && bytes.size <= whole.length / 2);
  const body = await bytes.stream(0, bytes.size - 1);
  assert.deepEqual(await buffer(body), whole.subarray(0, bytes.size));
  await rm(join(dir, 'cam1', day, '22-00-20.000.mp4'));
  const last = await archive.reader
    .playlist('cam1', t0, end)
    .then((text) => [...text.matchAll(name)].at(-1)?.[1]);
  assert.equal(last, second);
  await assert.rejects(
    archive.reader.openSegment('cam1', `${BigInt(t0 + 20_000) * 90n}`),
    faultOf('NotFound'),
  );
});

/** Overwrites the fragments from the middle of a file, without changing its size and times. */
async function spoilSecretly(file: string): Promise<void> {
  const { atime, mtime } = await stat(file);
  const bytes = await readFile(file);
  const moofs: number[] = [];
  for (let at = bytes.indexOf('moof'); at >= 0; at = bytes.indexOf('moof', at + 1)) moofs.push(at);
  // The first box inside: a check of the type of each fragment does not find it.
  for (const at of moofs.slice(moofs.length / 2)) bytes.fill(7, at + 4, at + 12);
  await writeFile(file, bytes);
  await utimes(file, atime, mtime);
}

const readers: [string, (archive: Archive) => Promise<unknown>][] = [
  [
    'a download that begins in it',
    async (archive) => {
      const download = await archive.reader.download('cam1', t0 + 16_000, end);
      return buffer(Readable.from(download.stream()));
    },
  ],
  ['a frame', (archive) => archive.reader.frameAt('cam1', t0 + 16_500)],
  ['a GOP', (archive) => archive.reader.gopAt('cam1', t0 + 16_500)],
];
for (const [name, read] of readers) {
  test(`[R3.10] ${name} finds a file damaged after it was cached as intact, marks it and skips the damage`, async (t) => {
    const { dir, file } = await threeSegments(t);
    const { archive, clock } = await openArchive(t, dir);
    const all = await archive.reader.download('cam1', t0, end);
    assert.equal(all.durationMs, end - t0);
    await spoilSecretly(file);
    await read(archive);
    const [gap, ...others] = archive.reader.ranges('cam1', t0, end).gaps;
    assert.deepEqual([gap?.cause, others.length], ['file-damaged', 0]);
    assert.equal(gap?.endTime, t0 + 20_000);
    assert.ok((gap?.startTime ?? 0) > t0 + 11_000, 'footage before the damage is still played');
    const rest = await archive.reader.download('cam1', t0, end);
    assert.equal((await buffer(Readable.from(rest.stream()))).length, rest.contentLength);
    assert.ok(rest.durationMs < all.durationMs);
    // The second check reads the part after the mark: it does not remove the mark because of the length alone.
    for (let second = 0; second < 70; second++) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(sizes(archive).length, 1);
    await archive.close();
  });
}

test('[R3.10] a lost segment counts as missing, in the recorded days and the coverage, until it is back', async (t) => {
  const { dir, file } = await threeSegments(t);
  const { archive, clock } = await openArchive(t, dir);
  clock.advance(30_000);
  const recorder = archive.recorders.record('cam1', new Stream('cam1'));
  const daysOf = async () => archive.reader.recordedDays('cam1', t0, end, 0);
  const shareOf = () => archive.reader.stats('cam1').recorded?.day;
  const whole = [{ day, spanMs: 30_000, recordedMs: 30_000 }];
  assert.deepEqual(await daysOf(), whole);
  assert.equal(shareOf()?.recordedMs, 30_000);
  await rename(file, `${file}.kept`);
  await archive.reader.playlist('cam1', t0, end);
  assert.deepEqual(await daysOf(), [{ day, spanMs: 30_000, recordedMs: 20_000 }]);
  assert.equal(shareOf()?.recordedMs, 20_000);
  await recorder.stop('recording-off');

  // Of a file cut in half, the remaining half counts.
  const half = await threeSegments(t);
  await truncate(half.file, Math.floor((await stat(half.file)).size / 2));
  const { archive: next } = await openArchive(t, half.dir);
  await next.reader.playlist('cam1', t0, end);
  const [{ recordedMs } = { recordedMs: 0 }] = await next.reader.recordedDays('cam1', t0, end, 0);
  assert.ok(Math.abs(recordedMs - 24_000) <= 1_000, `${recordedMs}`);
});

test('[R3.10] the cached total of a past day is recomputed when one of its files is lost, and when it is back', async (t) => {
  const { dir } = await threeSegments(t);
  const dayMs = 86_400_000;
  const clock = new ManualClock(t0 + 3 * dayMs);
  const { archive } = await openArchive(t, dir, { clock });
  const from = Math.floor(t0 / dayMs) * dayMs;
  // Recording began in the middle of the first day, so only a later day is cached.
  await recordSpan(archive, 'cam1', footageOf('h264-no-b.mp4'), t0 + dayMs, t0 + dayMs + 10_000);
  await recordSpan(archive, 'cam1', footageOf('h264-no-b.mp4'), t0 + dayMs + 60_000, t0 + dayMs + 70_000);
  const recordedOn = async () => {
    const days = await archive.reader.recordedDays('cam1', from, from + 3 * dayMs, 0);
    return days.map(({ recordedMs }) => recordedMs);
  };
  assert.deepEqual(await recordedOn(), [30_000, 20_000]);
  const second = join(dir, 'cam1', '2026-11-21', '22-01-00.000.mp4');
  await rename(second, `${second}.kept`);
  await archive.reader.playlist('cam1', t0 + dayMs, t0 + dayMs + 70_000);
  assert.deepEqual(await recordedOn(), [30_000, 10_000]);
  await rename(`${second}.kept`, second);
  const ticking = setInterval(() => clock.advance(1_000), 5);
  try {
    await until(
      () => archive.reader.ranges('cam1', t0 + dayMs, t0 + dayMs + 70_000).gaps.length === 1,
      'the end of the gap',
    );
  } finally {
    clearInterval(ticking);
  }
  assert.deepEqual(await recordedOn(), [30_000, 20_000]);
});

test('a segment with a damaged index is not played', async (t) => {
  const { dir } = await threeSegments(t);
  const database = new DatabaseSync(catalogPath(dir));
  database.exec(`UPDATE fragment_index SET entries = X'FFFF' WHERE id = 2`);
  database.close();
  const { archive } = await openArchive(t, dir);
  const download = await archive.reader.download('cam1', t0, end);
  assert.ok(Math.abs(download.durationMs - 20_000) < 200);
  assert.equal(archive.reader.ranges('cam1', t0, end).gaps[0]?.cause, 'file-damaged');
});

test('[R10.8] a catalog of the previous version gets the damage table and the checksum column', async (t) => {
  const { dir } = await threeSegments(t);
  const database = new DatabaseSync(catalogPath(dir));
  database.exec(
    'DROP TABLE damage; ALTER TABLE fragment_index DROP COLUMN sums; UPDATE archive SET version = 2',
  );
  database.close();
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.reader.stats('cam1').segments, 3);
});
