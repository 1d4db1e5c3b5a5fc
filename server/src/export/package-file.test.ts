import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createHash } from 'node:crypto';
import { PackageFile, type PackedEntry } from './package-file.ts';
import { readZip } from './zip-reader.ts';
import { centralDirectory, localHeader } from './zip.ts';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-package-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function opened(path: string, entries: readonly PackedEntry[] = []): Promise<PackageFile> {
  const file = await PackageFile.open(path, entries);
  assert.ok(file);
  return file;
}

const timeMs = Date.UTC(2026, 10, 21, 10);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a package is a ZIP that other programs can read, with names in any language', async (t) => {
  const folder = await folderOf(t);
  const file = await opened(join(folder, 'a.part'));
  const content = Buffer.alloc(300_000, 'footage');
  const entry = await file.add('Ворота/10-00.mp4', content.length, timeMs, [
    content.subarray(0, 1_000),
    content.subarray(1_000),
  ]);
  await file.add('manifest.json', 2, timeMs, [Buffer.from('{}')]);
  const bytes = await file.finish(join(folder, 'a.zip'));
  assert.equal(entry.sha256, sha256(content));
  assert.deepEqual(entry.blocks, [sha256(content)]);
  assert.equal((await stat(join(folder, 'a.zip'))).size, bytes);
  const script = `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
for each in archive.infolist(): print(each.filename, each.file_size)`;
  const listing = execFileSync('python3', ['-c', script, join(folder, 'a.zip')], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  assert.equal(listing, 'Ворота/10-00.mp4 300000\nmanifest.json 2\n');
});

test('data left by a kill after the last complete entry is truncated, and writing continues there', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'a.part');
  const first = await opened(path);
  const entry = await first.add('one', 3, timeMs, [Buffer.from('one')]);
  await first.close();
  await appendFile(path, 'half an entry');
  const second = await opened(path, [entry]);
  await second.add('two', 3, timeMs, [Buffer.from('two')]);
  await second.finish(join(folder, 'a.zip'));
  const handle = await open(join(folder, 'a.zip'));
  t.after(() => handle.close());
  const files = await readZip(handle);
  assert.deepEqual(
    files.map(({ name, bytes }) => [name, bytes]),
    [
      ['one', 3],
      ['two', 3],
    ],
  );
});

test('a package that lost its contents is not continued', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'a.part');
  const file = await opened(path);
  const entry = await file.add('one', 3, timeMs, [Buffer.from('one')]);
  await file.close();
  await writeFile(path, 'no');
  assert.equal(await PackageFile.open(path, [entry]), undefined);
});

test('an entry that fails or has another length leaves the package as it was', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'a.part');
  const file = await opened(path);
  await file.add('one', 3, timeMs, [Buffer.from('one')]);
  const before = await readFile(path);
  await assert.rejects(file.add('two', 9, timeMs, [Buffer.from('short')]), RangeError);
  await assert.rejects(file.add('two', 2, timeMs, [Buffer.from('long')]), RangeError);
  assert.deepEqual(await readFile(path), before);
  await file.close();
});

test('numbers that need more than 32 bits are written to ZIP64 records and read back', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'large.zip');
  const large = 5 * 2 ** 30;
  // A sparse file: the content of the first entry takes no space on the disk.
  const entries = [
    { name: 'large.mp4', bytes: large, crc: 1, offset: 0, timeMs },
    { name: 'behind.mp4', bytes: 4, crc: 2, offset: 0, timeMs },
  ] as const;
  const first = localHeader(entries[0]);
  const behind = { ...entries[1], offset: first.length + large };
  const second = localHeader(behind);
  const end = behind.offset + second.length + behind.bytes;
  const handle = await open(path, 'w+');
  t.after(() => handle.close());
  await handle.write(first, 0, first.length, 0);
  await handle.write(second, 0, second.length, behind.offset);
  const directory = centralDirectory([entries[0], behind], end);
  await handle.write(directory, 0, directory.length, end);
  assert.deepEqual(await readZip(handle), [
    { name: 'large.mp4', offset: first.length, bytes: large, crc: 1 },
    { name: 'behind.mp4', offset: end - 4, bytes: 4, crc: 2 },
  ]);
  const names = execFileSync(
    'python3',
    [
      '-c',
      'import sys, zipfile; print([(e.filename, e.file_size) for e in zipfile.ZipFile(sys.argv[1]).infolist()])',
      path,
    ],
    { encoding: 'utf8' },
  );
  assert.equal(names.trim(), `[('large.mp4', ${large}), ('behind.mp4', 4)]`);
});

test('a file that is not such a ZIP is rejected, whatever its bytes', async (t) => {
  const folder = await folderOf(t);
  const file = await opened(join(folder, 'a.part'));
  await file.add('one', 3, timeMs, [Buffer.from('one')]);
  await file.finish(join(folder, 'a.zip'));
  const whole = await readFile(join(folder, 'a.zip'));
  for (let length = 0; length < whole.length; length += 7) {
    await writeFile(join(folder, 'cut.zip'), whole.subarray(0, length));
    const handle = await open(join(folder, 'cut.zip'));
    await assert.rejects(readZip(handle), RangeError);
    await handle.close();
  }
});
