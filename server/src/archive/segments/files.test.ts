import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryRoot } from '../fixtures/archive-fixture.ts';
import { diskFiles } from './files.ts';

/** The flags of an open file of this process (proc_pid_fdinfo(5)). */
async function openFlags(path: string): Promise<number> {
  for (const descriptor of await readdir('/proc/self/fd')) {
    const target = await readlink(`/proc/self/fd/${descriptor}`).catch(() => undefined);
    if (target !== path) continue;
    const text = await readFile(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    return Number.parseInt(/^flags:\s+([0-7]+)/m.exec(text)?.[1] ?? '', 8);
  }
  throw new Error(`${path} is not open`);
}

test('[R10.3] the system flushes each write of a new file before the write returns', async (t) => {
  const root = await temporaryRoot(t);
  await diskFiles.makeFolder(root);
  const path = join(root, 'segment.mp4');
  const file = await diskFiles.create(path);
  assert.ok((await openFlags(path)) & constants.O_DSYNC);
  assert.equal(await file.write([Buffer.from('foot'), Buffer.from('age')], 0), 7);
  assert.equal(await file.write([Buffer.from('!')], 7), 1);
  await file.close();
  assert.equal(await readFile(path, 'utf8'), 'footage!');
  await assert.rejects(diskFiles.create(path), { code: 'EEXIST' });
});
