// Recordings whose files change under the server: gone, out of reach, replaced, growing, redirected.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { silentLog } from '../../base/log.ts';
import { untilAsync } from '../../base/until-fixture.ts';
import { ManualClock } from '../../base/manual-clock.ts';
import { ImportedCatalog } from '../catalog/catalog.ts';
import { faultOf } from '../fixtures/archive-fixture.ts';
import { catalogTicks } from '../segments/segments.ts';
import { ImportedFootage } from './imported-footage.ts';
import { RecordingImporter } from './recording-importer.ts';

const startMs = Date.UTC(2026, 9, 1);
const fileMs = 4_000;
const uid = 'cam1';
const names = ['0.mp4', '1.mp4', '2.mp4'];
let made: string;

before(async () => {
  made = await mkdtemp(join(tmpdir(), 'vidette-imported-'));
  const source = [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=64x36:r=25:d=4',
    '-c:v',
    'libx264',
    '-g',
    '25',
  ];
  const run = promisify(execFile);
  const colours = ['-pix_fmt', 'yuv420p'];
  await run('ffmpeg', [...source, ...colours, join(made, 'plain.mp4')]);
  const fragments = ['-movflags', 'empty_moov+default_base_moof+frag_keyframe'];
  await run('ffmpeg', [...source, ...colours, ...fragments, join(made, 'fragments.mp4')]);
});
after(() => rm(made, { recursive: true }));

/** Three recordings in a folder, imported. */
async function scene(t: TestContext, kind = 'plain.mp4') {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-imported-'));
  const root = join(folder, 'root');
  await mkdir(join(root, 'day'), { recursive: true });
  for (const name of names) await copyFile(join(made, kind), join(root, 'day', name));
  const clock = new ManualClock();
  const path = join(folder, 'imported.sqlite');
  const imports = async (listed: readonly string[] = names) => {
    const catalog = ImportedCatalog.open(path, 1000);
    const importer = new RecordingImporter(uid, { catalog, root, clock, onFile: () => {} });
    const recordings = listed.map((name) => ({
      ...{ name, stepMs: 1000 },
      startsMs: [startMs + Number.parseInt(name) * fileMs],
    }));
    const folders = async function* () {
      if (recordings.length > 0) yield { folder: 'day', recordings };
    };
    try {
      return await importer.run(folders());
    } finally {
      catalog.close();
    }
  };
  await imports();
  const footage = new ImportedFootage({ path, clock, log: silentLog });
  t.after(async () => {
    await footage.close();
    await rm(folder, { recursive: true });
  });
  const fileOf = (name: string) => join(root, 'day', name);
  /** The numbers of the recordings that playback has. */
  const shown = async () => {
    const span = {
      fromTicks: catalogTicks(startMs),
      toTicks: catalogTicks(startMs + 60_000),
      withFragments: true,
    };
    const { segments } = await footage.slice(uid, span);
    return segments.map(({ startTicks }) => (startTicks - catalogTicks(startMs)) / catalogTicks(fileMs));
  };
  const open = (index: number) => footage.openSegment(uid, catalogTicks(startMs + index * fileMs));
  return { folder, root, clock, imports, footage, fileOf, shown, open };
}

async function bytesOf({ open }: Awaited<ReturnType<typeof scene>>, index: number): Promise<Buffer> {
  const segment = await open(index);
  return Buffer.concat(await (await segment.stream(0, segment.size - 1)).toArray());
}

test('[R16.3] a deleted file is a gap; files out of reach are back with their disk', async (t) => {
  const found = await scene(t);
  assert.deepEqual(await found.shown(), [0, 1, 2]);
  await rename(found.root, `${found.root}-away`);
  assert.deepEqual(await found.shown(), []);
  await mkdir(found.root);
  assert.deepEqual(await found.shown(), []);
  await assert.rejects(found.open(1), faultOf('NotFound'));
  await rm(found.root, { recursive: true });
  await rename(`${found.root}-away`, found.root);
  assert.deepEqual(await found.shown(), [0, 1, 2]);
  await rm(found.fileOf('1.mp4'));
  await assert.rejects(found.open(1), faultOf('NotFound'));
  assert.deepEqual(await found.shown(), [0, 2]);
  assert.equal((await found.footage.stats(uid)).segments, 2);
});

test('[R16.3] of each stream the oldest files are looked for every minute', async (t) => {
  const { clock, fileOf, footage } = await scene(t);
  assert.equal(footage.has(uid), true);
  await rm(fileOf('0.mp4'));
  clock.advance(60_000);
  await untilAsync(async () => (await footage.stats(uid)).segments === 2);
});

test('[R16.3] a replaced, truncated or redirected file is never played as what it was', async (t) => {
  const found = await scene(t);
  const outside = join(found.folder, 'outside.mp4');
  await copyFile(join(made, 'plain.mp4'), outside);
  await rm(found.fileOf('0.mp4'));
  await symlink(outside, found.fileOf('0.mp4'));
  await assert.rejects(found.open(0), faultOf('NotFound'));
  await truncate(found.fileOf('1.mp4'), 2_000);
  await assert.rejects(found.open(1), faultOf('NotFound'));
  const bytes = await readFile(found.fileOf('2.mp4'));
  await writeFile(found.fileOf('2.mp4'), Buffer.alloc(bytes.length));
  await assert.rejects(found.open(2), faultOf('NotFound'));
  assert.deepEqual(await found.shown(), []);
});

test('[R16.3] a folder that became a link out of the root is not followed', async (t) => {
  const found = await scene(t);
  await rename(join(found.root, 'day'), join(found.folder, 'elsewhere'));
  await symlink(join(found.folder, 'elsewhere'), join(found.root, 'day'));
  await assert.rejects(found.open(0), faultOf('NotFound'));
});

test('[R16.3] a growing file is played as far as it was imported, and further after the next import', async (t) => {
  const found = await scene(t, 'fragments.mp4');
  const whole = await readFile(join(made, 'fragments.mp4'));
  await writeFile(found.fileOf('2.mp4'), whole.subarray(0, Math.floor(whole.length * 0.6)));
  const report = await found.imports();
  assert.deepEqual([report.files, report.knownFiles], [3, 2]);
  const part = await bytesOf(found, 2);
  await writeFile(found.fileOf('2.mp4'), whole);
  assert.deepEqual(await bytesOf(found, 2), part);
  assert.equal((await found.imports()).durationMs, 3 * fileMs);
  assert.deepEqual((await bytesOf(found, 2)).subarray(0, 500), part.subarray(0, 500));
  assert.ok((await bytesOf(found, 2)).length > part.length);
});

test('[R16.3] importing forgets what is gone, and forgetting a stream leaves its files', async (t) => {
  const found = await scene(t);
  assert.equal((await found.imports([])).goneFiles, 3);
  assert.equal(found.footage.has(uid), false);
  assert.equal((await found.imports()).files, 3);
  await found.footage.forget(uid);
  assert.equal(found.footage.has(uid), false);
  assert.ok((await readFile(found.fileOf('0.mp4'))).length > 0);
});
