import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { WriteWatch } from './write-watch.ts';

test('a database is quiet from the third check with unchanged files, and not after a write by any process or a checkpoint', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-writes-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'a.sqlite');
  const writes = new WriteWatch(file);
  assert.deepEqual(
    [writes.isQuiet(), writes.isQuiet(), writes.isQuiet()],
    [false, false, true],
    'without a file',
  );
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; create table t (n integer)');
  const looks = () => [writes.isQuiet(), writes.isQuiet(), writes.isQuiet(), writes.isQuiet()];
  assert.deepEqual(looks(), [false, false, true, true]);
  const other = new DatabaseSync(file);
  other.exec('insert into t values (1)');
  assert.deepEqual(looks(), [false, false, true, true]);
  other.exec('pragma wal_checkpoint(truncate)');
  assert.equal(writes.isQuiet(), false);
  assert.deepEqual(looks(), [false, true, true, true]);
  writes.noteUnread();
  assert.deepEqual(looks(), [false, false, true, true], 'after a query that failed');
  other.close();
  database.close();
});
