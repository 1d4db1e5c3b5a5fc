import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaveCrashNote, takeCrashNote } from './crash-note.ts';

test('[R15.5] a crash note is taken once; a process that was killed leaves none, and one that was cut off counts for nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-note-'));
  try {
    const socket = join(folder, 'engine-0.sock');
    assert.equal(takeCrashNote(socket), undefined);
    leaveCrashNote(socket, { uid: 'a', message: 'Error: poison' });
    assert.deepEqual(takeCrashNote(socket), { uid: 'a', message: 'Error: poison' });
    assert.equal(takeCrashNote(socket), undefined);
    await writeFile(`${socket}.crash`, '{"uid":"a"');
    assert.equal(takeCrashNote(socket), undefined);
    leaveCrashNote(join(folder, 'gone', 'engine-0.sock'), { uid: 'a', message: '' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
