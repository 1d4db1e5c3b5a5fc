import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from './open-database.ts';

const fixture = fileURLToPath(new URL('../../../e2e/fixtures/data-0.1.0.tar.gz', import.meta.url));

/** The database of a server of version 0.1.0, with its accounts, streams and footage marks. */
async function oldDatabase(t: TestContext): Promise<{ folder: string; file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-migration-'));
  t.after(() => rm(folder, { recursive: true }));
  execFileSync('tar', ['-C', folder, '--strip-components=1', '-xzf', fixture, 'data']);
  return { folder, file: join(folder, 'vidette.sqlite') };
}

/** Every table with its definition and rows. */
function contentOf(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const objects = database
    .prepare(`SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name`)
    .all();
  const content = objects.map((object) => [
    object,
    object['type'] === 'table' ? database.prepare(`SELECT * FROM "${String(object['name'])}"`).all() : [],
  ]);
  database.close();
  return content.filter(
    ([object]) => !String((object as { name: string }).name).startsWith('kysely_migration_lock'),
  );
}

async function copyIn(folder: string): Promise<string> {
  const [name = '', ...others] = (await readdir(folder)).filter((found) => found.includes('.before-'));
  assert.deepEqual(others, []);
  return join(folder, name);
}

/** Opens the database in a process that kills itself before it executes the first statement that contains `sql`. */
function openAndDie(file: string, sql: string): void {
  const preload = `import { DatabaseSync } from 'node:sqlite';
    const prepare = DatabaseSync.prototype.prepare;
    DatabaseSync.prototype.prepare = function (sql, ...rest) {
      if (sql.includes(${JSON.stringify(sql)})) process.kill(process.pid, 'SIGKILL');
      return prepare.call(this, sql, ...rest);
    };`;
  const opener = new URL('./open-database.ts', import.meta.url).href;
  const program = `import(${JSON.stringify(opener)}).then(({ openDatabase }) => openDatabase({ file: ${JSON.stringify(file)} })).finally(() => process.exit());`;
  const { signal, stderr } = spawnSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      `--import=data:text/javascript,${encodeURIComponent(preload)}`,
      '--eval',
      program,
    ],
    { encoding: 'utf8' },
  );
  assert.equal(signal, 'SIGKILL', stderr);
}

const moments = {
  'in the first step': 'create table "session_proofs"',
  'between the statements of a step': 'create table "grants"',
  'in the last third, after steps that were complete': 'create table "holds"',
};

for (const [moment, sql] of Object.entries(moments)) {
  test(`[R10.3] an update that is killed ${moment} starts from the database as it was`, async (t) => {
    const { folder, file } = await oldDatabase(t);
    const before = contentOf(file);
    openAndDie(file, sql);
    assert.deepEqual(contentOf(file), before);

    const { db } = await openDatabase({ file });
    const logins = await db.selectFrom('users').select('login').orderBy('id').execute();
    await db.destroy();
    assert.deepEqual(
      logins.map(({ login }) => login),
      ['admin', 'anna'],
    );
    assert.deepEqual(contentOf(await copyIn(folder)), before);
  });
}

test('[R10.3] a step that fails undoes the steps before it', async (t) => {
  const { folder, file } = await oldDatabase(t);
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE holds (id INTEGER)');
  database.close();
  const before = contentOf(file);
  await assert.rejects(openDatabase({ file }), {
    code: 'Unavailable',
    message: /cannot be migrated .*holds.* kept as /,
  });
  assert.deepEqual(contentOf(file), before);
  assert.deepEqual(contentOf(await copyIn(folder)), before);
});
