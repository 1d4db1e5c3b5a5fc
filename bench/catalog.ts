/**
 * `npm run bench catalog [DAYS]`: how quickly the archive's catalog answers queries, with ten streams of
 * one-minute segments for a year (or DAYS), compared with a month in the same run. Each query must take under 5
 * ms at the median, and no longer with age. Writes about 2.5 GB into the folder for temporary files and removes
 * them.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  RecordedDayReader,
  ContinuityHours,
  intervalsOf,
  vodPlaylistOf,
} from '../server/src/archive/read/read.ts';
import { systemClock } from '../server/src/base/clock.ts';
import {
  openCatalogForReading,
  openCatalogForWriting,
  type CatalogStreamRow,
  ClosedSegments,
  TimelineReads,
} from '../server/src/archive/catalog/catalog.ts';
import { encodeEntry, catalogTicks } from '../server/src/archive/segments/segments.ts';

const streamCount = 10;
const minuteMs = 60_000;
const dayMs = 86_400_000;
const endMs = Date.UTC(2026, 10, 21);
const rounds = 300;
const limitMs = 5;
/** The older catalog may be slower per result by this factor: it has a deeper tree and colder pages. */
const growthMax = 2;
/** Below this, growth is noise. */
const noticeableMs = 0.1;
/** For comparison only: it reads the positions of ten thousand fragments. */
const playlistQuestion = 'playlist of 3 hours';
/** Also for comparison: runs once per stream after a start, a few streams at a time. */
const firstLookQuestion = 'the same, first look';
/**
 * Also for comparison: runs once per stream that is read, with a pause for the event loop every few
 * milliseconds.
 */
const wholeDepthQuestion = 'days of all, first look';
const comparisons: ReadonlySet<string> = new Set([playlistQuestion, firstLookQuestion, wholeDepthQuestion]);

/** A query returns the number of results, so that an archive with fewer days is compared fairly. */
type Ask = (round: number) => number | Promise<number>;

interface Result {
  readonly answers: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly worstMs: number;
}

/** A catalog as the recorder writes it: 60 fragments per segment, a short gap in every tenth hour. */
async function makeCatalog(path: string, days: number): Promise<void> {
  const database = openCatalogForWriting(path);
  database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -200000');
  const entry = encodeEntry({ durationTicks: 90_000, bytes: 512_345, startsWithKey: true });
  const entries = Buffer.concat(Array.from({ length: 60 }, () => entry));
  const bytes = 60 * 512_345 + 1200;
  const ticks = catalogTicks(minuteMs);
  database.exec(`INSERT INTO init (id, digest, bytes) VALUES (1, zeroblob(32), zeroblob(1200))`);
  const addStream = database.prepare(
    'INSERT INTO stream (id, uid, segments, bytes, duration_ticks) VALUES (?, ?, 1, 1, 1)',
  );
  const addIndex = database.prepare('INSERT INTO fragment_index (id, entries) VALUES (?, ?)');
  const addSegment = database.prepare(
    'INSERT INTO segment (stream_id, start_ticks, end_ticks, bytes, init_id, index_id, is_open) VALUES (?, ?, ?, ?, 1, ?, 0)',
  );
  for (let stream = 1; stream <= streamCount; stream++) addStream.run(stream, `cam${stream}`);
  const startMs = endMs - days * dayMs;
  let row = 0;
  database.exec('BEGIN');
  for (let minute = 0; minute < days * 1440; minute++) {
    if (minute % 600 === 599) continue;
    for (let stream = 1; stream <= streamCount; stream++) {
      // Streams do not begin their files at the same time.
      const start = catalogTicks(startMs + minute * minuteMs) + stream * 90_000;
      addIndex.run(++row, entries);
      addSegment.run(stream, start, start + ticks, bytes, row);
    }
    if (minute % 10_000 === 0) database.exec('COMMIT; BEGIN');
  }
  database.exec('COMMIT');
  database.close();
}

/** Each query on the young and the old catalog in turn, so that other load of the machine affects both. */
async function measure(asks: readonly Ask[]): Promise<Result[]> {
  const times: number[][] = asks.map(() => []);
  const answers = asks.map(() => 0);
  for (let round = 0; round < rounds; round++) {
    for (const [index, ask] of asks.entries()) {
      const from = performance.now();
      const count = await ask(round);
      times[index]?.push(performance.now() - from);
      answers[index] = (answers[index] ?? 0) + count / rounds;
    }
  }
  return times.map((list, index) => {
    list.sort((a, b) => a - b);
    const at = (share: number) => list[Math.floor(share * (list.length - 1))] ?? 0;
    return { answers: answers[index] ?? 0, medianMs: at(0.5), p95Ms: at(0.95), worstMs: at(1) };
  });
}

function questionsOf(database: DatabaseSync, days: number): Record<string, Ask> {
  const reads = new TimelineReads(database);
  const closed = new ClosedSegments(database);
  const streams = reads.streams();
  const streamOf = (round: number) => streams[round % streamCount] as CatalogStreamRow;
  // Spread over the whole period, in the same way in every run.
  const momentOf = (round: number) => endMs - dayMs * (0.2 + ((round * 0.618) % 1) * (days - 0.5));
  const threeHoursMs = 180 * minuteMs;
  const monthTicks = catalogTicks(30 * dayMs);
  const remembered: Record<number, ContinuityHours> = {};
  const sums = new RecordedDayReader(reads, systemClock);
  return {
    'ranges of three hours': (round) => {
      const at = momentOf(round);
      return intervalsOf(reads, streamOf(round), at, at + threeHoursMs, false).length;
    },
    'days of three months': async (round) => {
      const at = Math.max(momentOf(round), endMs - (days - 92) * dayMs);
      return (await sums.of(streamOf(round).uid, at - 92 * dayMs, at, 'Europe/Berlin')).length;
    },
    [wholeDepthQuestion]: async (round) =>
      (await new RecordedDayReader(reads, systemClock).of(streamOf(round).uid, 0, endMs, 'Europe/Berlin'))
        .length,
    'days of all, again': async (round) =>
      (await sums.of(streamOf(round).uid, 0, endMs, 'Europe/Berlin')).length,
    'the newest segment': (round) => (reads.newestSegment(streamOf(round).id) ? 1 : 0),
    'recorded of 30 days': (round) => {
      const { id } = streamOf(round);
      const hours = (remembered[id] ??= new ContinuityHours());
      const { expectedTicks } = hours.window(reads, streamOf(round), monthTicks, catalogTicks(endMs));
      return expectedTicks > 0 ? 1 : 0;
    },
    [firstLookQuestion]: (round) =>
      new ContinuityHours().window(reads, streamOf(round), monthTicks, catalogTicks(endMs)).expectedTicks > 0
        ? 1
        : 0,
    'the next victim': () => closed.oldestLocal(1).length,
    'totals for the quota': () => (reads.totals().bytes > 0 ? 1 : 0),
    [playlistQuestion]: async (round) => {
      const at = momentOf(round);
      const text = await vodPlaylistOf(reads, streamOf(round), at, at + threeHoursMs, 6_000);
      return text.length > 0 ? 1 : 0;
    },
  };
}

const days = Number(process.argv[2] ?? 365);
const folder = await mkdtemp(join(tmpdir(), 'vidette-bench-catalog-'));
try {
  const databases: DatabaseSync[] = [];
  const catalogs: Record<string, Ask>[] = [];
  for (const age of [30, days]) {
    const path = join(folder, `${age}-days.sqlite`);
    const from = performance.now();
    await makeCatalog(path, age);
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    const megabytes = ((await stat(path)).size / 1e6).toFixed(0);
    console.log(`${age} days of ${streamCount} streams: ${megabytes} MB, made in ${seconds} s`);
    const database = openCatalogForReading(path);
    databases.push(database);
    catalogs.push(questionsOf(database, age));
  }
  console.log(`\nms, ${rounds} rounds            30 days        ${days} days`);
  console.log('                         median     p95  median     p95   worst');
  let failures = 0;
  for (const name of Object.keys(catalogs[0] ?? {})) {
    const [young, old] = await measure(catalogs.map((questions) => questions[name] as Ask));
    if (!young || !old) continue;
    const perAnswer = ({ medianMs, answers }: Result) => medianMs / answers;
    const grew = old.medianMs > noticeableMs && perAnswer(old) > perAnswer(young) * growthMax;
    const failed = !comparisons.has(name) && (old.medianMs >= limitMs || grew);
    if (failed) failures++;
    const cells = [young.medianMs, young.p95Ms, old.medianMs, old.p95Ms, old.worstMs];
    const row = cells.map((value) => value.toFixed(3).padStart(8)).join('');
    console.log(`${name.padEnd(23)}${row}${failed ? '  FAILED' : ''}`);
  }
  for (const database of databases) database.close();
  console.log(
    failures === 0
      ? `\nAll under ${limitMs} ms at the median, and no slower with age.`
      : `\nFailed: ${failures}`,
  );
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
