import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { sqliteTroubleOf } from '../base/sqlite-trouble.ts';
import { type SpaceFinder, SqliteWrites } from './sqlite-writes.ts';

/** A database that is full at 40 pages of 4 KB, until space is freed. */
async function fullDatabase(t: TestContext, freesAfter = 1, onFull: (file: string) => void = () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-full-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'test.sqlite');
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  database.exec('PRAGMA journal_mode = WAL; PRAGMA max_page_count = 40; PRAGMA busy_timeout = 5000');
  database.exec('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)');
  let failures = 0;
  const withSpace: SpaceFinder = (attempt) => {
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (sqliteTroubleOf(error) !== 'full') throw error;
        // What SQLite does when a commit doesn't fit: PRAGMA max_page_count alone fails only the statement.
        if (database.isTransaction) database.exec('ROLLBACK');
        onFull(file);
        if (++failures > freesAfter || failures > 5) throw error;
        if (failures === freesAfter) database.exec('PRAGMA max_page_count = 4000');
      }
    }
  };
  const texts = () =>
    database
      .prepare('SELECT length(text) AS length FROM note ORDER BY id')
      .all()
      .map(({ length }) => length);
  return { writes: new SqliteWrites(database, withSpace), texts, failures: () => failures };
}

const insert = 'insert into note (text) values (?) returning id';
const big = 'x'.repeat(400_000);

for (const freesAfter of [1, 3]) {
  test(`[R10.4] a transaction that a full disk undid is repeated as a whole, after ${freesAfter} failures`, async (t) => {
    const { writes, texts, failures } = await fullDatabase(t, freesAfter);
    writes.run('begin immediate', []);
    assert.deepEqual(writes.run(insert, ['a']).rows.length, 1);
    writes.run(insert, ['bc']);
    writes.run(insert, [big]);
    writes.run('commit', []);
    assert.deepEqual(texts(), [1, 2, big.length]);
    assert.equal(failures(), freesAfter);
    writes.run(insert, ['d']);
    assert.equal(texts().length, 4, 'the next statement is not part of it');
  });
}

test('[R10.4] a transaction for which no space is found leaves nothing, reports the full disk, and does not stop the next', async (t) => {
  const { writes, texts } = await fullDatabase(t, Number.POSITIVE_INFINITY);
  writes.run('begin immediate', []);
  writes.run(insert, ['a']);
  assert.throws(
    () => writes.run(insert, [big]),
    (error) => sqliteTroubleOf(error) === 'full',
  );
  writes.run('rollback', []);
  assert.deepEqual(texts(), []);
  writes.run('begin immediate', []);
  writes.run(insert, ['b']);
  writes.run('commit', []);
  assert.deepEqual(texts(), [1]);
  writes.run(insert, ['cd']);
  assert.deepEqual(texts(), [1, 2], 'without a transaction');
});

test('a transaction is not repeated on what another process wrote in between, nor when it is too large', async (t) => {
  const changed = await fullDatabase(t, 1, (file) => {
    const other = new DatabaseSync(file);
    other.exec("INSERT OR IGNORE INTO note (id, text) VALUES (1, 'of another')");
    other.close();
  });
  changed.writes.run('begin immediate', []);
  changed.writes.run(insert, ['a']);
  assert.throws(() => changed.writes.run(insert, [big]), /repeated on a full disk: the database was changed/);
  changed.writes.run('rollback', []);
  assert.deepEqual(changed.texts(), ['of another'.length]);
  const large = await fullDatabase(t);
  large.writes.run('begin immediate', []);
  for (let count = 0; count < 2_000; count++) large.writes.run(insert, ['a']);
  assert.throws(() => large.writes.run(insert, [big]), /repeated on a full disk: it is too large/);
  assert.deepEqual(large.texts(), []);
});
