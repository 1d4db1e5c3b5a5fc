/**
 * `npm run bench archive [FILES=40] [CHECKOUT]`: what a reader waits for in an archive of 30 days: the first footage of a
 * random instant, in files that were not read before and again in files that were; and the recorded ranges of all 30
 * days, in 240 calls of three hours and in one coarse call. Beside it, FFmpeg finds the same instants in the same files,
 * which it is given: `ffmpeg -ss` copies the first frames from there. With CHECKOUT, the folder of another version, its
 * server gets the same requests in turn.
 */
import { execFile } from 'node:child_process';
import { cp, link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { administratorOf } from '../e2e/api.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import { openArchive } from '../server/src/archive/archive.ts';
import { connect, deliver, footageOf, heavier } from '../server/src/archive/fixtures/footage-fixture.ts';
import { catalogTicks, segmentPath } from '../server/src/archive/segments/segments.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { silentLog } from '../server/src/base/log.ts';
import { Stream } from '../server/src/hub/stream.ts';
import { median, percentile } from './usage.ts';

const run = promisify(execFile);
const files = Number(process.argv[2] ?? 40);
const checkout = process.argv[3];
const minuteMs = 60_000;
const days = 30;
/**
 * Each question has files of its own, so that none has been read before: those of a server that has just been started, and
 * those of one that has answered such questions. The others have rows, and one file in common.
 */
const fileGroups = 8;
const realMinutes = fileGroups * files;
/** Requests in a row before another program has its turn, so that what it leaves in the processor's caches matters little. */
const inARow = 10;
/** Per frame, 25 a second: 1 Mbit/s. */
const fillerBytes = 4_500;
/** Goals at the median, in this version. */
const instantGoalMs = 2;
const rangesGoalMs = 10;

const endMs = Math.floor(Date.now() / minuteMs) * minuteMs - 10 * minuteMs;
const startMs = endMs - days * 1440 * minuteMs;
/** The minutes that are recorded for real, spread over the whole time. */
const realMinuteOf = (index: number) =>
  startMs + Math.floor(((index + 0.5) * days * 1440) / realMinutes) * minuteMs;
/** In every tenth hour a minute is missing. */
const isMissing = (minute: number) => minute % 600 === 599;

/** Records the real minutes with the product's own recorder, and adds rows for the others. */
async function fillArchive(dataDir: string, uid: string): Promise<void> {
  const dir = join(dataDir, 'archive');
  const catalog = join(dataDir, 'archive.sqlite');
  const archive = await openArchive({
    dir,
    catalog,
    clock: systemClock,
    log: silentLog,
    limits: { groupMs: 0 },
  });
  const footage = heavier(footageOf('h264-no-b.mp4', 'aac.mp4'), fillerBytes);
  for (let index = 0; index < realMinutes; index++) {
    const stream = new Stream(uid);
    const recorder = archive.recorders.record(uid, stream);
    const at = realMinuteOf(index);
    connect(stream, footage, at, at + 1_000);
    // The recorder's queue is bounded, so that it gets no more than a second before that is written.
    for (let second = 1; second < 60; second++) {
      deliver(stream, footage, at + second * 1_000, at + (second + 1) * 1_000);
      await until(
        () => recorder.status.fragments,
        (fragments) => fragments >= second,
      );
    }
    await recorder.stop('recording-off');
  }
  await archive.close();
  const database = new DatabaseSync(catalog);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const [real] = database.prepare('SELECT * FROM segment ORDER BY start_ticks LIMIT 1').all() as Record<
    string,
    number
  >[];
  if (!real) throw new Error('Nothing was recorded');
  const source = segmentPath(dir, uid, real['start_ticks'] ?? 0);
  const addIndex = database.prepare(
    'INSERT INTO fragment_index (id, entries, sums) SELECT ?, entries, sums FROM fragment_index WHERE id = ?',
  );
  const addSegment = database.prepare(
    'INSERT INTO segment (stream_id, start_ticks, end_ticks, bytes, init_id, index_id, is_open) VALUES (?, ?, ?, ?, ?, ?, 0)',
  );
  const isReal = new Set(Array.from({ length: realMinutes }, (_, index) => realMinuteOf(index)));
  let row = 1_000_000;
  let [copiedDay, shared] = [-1, source];
  for (let minute = 0; minute < days * 1440; minute++) {
    const atMs = startMs + minute * minuteMs;
    if (isReal.has(atMs) || isMissing(minute)) continue;
    const ticks = catalogTicks(atMs);
    addIndex.run(++row, real['index_id'] ?? 0);
    addSegment.run(
      real['stream_id'] ?? 0,
      ticks,
      ticks + catalogTicks(minuteMs),
      real['bytes'] ?? 0,
      real['init_id'] ?? 0,
      row,
    );
    const path = segmentPath(dir, uid, ticks);
    await mkdir(dirname(path), { recursive: true });
    // A file has a limited number of names.
    const day = Math.floor(minute / 1440);
    if (day !== copiedDay) {
      copiedDay = day;
      shared = join(dataDir, `shared-${day}.mp4`);
      await cp(source, shared);
    }
    await link(shared, path);
  }
  database.exec(`DELETE FROM interruption;
    UPDATE stream SET segments = (SELECT count(*) FROM segment), bytes = (SELECT sum(bytes) FROM segment),
      duration_ticks = (SELECT sum(end_ticks - start_ticks) FROM segment);
    COMMIT`);
  database.close();
}

async function until<T>(value: () => T, accept: (value: T) => boolean): Promise<void> {
  while (!accept(value())) await new Promise((resolve) => setImmediate(resolve));
}

interface Side {
  readonly name: string;
  readonly server: TestServer;
  /** The administrator's. */
  readonly cookie: string;
  /** Path of the stream's archive calls. */
  readonly archive: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** The whole answer. Rejects if it is no success. */
function ask({ server, cookie, archive }: Side, path: string, range?: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, ...(range !== undefined && { range }) };
    const request = get(`${server.url}${archive}/${path}`, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        if ((response.statusCode ?? 500) < 300) resolve(body);
        else reject(new Error(`${path}: ${response.statusCode} ${body.toString().slice(0, 300)}`));
      });
    });
    request.on('error', reject);
  });
}

/** As a player does: the playlist, then the first byte range that it names. */
async function play(side: Side, at: number): Promise<void> {
  const list = await ask(side, `index.m3u8?start_time=${at}&end_time=${at + minuteMs}&entry_seconds=0`);
  const entry = /#EXT-X-BYTERANGE:(\d+)@(\d+)\n(?:#.*\n)*(segment\/\S+)/.exec(list.toString());
  const [, bytes, offset, file = ''] = entry ?? [];
  const fragment = await ask(side, file, `bytes=${offset}-${Number(offset) + Number(bytes) - 1}`);
  if (fragment.toString('latin1', 4, 8) !== 'moof') throw new Error(`no fragment in ${list.toString()}`);
}

async function download(side: Side, at: number): Promise<void> {
  const file = await ask(side, `download?start_time=${at}&end_time=${at + 1_000}`);
  if (file.toString('latin1', 4, 8) !== 'ftyp') throw new Error('no MP4');
}

/** The fragment of an instant in a playlist that the player already has. */
async function fragment(side: Side, at: number): Promise<void> {
  const minute = Math.floor(at / minuteMs) * minuteMs;
  // Its fragments are of about the same length.
  const from = Math.floor((at - minute) / 1_000) * 117_000;
  await ask(side, `segment/${catalogTicks(minute)}.mp4`, `bytes=${from}-${from + 117_000}`);
}

const instants: Record<string, (side: Side, at: number) => Promise<void>> = {
  playlist: async (side, at) =>
    void (await ask(side, `index.m3u8?start_time=${at}&end_time=${at + minuteMs}`)),
  'byte range of one second': fragment,
  'playlist, then its first range': play,
  'download of one second': download,
};

async function fineRanges(side: Side): Promise<void> {
  for (let at = startMs; at < endMs; at += 180 * minuteMs)
    await ask(side, `ranges?start_time=${at}&end_time=${at + 180 * minuteMs}`);
}

async function coarseRanges(side: Side, seconds: number): Promise<void> {
  await ask(side, `ranges?start_time=${startMs}&end_time=${endMs}&resolution_seconds=${seconds}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function report(name: string, found: ReadonlyMap<string, readonly number[]>): void {
  const cells = [...found].map(([side, list]) => {
    const figures = [median(list), percentile(list, 95)].map((ms) => ms.toFixed(2)).join(' / ');
    return `${side} ${figures}`;
  });
  console.log(`${name.padEnd(52)}${cells.map((cell) => cell.padEnd(26)).join('')}`);
}

/** In turn, so that other load on the machine affects all alike. */
async function compare(
  name: string,
  sides: readonly Side[],
  rounds: number,
  work: (side: Side, round: number) => Promise<void>,
  rival?: (round: number) => Promise<unknown>,
): Promise<number> {
  const found = new Map<string, number[]>(
    [...sides.map(({ name: side }) => side), ...(rival ? ['ffmpeg'] : [])].map((side) => [side, []]),
  );
  for (let first = 0; first < rounds; first += inARow) {
    const some = Array.from({ length: Math.min(inARow, rounds - first) }, (_, index) => first + index);
    for (const side of (first / inARow) % 2 ? sides : sides.toReversed())
      for (const round of some) found.get(side.name)?.push(await timed(() => work(side, round)));
    if (rival) for (const round of some) found.get('ffmpeg')?.push(await timed(() => rival(round)));
  }
  report(name, found);
  return median(found.get('this') ?? []);
}

/** Spread over the minute, in the same way in every run. */
const instantIn = (minute: number, round: number) =>
  minute + 2_000 + Math.floor(((round * 0.618) % 1) * 54) * 1_000;

/** FFmpeg is told the file and the position in it: it needs no catalog. */
function seekByFfmpeg(dataDir: string, uid: string, at: number): Promise<unknown> {
  const minute = Math.floor(at / minuteMs) * minuteMs;
  const path = segmentPath(join(dataDir, 'archive'), uid, catalogTicks(minute));
  const seek = ['-ss', String((at - minute) / 1_000), '-i', path];
  return run('ffmpeg', ['-v', 'error', ...seek, '-frames:v', '25', '-c', 'copy', '-f', 'null', '-']);
}

async function measure(sides: readonly Side[], dataDir: string, uid: string): Promise<boolean> {
  let isGood = true;
  console.log('ms to the last byte, median / 95 of 100');
  const instantOf = (group: number) => (round: number) =>
    instantIn(realMinuteOf(group * files + (round % files)), round);
  for (const [group, [name, work]] of Object.entries(instants).entries()) {
    const at = instantOf(group);
    await compare(`${name}, server just started`, sides, files, (side, round) => work(side, at(round)));
  }
  for (const [index, [name, work]] of Object.entries(instants).entries()) {
    const at = instantOf(fileGroups / 2 + index);
    const ask = (side: Side, round: number) => work(side, at(round));
    const rival = (round: number) => seekByFfmpeg(dataDir, uid, at(round));
    const ms = await compare(`${name}, first`, sides, files, ask, rival);
    await compare(`${name}, again`, sides, files * 3, ask);
    isGood &&= ms <= instantGoalMs;
  }
  await compare('ranges of 30 days in 240 calls', sides, 3, fineRanges);
  const own = sides.filter((side) => side.name === 'this');
  for (const seconds of [240, 3_600]) {
    const name = `ranges of 30 days in one call, ${seconds} s`;
    isGood = (await compare(name, own, 40, (side) => coarseRanges(side, seconds))) <= rangesGoalMs && isGood;
  }
  return isGood;
}

/** The same data for another server: files are shared, databases are not. */
async function copyOf(dataDir: string, copy: string): Promise<string> {
  await run('cp', ['-al', dataDir, copy]);
  await run('find', [copy, '-name', '*.lock*', '-delete']);
  for (const name of ['archive.sqlite', 'vidette.sqlite', 'archive.retention', 'archive.alive']) {
    await rm(join(copy, name), { force: true });
    await cp(join(dataDir, name), join(copy, name)).catch(() => undefined);
  }
  return copy;
}

const folder = await mkdtemp(join(tmpdir(), 'vidette-bench-archive-'));
const servers: TestServer[] = [];
try {
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const first = await startServer({ dataDir });
  const { client, cookie } = await administratorOf(first);
  const body = {
    name: 'Gate',
    streamSource: 'demo:',
    live: { onDemand: true },
    archive: { isEnable: false },
  };
  const { uid } = await client.addStream({ body });
  await first.stop();
  await fillArchive(dataDir, uid);
  const sides: Side[] = [];
  const archive = `/v1/stream/${uid}/archive`;
  if (checkout) {
    const copy = await copyOf(dataDir, join(folder, 'other'));
    const other = (await import(join(resolve(checkout), 'e2e/server.ts'))) as {
      startServer: typeof startServer;
    };
    const server = await other.startServer({ dataDir: copy });
    servers.push(server);
    sides.push({ name: 'other', server, cookie, archive });
  }
  const server = await startServer({ dataDir });
  servers.push(server);
  sides.push({ name: 'this', server, cookie, archive });
  process.exitCode = (await measure(sides, dataDir, uid)) ? 0 : 1;
} finally {
  for (const server of servers) await server.stop();
  agent.destroy();
  await rm(folder, { recursive: true, force: true });
}
