import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Client } from '@vidette/contract/client';
import { Fault } from '../server/src/base/fault.ts';
import { eventually } from '../server/src/base/until-fixture.ts';
import { nodeKeyFile } from '../server/src/rpc/node-key.ts';
import { keyFileName } from '../server/src/store/seal.ts';
import { Store } from '../server/src/store/store.ts';
import { administratorOf, until } from './api.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { startServer } from './server.ts';
import { newUser } from '../server/src/store/user-fixture.ts';

// The database on a PostgreSQL server instead of SQLite: the same product, and the differences.

const root = join(import.meta.dirname, '..');
/**
 * The part of the black-box suite that uses the database heavily and the machine lightly; `npm run
 * test:postgres` runs all of it.
 */
const chosen = [
  'server/src/store/store.test.ts',
  'server/src/store/sort-keys.test.ts',
  'server/src/store/access-changes.test.ts',
  'server/src/store/journal.test.ts',
  'server/src/access/identities.test.ts',
  'e2e/api/account.test.ts',
  'e2e/api/rights.test.ts',
];

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});

after(() => postgres?.stop());

for (const file of chosen) {
  test(`${file} passes on PostgreSQL as on SQLite`, async () => {
    // With the variable that marks a nested test run, results would be reported to the parent instead of a
    // verdict.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const outcome = await new Promise<{ code: unknown; output: string }>((resolve) => {
      const args = ['--test', '--test-force-exit', '--test-reporter=spec', file];
      const options = { cwd: root, env: { ...env, VIDETTE_TEST_POSTGRES: postgres.url('postgres') } };
      execFile(process.execPath, args, options, (error, stdout) =>
        resolve({ code: error?.code ?? 0, output: stdout }),
      );
    });
    assert.equal(outcome.code, 0, outcome.output);
  });
}

test('[R10.8] only one server at a time has a name: the next waits until the lease of the previous one has expired', async () => {
  const env = { VIDETTE_DATABASE: await postgres.create('names') };
  const first = await startServer({ env });
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-second-'));
  let second: Awaited<ReturnType<typeof startServer>> | undefined;
  try {
    await administratorOf(first);
    for (const name of [keyFileName, nodeKeyFile]) {
      await copyFile(join(first.dataDir, name), join(dataDir, name));
    }
    const waits = Promise.withResolvers<void>();
    const onOutput = (text: string) => {
      if (text.includes('A server with this name is running')) waits.resolve();
    };
    const starting = startServer({ env, dataDir, onOutput });
    await Promise.race([waits.promise, starting]);
    assert.equal((await fetch(`${first.url}/v1/streams`)).status, 401, 'the first is undisturbed');
    await first.stop();
    second = await starting;
    assert.equal(
      (await fetch(`${second.url}/v1/streams`)).status,
      401,
      'not locked: the administrator is there',
    );
  } finally {
    await first.stop();
    await second?.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('[R10.8] before an update changes a database on PostgreSQL the log says what to restore to go back; a downgrade is refused in one plain line', async (t) => {
  const env = { VIDETTE_DATABASE: await postgres.create('versions') };
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-versions-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const first = await startServer({ env, dataDir });
  assert.doesNotMatch(first.output, /migrated/, 'a new database is no update');
  await first.stop();
  const client = postgres.client('versions');
  await client.connect();
  t.after(() => client.end());
  const steps = async () =>
    (await client.query<{ name: string }>('select name from kysely_migration order by name')).rows;
  const before = await steps();
  const last = before.at(-1)?.name ?? '';

  // As the previous version left it, except for the table that the last step adds: the step fails, and is
  // rolled back completely.
  await client.query('delete from kysely_migration where name = $1', [last]);
  await assert.rejects(
    startServer({ env, dataDir }),
    /ended with 1:[^]*migrated to this version[^\n]*pg_dump[^]*cannot be migrated to this version/,
  );
  assert.deepEqual(await steps(), before.slice(0, -1));

  await client.query('insert into kysely_migration values ($1, $2)', [last, '2030-01-01']);
  await client.query(`insert into kysely_migration values ('9999_later', '2030-01-01')`);
  await client.query(`update settings set value = '"9999_later"' where key = 'schema.floor'`);
  const refused = startServer({ env, dataDir });
  await assert.rejects(refused, /ended with 1:[^]*A newer version has used this database[^\n]*pg_dump/);
  const { message } = await refused.then(
    () => new Error('It started'),
    (error: unknown) => error as Error,
  );
  assert.doesNotMatch(message, /\n\s+at /, 'no stack');
});

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.mp4'));
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const succeeds = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    () => false,
  );

/**
 * The ways in which a database loses what it has not yet written. A restart changes its start time, recovery
 * does not.
 */
const crashes = {
  restarts: async () => {
    await postgres.kill();
    await until(() => succeeds(postgres.start()), Boolean, 60_000);
  },
  'recovers without a restart': async () => {
    const connected = async () => {
      const client = postgres.client('postgres');
      client.on('error', () => {});
      await client.connect();
      return client;
    };
    const [killed, ended] = await Promise.all([connected(), connected()]);
    const { rows } = await killed.query<{ pid: number }>('select pg_backend_pid() as pid');
    const hasEnded = new Promise<void>((resolve) => ended.once('end', resolve));
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    // The server ends all its processes when one of them is killed, and answers again after recovery.
    await hasEnded;
    await until(() => succeeds(connected().then((client) => client.end())), Boolean, 60_000);
  },
};

for (const [how, crash] of Object.entries(crashes)) {
  test(`[R10.8, R4.4] a change of rights is read after the database has crashed and ${how}, although its transaction ids restart at a lower number`, async (t) => {
    const database = `crash_${how.slice(0, 4)}`;
    const folder = await mkdtemp(join(tmpdir(), 'vidette-crash-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const store = await Store.open({ url: await postgres.create(database), folder, redact: (text) => text });
    t.after(() => store.close());
    const user = await store.users.add(newUser('guard'));
    // A transaction that writes nothing uses an id that the crash erases, like one that is rolled back.
    const takeIds = async (count: number) => {
      const client = postgres.client(database);
      await client.connect();
      for (let taken = 0; taken < count; taken++) await client.query('select pg_current_xact_id()');
      await client.end();
    };
    const soon = <T>(attempt: () => Promise<T>) =>
      eventually(attempt, (error) => error instanceof Fault && error.code === 'Unavailable');
    // Commits of this server reach the disk a moment later, unless one asks for it, and all before that one.
    const flush = postgres.client(database);
    await flush.connect();
    await flush.query('begin; set local synchronous_commit = on; create table flushed (); commit');
    await flush.end();
    await takeIds(100);
    const { mark } = await store.accessChanges.since(undefined);
    await crash();
    await soon(() => store.users.save(user.id, { isBlocked: true }));
    await takeIds(200);
    const news = await soon(() => store.accessChanges.since(mark));
    assert.ok(news.mark.transactionId > mark.transactionId);
    assert.ok(news.changes === undefined || news.changes.some(({ userId }) => userId === user.id));
    // From then on the changes are listed again.
    await store.users.save(user.id, { isBlocked: false });
    const { changes } = await store.accessChanges.since(news.mark);
    assert.deepEqual(changes, [{ userId: user.id, streamUid: null }]);
  });
}

test('while the database is unavailable recording and live video continue, changes are Unavailable, and everything recovers', async () => {
  const database = await postgres.create('away');
  const server = await startServer({ env: { VIDETTE_DATABASE: database } });
  let socket: WebSocket | undefined;
  try {
    const { client, cookie } = await administratorOf(server);
    const { uid } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } });
    const status = async () => (await client.getStream({ params: { uid } })).status;
    await until(status, (now) => now === 'running', 60_000);
    const address = `${server.url.replace('http', 'ws')}/v1/stream/${uid}/live`;
    socket = new WebSocket(address, { headers: { cookie, origin: server.url } });
    let received = 0;
    socket.on('message', () => received++);
    await until(
      () => received,
      (count) => count > 5,
      60_000,
    );
    await postgres.halt();
    await until(
      () => outcomeOf(client),
      (code) => code === 'Unavailable',
      60_000,
    );
    const save = () => client.saveStream({ params: { uid }, body: { name: 'Gate 3' } });
    await assert.rejects(save(), { code: 'Unavailable', status: 503 });
    const [bytes, frames] = [await bytesBelow(server.dataDir), received];
    await until(
      () => bytesBelow(server.dataDir),
      (now) => now > bytes + 20_000,
      60_000,
    );
    await until(
      () => received,
      (count) => count > frames + 10,
      60_000,
    );
    await postgres.start();
    await until(
      () => outcomeOf(client),
      (code) => code === 'ok',
      60_000,
    );
    assert.equal((await save()).name, 'Gate 3');
    assert.equal(socket.readyState, WebSocket.OPEN);
    assert.equal(await status(), 'running');
  } finally {
    socket?.terminate();
    await server.stop();
  }
});

/** `ok` or why the call that changes a profile fails. */
async function outcomeOf(client: Client): Promise<string> {
  try {
    await client.saveProfile({ body: { language: 'en' } });
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
