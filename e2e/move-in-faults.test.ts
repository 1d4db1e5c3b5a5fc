// Imports that are killed, run out of space, or meet folders and files that can't be read as they were found.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ImportedCatalog } from '../server/src/archive/catalog/catalog.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { isSqliteError, sqliteTroubleOf } from '../server/src/base/sqlite-trouble.ts';
import { importRecordings, recordingsOf } from '../server/src/cli/move-in/recordings.ts';
import { until } from './api.ts';
import { LoopDisk } from './loop-disk.ts';

const fixture = fileURLToPath(new URL('../server/src/cli/move-in/importing-fixture.ts', import.meta.url));
const baseS = Date.UTC(2026, 9, 20) / 1000;
const fileS = 4;
/** A user who may read little, where the tests run as root. */
const otherUser = 65_534;

let made: string;

before(async () => {
  made = await mkdtemp(join(tmpdir(), 'vidette-faults-'));
  const source = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=4'];
  const coding = ['-c:v', 'libx264', '-g', '25', '-pix_fmt', 'yuv420p'];
  const fragments = ['-movflags', 'empty_moov+default_base_moof+frag_keyframe'];
  await promisify(execFile)('ffmpeg', [...source, ...coding, ...fragments, join(made, 'made.mp4')]);
});
after(() => rm(made, { recursive: true }));

interface Scene {
  readonly folder: string;
  readonly root: string;
  readonly catalogPath: string;
}

/** Recordings that follow each other, one file with many names, in a folder that all may enter. */
async function scene(t: TestContext, count: number, under = 'gate'): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-faults-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o777);
  const root = join(folder, 'root');
  await mkdir(join(root, under), { recursive: true });
  await copyFile(join(made, 'made.mp4'), join(folder, 'made.mp4'));
  for (let index = 0; index < count; index++)
    await link(join(folder, 'made.mp4'), join(root, under, nameOf(index)));
  return { folder, root, catalogPath: join(folder, 'imported.sqlite') };
}

function nameOf(index: number): string {
  return `${baseS + index * fileS}.mp4`;
}

async function imports({ root, catalogPath }: Scene, template = '%path/%s.mp4') {
  const lines: string[] = [];
  const [report] = await importRecordings({
    cameras: [recordingsOf('gate', 'gate', { root, template, zone: null })],
    uids: new Map([['gate', 'cam1']]),
    ...{ catalogPath, clock: systemClock },
    out: (line) => void lines.push(line),
  });
  const notes = Object.fromEntries(report?.notes.map(({ reason, files }) => [reason, files]) ?? []);
  return { files: report?.files, knownFiles: report?.knownFiles, goneFiles: report?.goneFiles, notes, lines };
}

/** The names of the files that are stored, in the order of their times. */
function stored(catalogPath: string): string[] {
  if (!existsSync(catalogPath)) return [];
  const catalog = ImportedCatalog.open(catalogPath, 10_000);
  const names = catalog.filesFrom(catalog.reads.stream('cam1')?.id ?? 0, 0, 100_000).map(({ name }) => name);
  catalog.close();
  return names;
}

function assertSound(catalogPath: string): void {
  const database = new DatabaseSync(catalogPath);
  assert.deepEqual(database.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
  assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), []);
  database.close();
}

/** Runs something as a user without rights. */
async function asOther<Result>(work: () => Promise<Result>): Promise<Result> {
  const user = process.geteuid?.();
  if (user === 0) process.seteuid?.(otherUser);
  try {
    return await work();
  } finally {
    if (user === 0) process.seteuid?.(0);
  }
}

test('[R16.3] an import that is killed keeps what it has stored, and the next one goes on: nothing twice', async (t) => {
  const found = await scene(t, 4_000);
  const args = ['--disable-warning=ExperimentalWarning', fixture, found.root, found.catalogPath];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  await until(
    () => Promise.resolve(stored(found.catalogPath).length),
    (count) => count > 0,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  const before = stored(found.catalogPath).length;
  assert.ok(before > 0 && before < 4_000, String(before));
  assertSound(found.catalogPath);
  const { files, knownFiles, notes } = await imports(found);
  assert.deepEqual([files, knownFiles, notes], [4_000, before, {}]);
  assert.deepEqual(
    stored(found.catalogPath),
    Array.from({ length: 4_000 }, (_, index) => nameOf(index)),
  );
  assertSound(found.catalogPath);
});

test('[R16.3] a full data disk stops the import, keeps what is stored, and the next one goes on', async (t) => {
  const disk = await LoopDisk.make(t, 8);
  if (!disk) return;
  const found = { ...(await scene(t, 3_000)), catalogPath: join(disk.folder, 'imported.sqlite') };
  // The tables, and a part of the rows.
  const free = await disk.fill(700_000);
  await assert.rejects(imports(found), (error) => isSqliteError(error) && sqliteTroubleOf(error) === 'full');
  const before = stored(found.catalogPath).length;
  assert.ok(before > 0 && before < 3_000, String(before));
  await free();
  assertSound(found.catalogPath);
  const { files, knownFiles } = await imports(found);
  assert.deepEqual([files, knownFiles], [3_000, before]);
  assert.equal(stored(found.catalogPath).length, 3_000);
  assertSound(found.catalogPath);
});

test('[R16.3] recordings on a disk that can only be read are imported', async (t) => {
  const disk = await LoopDisk.make(t, 8);
  if (!disk) return;
  const { catalogPath } = await scene(t, 0);
  await mkdir(join(disk.folder, 'gate'));
  await copyFile(join(made, 'made.mp4'), join(disk.folder, 'gate', nameOf(0)));
  await disk.remount('ro');
  assert.equal((await imports({ folder: '', root: disk.folder, catalogPath })).files, 1);
});

test('[R16.3] what this user can’t read is named, and what was imported from there stays until it is gone', async (t) => {
  const found = await scene(t, 3, 'a/gate');
  const template = 'a/%path/%s.mp4';
  await mkdir(join(found.root, 'b'));
  assert.equal((await asOther(() => imports(found, template))).files, 3);
  const file = join(found.root, 'a/gate', nameOf(9));
  await copyFile(join(made, 'made.mp4'), file);
  await chmod(file, 0o200);
  const unreadable = await asOther(() => imports(found, template));
  assert.deepEqual(
    [unreadable.files, unreadable.notes],
    [3, { 'this user has no permission to read it': 1 }],
  );
  assert.ok(
    unreadable.lines.some((line) =>
      line.includes(`1 × this user has no permission to read it ("a/gate/${nameOf(9)}")`),
    ),
  );
  for (const path of ['a/gate', 'a']) {
    await chmod(join(found.root, path), 0o300);
    const closed = await asOther(() => imports(found, template));
    assert.deepEqual(closed.notes, { 'a folder is left out: this user has no permission to read it': 1 });
    assert.equal(closed.goneFiles, 0);
    assert.equal(stored(found.catalogPath).length, 3);
    await chmod(join(found.root, path), 0o755);
  }
  // A disk that is not mounted.
  await rename(join(found.root, 'a'), join(found.folder, 'away'));
  await rm(join(found.root, 'b'), { recursive: true });
  await asOther(() => imports(found, template));
  assert.equal(stored(found.catalogPath).length, 3);
  await mkdir(join(found.root, 'b'));
  assert.equal((await asOther(() => imports(found, template))).goneFiles, 3);
  assert.deepEqual(stored(found.catalogPath), []);
});

test('[R16.3] links that lead nowhere, files that grow, and damage have a sentence each', async (t) => {
  const found = await scene(t, 2);
  const path = (index: number) => join(found.root, 'gate', nameOf(index));
  await symlink(join(found.folder, 'nowhere.mp4'), path(2));
  const whole = await readFile(join(made, 'made.mp4'));
  // Being written: the last fragment is not complete.
  await writeFile(path(3), whole.subarray(0, whole.length - 200));
  await writeFile(path(5), whole.subarray(0, whole.length - 200));
  await writeFile(path(7), whole.subarray(0, 100));
  await writeFile(path(9), '');
  const longAgoS = baseS + 5 * fileS;
  await utimes(path(5), longAgoS, longAgoS);
  const { files, notes } = await imports(found);
  assert.deepEqual(
    [files, notes],
    [
      4,
      {
        'it is a symbolic link': 1,
        'it is being written: import again for its end': 1,
        'it is incomplete: its beginning is shown': 1,
        'it is being written': 1,
        'it is empty': 1,
      },
    ],
  );
  await appendFile(path(3), whole.subarray(whole.length - 200));
  const later = await imports(found);
  assert.deepEqual([later.files, later.knownFiles], [4, 3]);
  assert.ok(!('it is being written: import again for its end' in later.notes));
});
