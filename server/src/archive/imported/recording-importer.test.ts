// Recordings that are placed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ManualClock } from '../../base/manual-clock.ts';
import { ImportedCatalog } from '../catalog/catalog.ts';
import { faultOf } from '../fixtures/archive-fixture.ts';
import { catalogMs } from '../segments/segments.ts';
import { type FoundRecording, RecordingImporter } from './recording-importer.ts';

const uid = 'cam1';
const fileMs = 4_000;
const hourMs = 3_600_000;
const baseMs = Date.UTC(2026, 9, 25);
let made: string;

before(async () => {
  made = await mkdtemp(join(tmpdir(), 'vidette-importer-'));
  const source = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=4'];
  const coding = ['-c:v', 'libx264', '-g', '25', '-pix_fmt', 'yuv420p'];
  await promisify(execFile)('ffmpeg', [...source, ...coding, join(made, 'made.mp4')]);
});
after(() => rm(made, { recursive: true }));

async function scene(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-importer-'));
  t.after(() => rm(folder, { recursive: true }));
  const root = join(folder, 'root');
  await mkdir(root);
  return { root, path: join(folder, 'imported.sqlite') };
}

interface Options {
  readonly uid?: string;
  readonly onFile?: () => void;
}

async function imports(
  { root, path }: Awaited<ReturnType<typeof scene>>,
  recordings: readonly FoundRecording[],
  options: Options = {},
) {
  const catalog = ImportedCatalog.open(path, 1000);
  try {
    const clock = new ManualClock();
    const importer = new RecordingImporter(options.uid ?? uid, {
      ...{ catalog, root, clock },
      onFile: options.onFile ?? (() => {}),
    });
    return await importer.run([{ folder: '', recordings }]);
  } finally {
    catalog.close();
  }
}

/** Where the recordings of a stream are, ms after `baseMs`. */
function spansOf(path: string, of = uid): number[][] {
  const catalog = ImportedCatalog.open(path, 1000);
  const { reads } = catalog;
  const spans = reads.recordedSpans(reads.stream(of)?.id ?? 0, 0, Number.MAX_SAFE_INTEGER);
  catalog.close();
  return spans.map(({ startTicks, endTicks }) => [
    catalogMs(startTicks) - baseMs,
    catalogMs(endTicks) - baseMs,
  ]);
}

test('[R16.3] in the hour that occurs twice recordings of both hours keep their order, and the next import agrees', async (t) => {
  const found = await scene(t);
  const recordings: FoundRecording[] = [];
  // The names of the second hour lie between those of the first: 0, 1, 4, 5 ... s.
  for (const [hour, offsetMs] of [0, 1_000].entries())
    for (let at = 0; at < 4; at++) {
      const nameMs = baseMs + offsetMs + at * fileMs;
      const name = `${hour}-${at}.mp4`;
      await copyFile(join(made, 'made.mp4'), join(found.root, name));
      const endS = (nameMs + hour * hourMs + fileMs) / 1000;
      await utimes(join(found.root, name), endS, endS);
      recordings.push({ name, stepMs: 1, startsMs: [nameMs, nameMs + hourMs] });
    }
  const report = await imports(found, recordings);
  assert.deepEqual([report.files, report.notes], [8, []]);
  const hour = (startMs: number) =>
    Array.from({ length: 4 }, (_, at) => [startMs + at * fileMs, startMs + (at + 1) * fileMs]);
  const expected = [...hour(0), ...hour(hourMs + 1_000)];
  assert.deepEqual(spansOf(found.path), expected);
  const [last, ...others] = recordings.toReversed();
  assert.ok(last);
  await rm(join(found.root, last.name));
  const again = await imports(found, others);
  assert.deepEqual([again.files, again.knownFiles, again.goneFiles], [7, 7, 1]);
  await copyFile(join(made, 'made.mp4'), join(found.root, last.name));
  const endS = (baseMs + hourMs + 1_000 + 4 * fileMs) / 1000;
  await utimes(join(found.root, last.name), endS, endS);
  assert.equal((await imports(found, recordings)).knownFiles, 7);
  assert.deepEqual(spansOf(found.path), expected);
});

test('[R16.3] recordings of one time that their files don’t tell apart are named, and none overlap', async (t) => {
  const found = await scene(t);
  const recordings: FoundRecording[] = [];
  for (const [index, nameMs] of [0, 4_000, 8_000, 2_000, 6_000].entries()) {
    const name = `${index}.mp4`;
    // A copy that did not keep the times.
    await copyFile(join(made, 'made.mp4'), join(found.root, name));
    recordings.push({ name, stepMs: 1, startsMs: [baseMs + nameMs, baseMs + nameMs + hourMs] });
  }
  const { files, notes } = await imports(found, recordings);
  const left = notes.find(({ reason }) => reason === 'its time is that of another recording')?.files ?? 0;
  assert.equal(files + left, 5);
  // Nothing says in which of the two hours they were made, and the report does not keep that to itself.
  const doubts = notes.filter(({ reason }) => reason.startsWith('its name fits two times'));
  assert.deepEqual(
    doubts.map((doubt) => doubt.files),
    [files],
  );
  const spans = spansOf(found.path);
  for (const [index, [startMs = 0]] of spans.entries()) {
    const [, endMs = 0] = spans[index - 1] ?? [];
    assert.ok(startMs >= endMs, JSON.stringify(spans));
  }
});

/** Recordings of one file with many names. */
async function many({ root }: { readonly root: string }, count: number): Promise<FoundRecording[]> {
  await copyFile(join(made, 'made.mp4'), join(root, '0.mp4'));
  const recordings = [{ name: '0.mp4', stepMs: 1, startsMs: [baseMs] }];
  for (let at = 1; at < count; at++) {
    await link(join(root, '0.mp4'), join(root, `${at}.mp4`));
    recordings.push({ name: `${at}.mp4`, stepMs: 1, startsMs: [baseMs + at * fileMs] });
  }
  return recordings;
}

test('[R16.3] files that the other program deletes during an import are gaps that the report names', async (t) => {
  const found = await scene(t);
  const recordings = await many(found, 64);
  let isFirst = true;
  const report = await imports(found, recordings, {
    onFile: () => {
      if (isFirst) for (const at of [40, 41, 50]) rmSync(join(found.root, `${at}.mp4`));
      isFirst = false;
    },
  });
  assert.equal(report.files, 61);
  assert.deepEqual(
    report.notes.map(({ reason, files, example }) => [reason, files, example]),
    [['it was deleted while the command ran', 3, '40.mp4']],
  );
  assert.equal(spansOf(found.path).length, 61);
});

test('[R16.3] two streams with files in one folder keep theirs', async (t) => {
  const found = await scene(t);
  const recordings = await many(found, 4);
  await imports(found, recordings.slice(0, 2));
  await imports(found, recordings.slice(2), { uid: 'cam2' });
  assert.equal((await imports(found, recordings.slice(0, 2))).knownFiles, 2);
  assert.deepEqual([spansOf(found.path).length, spansOf(found.path, 'cam2').length], [2, 2]);
});

test('[R16.3] an index of a newer version, or a damaged one, is refused in words', async (t) => {
  for (const [spoil, words] of [
    ['PRAGMA user_version = 2', /newer version of Vidette has written the index/],
    ['UPDATE archive SET version = 99', /newer version of Vidette has written the index/],
    ['DROP TABLE segment', /index of imported recordings .* is damaged/],
  ] as const) {
    const found = await scene(t);
    ImportedCatalog.open(found.path, 1000).close();
    const database = new DatabaseSync(found.path);
    database.exec(`PRAGMA foreign_keys = OFF; ${spoil}`);
    database.close();
    const hasWords = (error: unknown) =>
      words.test((error as Error).message) && /delete .* import again/.test((error as Error).message);
    assert.throws(() => ImportedCatalog.open(found.path, 1000), faultOf('Unavailable'));
    assert.throws(() => ImportedCatalog.open(found.path, 1000), hasWords, spoil);
  }
});
