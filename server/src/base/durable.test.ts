import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createFile, freeSuffix, makeFolders, moveFile, replaceFile } from './durable.ts';

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'vidette-durable-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

test('a file is replaced as a whole, keeps its mode and leaves no other files', async (t) => {
  const dir = await folder(t);
  const file = join(dir, 'a');
  await replaceFile(file, 'one', 0o600);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await chmod(file, 0o640);
  await replaceFile(file, 'two', 0o600);
  assert.equal(await readFile(file, 'utf8'), 'two');
  assert.equal((await stat(file)).mode & 0o777, 0o640);
  // The target cannot be replaced, so the old one stays.
  await mkdir(join(dir, 'b'));
  await writeFile(join(dir, 'b', 'inside'), '');
  await assert.rejects(replaceFile(join(dir, 'b'), 'x', 0o600));
  assert.deepEqual((await readdir(dir)).sort(), ['a', 'b']);
});

test('creating a file never replaces one', async (t) => {
  const file = join(await folder(t), 'a');
  assert.deepEqual(
    await Promise.all([createFile(file, 'one', 0o600), createFile(file, 'two', 0o600)]).then((made) =>
      made.sort(),
    ),
    [false, true],
  );
});

test('a file moved aside never takes the name of one moved aside before', async (t) => {
  const dir = await folder(t);
  const [a, b] = [join(dir, 'a'), join(dir, 'b')];
  assert.equal(await freeSuffix([a, b], 'old'), '.old');
  await writeFile(`${b}.old`, '');
  assert.equal(await freeSuffix([a, b], 'old'), '.old.2');
  await writeFile(a, '');
  await moveFile(a, `${a}.old.2`);
  assert.equal(await freeSuffix([a, b], 'old'), '.old.3');
});

test('folders are created with their parents', async (t) => {
  const dir = await folder(t);
  await makeFolders(join(dir, 'x', 'y'), 0o750);
  assert.equal((await stat(join(dir, 'x', 'y'))).mode & 0o777, 0o750);
  await makeFolders(join(dir, 'x', 'y'), 0o750);
});
