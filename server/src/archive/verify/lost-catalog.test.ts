import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import {
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import type { Log } from '../../base/log.ts';
import { silentLog } from '../../base/log.ts';
import { Stream } from '../../hub/stream.ts';
import { until } from '../../base/until-fixture.ts';
import {
  copyAsKilled,
  faultOf,
  findingsOf,
  openArchive,
  temporaryRoot,
} from '../fixtures/archive-fixture.ts';
import type { Archive } from '../archive.ts';
import { ArchiveLock } from '../catalog/catalog.ts';
import { connect, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { catalogPath, lockPath, FOLDER_LOCK_NAME, MARKER_NAME } from '../segments/segments.ts';
import { rebuildCatalog } from './rebuild.ts';
import { VolumeMarkerCheck } from './volume-marker-check.ts';

const footage = footageOf('h264-no-b.mp4');
const hourMs = 3_600_000;

async function recorded(archive: Archive, uid: string, fromMs: number, toMs: number): Promise<void> {
  const stream = new Stream(uid);
  const recorder = archive.recorders.record(uid, stream);
  connect(stream, footage, fromMs, toMs);
  await recorder.stop('recording-off');
}

/** A closed archive of two streams with two segments each. */
async function closedArchive(t: TestContext): Promise<string> {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  for (const uid of ['cam1', 'cam2']) {
    for (const startMs of [t0, t0 + 20_000]) await recorded(archive, uid, startMs, startMs + 10_000);
  }
  await archive.close();
  return dir;
}

const span = [t0 - 1_000, t0 + 40_000] as const;

function loggedIn(lines: string[]): Log {
  const note = (_: unknown, text: string) => void lines.push(text);
  return { ...silentLog, warn: note, error: note, info: note, child: () => loggedIn(lines) };
}

const losses: [string, (catalog: string) => Promise<void> | void][] = [
  ['deleted', (catalog) => rm(catalog)],
  ['truncated to nothing', (catalog) => truncate(catalog, 0)],
  ['cut in half', async (catalog) => truncate(catalog, Math.floor((await stat(catalog)).size / 2))],
  ['overwritten with text', (catalog) => writeFile(catalog, 'no database at all '.repeat(500))],
  [
    'overwritten in the middle',
    async (catalog) => {
      const handle = await open(catalog, 'r+');
      const { size } = await handle.stat();
      for (let at = 4096; at < size; at += 4096) await handle.write(Buffer.alloc(2048, 0xa5), 0, 2048, at);
      await handle.close();
    },
  ],
  ['without its identity row', (catalog) => sql(catalog, 'DELETE FROM archive')],
  ['without a table', (catalog) => sql(catalog, 'DROP TABLE segment')],
  [
    'emptied of its rows',
    (catalog) => sql(catalog, 'DELETE FROM segment; DELETE FROM fragment_index; DELETE FROM stream'),
  ],
];

function sql(catalog: string, text: string): void {
  const database = new DatabaseSync(catalog);
  database.exec(`PRAGMA foreign_keys = OFF; ${text}`);
  database.close();
}

for (const [name, lose] of losses) {
  test(`[R10.3] a catalog that is ${name} is rebuilt from the files while the archive records`, async (t) => {
    const dir = await closedArchive(t);
    const catalog = catalogPath(dir);
    const { archive: before, clock: _ } = await openArchive(t, dir);
    const ranges = before.reader.ranges('cam1', ...span).ranges;
    await before.close();
    await lose(catalog);
    const lines: string[] = [];
    const { archive, clock } = await openArchive(t, dir, { log: loggedIn(lines) });
    clock.advance(hourMs);
    await recorded(archive, 'cam1', t0 + hourMs, t0 + hourMs + 5_000);
    await until(() => !archive.volume.isRebuilding, 'the end of the rebuild');
    assert.equal(archive.volume.problem, undefined);
    assert.deepEqual(archive.reader.ranges('cam1', ...span).ranges, ranges);
    assert.equal(archive.reader.stats('cam1').segments, 3);
    assert.equal(archive.reader.stats('cam2').segments, 2);
    assert.ok(
      lines.some((line) => /catalog/.test(line)),
      lines.join('\n'),
    );
    await archive.close();
    assert.deepEqual(await findingsOf(dir), []);
    assert.ok(!existsSync(join(dirname(dir), 'archive.rebuild')));
  });
}

test('[R10.3] a damaged catalog is kept, and a second one next to it', async (t) => {
  const dir = await closedArchive(t);
  for (const name of ['damaged', 'damaged.2']) {
    await writeFile(catalogPath(dir), `${name} `.repeat(1000));
    const { archive } = await openArchive(t, dir);
    await until(() => !archive.volume.isRebuilding, 'the end of the rebuild');
    await archive.close();
    assert.match(await readFile(`${catalogPath(dir)}.${name}`, 'utf8'), new RegExp(`^${name} `));
  }
});

test('an interrupted rebuild continues at the next start, and streams without any row are found at every start', async (t) => {
  const dir = await closedArchive(t);
  await rm(catalogPath(dir));
  const { archive: interrupted } = await openArchive(t, dir);
  await interrupted.close();
  const { archive } = await openArchive(t, dir);
  await until(() => !archive.volume.isRebuilding, 'the end of the rebuild');
  assert.deepEqual([archive.reader.stats('cam1').segments, archive.reader.stats('cam2').segments], [2, 2]);
  await archive.close();
  sql(
    catalogPath(dir),
    `DELETE FROM segment WHERE stream_id = (SELECT id FROM stream WHERE uid = 'cam2');
     DELETE FROM interruption; DELETE FROM active_folder; DELETE FROM stream WHERE uid = 'cam2'`,
  );
  const { archive: second } = await openArchive(t, dir);
  await until(() => !second.volume.isRebuilding, 'the end of the rebuild');
  assert.equal(second.reader.stats('cam2').segments, 2);
});

test('after the catalog is lost an empty mount point does not become the archive', async (t) => {
  const dir = await closedArchive(t);
  await rename(dir, `${dir}-disk`);
  await mkdir(dir);
  await rm(catalogPath(dir));
  const { archive, clock } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, 'marker-missing');
  assert.deepEqual(await readdir(dir), []);
  await rm(dir, { recursive: true });
  await rename(`${dir}-disk`, dir);
  clock.advance(10_000);
  await until(() => archive.volume.recovery !== undefined && !archive.volume.isRebuilding, 'the rebuild');
  assert.equal(archive.reader.stats('cam1').segments, 2);
});

test('a catalog of a newer version is rejected with a message and not changed', async (t) => {
  const dir = await closedArchive(t);
  sql(catalogPath(dir), 'UPDATE archive SET version = 99');
  await assert.rejects(openArchive(t, dir), { name: 'Fault', message: /newer version.*rebuild-index/s });
  assert.ok(!existsSync(`${catalogPath(dir)}.damaged`));
});

test('[R10.3] the catalog that rebuild-index moves aside contains all that a killed server had acknowledged, each time under a new name', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  await recorded(archive, 'cam1', t0, t0 + 10_000);
  const copy = await copyAsKilled(t, dir);
  await rebuildCatalog(copy);
  await rebuildCatalog(copy);
  for (const name of ['old', 'old.2']) {
    const database = new DatabaseSync(`${catalogPath(copy)}.${name}`, { readOnly: true });
    const row = database.prepare('SELECT count(*) AS count FROM segment').get();
    database.close();
    assert.equal(row?.['count'], 1, name);
  }
});

for (const [name, text] of [
  ['empty', ''],
  ['cut', '{"product":"vide'],
  ['zeros', '\0'.repeat(80)],
] as const) {
  test(`[R10.4] a marker left ${name} by a power failure is rewritten if the footage proves the disk`, async (t) => {
    const dir = await closedArchive(t);
    const whole = await readFile(join(dir, MARKER_NAME), 'utf8');
    await writeFile(join(dir, MARKER_NAME), text);
    const lines: string[] = [];
    const { archive } = await openArchive(t, dir, { log: loggedIn(lines) });
    assert.equal(archive.volume.problem, undefined);
    assert.equal(await readFile(join(dir, MARKER_NAME), 'utf8'), whole);
    assert.ok(lines.some((line) => line.includes('marker')));
    await archive.close();

    // Another disk with such a file doesn't belong to the archive.
    await rename(dir, `${dir}-disk`);
    await mkdir(dir);
    await writeFile(join(dir, MARKER_NAME), text);
    const { archive: wrong } = await openArchive(t, dir);
    assert.equal(wrong.volume.problem, 'marker-damaged');
    assert.equal(await readFile(join(dir, MARKER_NAME), 'utf8'), text);
  });

  test(`[R10.4] a marker that is ${name} after the first start does not prevent the archive from being used`, async (t) => {
    const dir = await temporaryRoot(t);
    const { archive: first } = await openArchive(t, dir);
    await first.close();
    await writeFile(join(dir, MARKER_NAME), text);
    const { archive } = await openArchive(t, dir);
    assert.equal(archive.volume.problem, undefined);
    await recorded(archive, 'cam1', t0, t0 + 2_000);
    assert.equal(archive.reader.stats('cam1').segments, 1);
  });
}

test('[R10.4] two servers with one archive folder: the second records nothing until the first releases it', async (t) => {
  const dir = await closedArchive(t);
  const { archive: first } = await openArchive(t, dir);
  const catalog = join(await temporaryRoot(t), 'archive.sqlite');
  await mkdir(dirname(catalog), { recursive: true });
  const { archive: second, clock } = await openArchive(t, dir, { catalog });
  assert.equal(second.volume.problem, 'used-by-another-server');
  const stream = new Stream('cam9');
  const recorder = second.recorders.record('cam9', stream);
  connect(stream, footage, t0, t0 + 2_000);
  await until(() => recorder.status.state === 'failed', 'the refusal');
  await recorder.stop('recording-off');
  assert.ok(!(await readdir(dir)).includes('cam9'));
  await first.close();
  clock.advance(10_000);
  await until(() => second.volume.recovery !== undefined && !second.volume.isRebuilding, 'the second');
  assert.equal(second.volume.problem, undefined);
  assert.equal(second.reader.stats('cam1').segments, 2);
});

test('[R10.4] two servers that start in one new folder do not take it from each other', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive: first } = await openArchive(t, dir);
  const marker = await readFile(join(dir, MARKER_NAME), 'utf8');
  const catalog = join(await temporaryRoot(t), 'archive.sqlite');
  const { archive: second } = await openArchive(t, dir, { catalog });
  assert.deepEqual([first.volume.problem, second.volume.problem], [undefined, 'used-by-another-server']);
  assert.equal(await readFile(join(dir, MARKER_NAME), 'utf8'), marker);
});

/** What SQLite throws for a lock held by another process, and for `ENOLCK`: a file system without locks. */
function busy(): never {
  throw Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 });
}

test('[R10.4] on a share without locks a server records, with a warning, and does not count as a second one', async (t) => {
  const dir = await closedArchive(t);
  const warned: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void warned.push(message) };
  const options = { root: dir, catalog: catalogPath(dir), log, wasUsed: false };
  const without = VolumeMarkerCheck.open({ ...options, lock: busy });
  await without.assertRightDisk();
  await without.assertRightDisk();
  assert.equal(without.problem, undefined);
  assert.deepEqual(warned, ['The archive folder cannot be locked against a second server']);
  assert.throws(() => new ArchiveLock(join(dir, FOLDER_LOCK_NAME), busy), faultOf('Unavailable'));
  assert.deepEqual(
    (await readdir(dir)).filter((name) => name.startsWith(`${FOLDER_LOCK_NAME}.`)),
    [],
  );
  // If other files can be locked, the lock is held by another process.
  const held = VolumeMarkerCheck.open({
    ...options,
    lock: (path) => (path.endsWith(FOLDER_LOCK_NAME) ? busy() : new DatabaseSync(':memory:')),
  });
  await assert.rejects(held.assertRightDisk(), { code: 'wrong-disk' });
  assert.equal(held.problem, 'used-by-another-server');
});

test('garbage in a lock file is not a lock', async (t) => {
  const dir = await closedArchive(t);
  const garbage = 'pid 4711 on host-that-is-gone '.repeat(300);
  for (const lock of [lockPath(catalogPath(dir)), join(dir, FOLDER_LOCK_NAME)]) {
    await writeFile(lock, garbage);
    await writeFile(`${lock}-journal`, garbage);
  }
  const { archive } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, undefined);
  await assert.rejects(openArchive(t, dir), /another process/);
  assert.throws(() => new ArchiveLock(join(dir, FOLDER_LOCK_NAME)), /another process/);
});

test('an error names a lock file that cannot be opened; that of the folder does not stop recording', async (t) => {
  const dir = await closedArchive(t);
  await rm(join(dir, FOLDER_LOCK_NAME));
  await mkdir(join(dir, FOLDER_LOCK_NAME));
  const { archive } = await openArchive(t, dir);
  await recorded(archive, 'cam3', t0, t0 + 2_000);
  assert.equal(archive.reader.stats('cam3').segments, 1);
  await archive.close();
  await rm(lockPath(catalogPath(dir)), { force: true });
  await mkdir(lockPath(catalogPath(dir)));
  await assert.rejects(openArchive(t, dir), { name: 'Fault', message: /archive\.lock cannot be locked/ });
});

test('[R10.4] an unreadable marker stops recording, not the server, and recording continues once it is readable', async (t) => {
  const dir = await closedArchive(t);
  const marker = join(dir, MARKER_NAME);
  await rename(marker, `${marker}.kept`);
  // Reading it fails with ELOOP, as a bad sector would with EIO.
  await symlink(MARKER_NAME, marker);
  const { archive, clock } = await openArchive(t, dir);
  assert.equal(archive.volume.problem, 'marker-unreadable');
  assert.equal(archive.reader.stats('cam1').segments, 2);
  await rm(marker);
  await rename(`${marker}.kept`, marker);
  clock.advance(10_000);
  await until(() => archive.volume.recovery !== undefined, 'recovery');
  assert.equal(archive.volume.problem, undefined);
});
