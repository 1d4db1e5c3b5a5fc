import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Fault } from '../base/fault.ts';
import { environmentKeys } from './environment.ts';
import { ConfigStore, maskedSecret } from './config-store.ts';
import { loadConfig } from './load.ts';

async function newStore(t: TestContext, text?: string, env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-keeper-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const file = join(dataDir, 'vidette.yaml');
  if (text !== undefined) await writeFile(file, text, { mode: 0o640 });
  const whole = { VIDETTE_DATA: dataDir, ...env };
  const store = new ConfigStore(await loadConfig(whole), whole);
  return { store, file, text: () => readFile(file, 'utf8'), dataDir };
}

function fieldsOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail('it was taken'),
    (error: unknown) => {
      assert.ok(error instanceof Fault && error.code === 'ValidationError', String(error));
      return (error.details['fields'] as { path: string }[]).map(({ path }) => path);
    },
  );
}

test('[R7.46] a save keeps comments and keys that it does not name, and replaces the file atomically', async (t) => {
  const before = '# mine\nport: 7000 # behind the proxy\nsmtp:\n  # of the office\n  host: mail\n';
  const { store, text, file, dataDir } = await newStore(t, before);
  const saved = await store.save({ smtp: { host: 'mail2', port: 26 }, app: { title: 'Gate' } });
  assert.deepEqual(saved, { changedKeys: ['smtp.host', 'smtp.port', 'app.title'], pendingRestart: false });
  assert.equal(
    await text(),
    '# mine\nport: 7000 # behind the proxy\nsmtp:\n  # of the office\n  host: mail2\n  port: 26\napp:\n  title: Gate\n',
  );
  assert.equal((await stat(file)).mode & 0o777, 0o640);
  assert.deepEqual(await readdir(dataDir), ['vidette.yaml']);
});

test('[R7.46] keys are accepted as they are listed, alone or within a branch', async (t) => {
  const { store, text } = await newStore(t, 'smtp:\n  host: mail\n');
  const { restartKeys } = await store.view();
  assert.ok(restartKeys.includes('archive.folder'));
  const saved = await store.save({
    'smtp.host': 'mail2',
    'archive.folder': '/srv/archive',
    app: { title: 'Gate' },
  });
  assert.deepEqual(saved.changedKeys, ['smtp.host', 'archive.folder', 'app.title']);
  assert.equal(await text(), 'smtp:\n  host: mail2\narchive:\n  folder: /srv/archive\napp:\n  title: Gate\n');
  for (const values of [
    { 'smtp.nothing': 1 },
    { 'smtp.': 1 },
    { '.smtp': 1 },
    { 'smtp.host.name': 1 },
    { 'smtp.host': 'a', smtp: { host: 'b' } },
    { 'smtp.__proto__.host': 'a' },
    { 'constructor.prototype': 'a' },
  ]) {
    await assert.rejects(store.save(values), { code: 'ValidationError' }, JSON.stringify(values));
  }
});

test('[R7.46] a missing file is created with read permission for its owner only', async (t) => {
  const { store, text, file } = await newStore(t);
  await store.save({ smtp: { password: 'pw' }, tunnel: { locations: [{ host: 'relay' }] } });
  assert.equal(await text(), 'smtp:\n  password: pw\ntunnel:\n  locations:\n    - host: relay\n');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('[R7.46] live keys take effect immediately, the others after a restart, which is reported', async (t) => {
  const { store } = await newStore(t);
  const { config } = store;
  let told = 0;
  store.onApplied(() => told++);
  await store.save({ app: { title: 'Now' }, archive: { warnPercent: 80 } });
  assert.deepEqual([config.app.title, config.archive.warnPercent, told], ['Now', 80, 1]);
  assert.equal((await store.save({ port: 9000 })).pendingRestart, true);
  assert.equal(config.port, 8080);
  const view = await store.view();
  assert.deepEqual([view.values['port'], view.pendingRestart], [9000, true]);
  assert.ok(view.restartKeys.includes('port') && !view.restartKeys.includes('app.title'));
  assert.equal((await store.save({ port: 8080 })).pendingRestart, false);
});

test('[R7.46] secrets are masked on output, and a mask that is sent back changes nothing', async (t) => {
  const { store, text } = await newStore(
    t,
    'smtp: { host: mail, password: s3cret }\nmetrics: { token: t0ken }\n',
  );
  const view = await store.view();
  assert.doesNotMatch(JSON.stringify(view), /s3cret|t0ken/);
  assert.deepEqual((view.values['smtp'] as { password: unknown }).password, maskedSecret);
  assert.equal((view.values['kiosk'] as { password: unknown }).password, null);
  assert.deepEqual((await store.save(view.values)).changedKeys, []);
  await store.save({ smtp: { password: null } });
  assert.match(await text(), /password: null/);
  assert.equal(store.config.smtp.password, null);
});

test('[R7.46, R8.2] an invalid value is reported by its key, and nothing is written', async (t) => {
  const { store, text } = await newStore(t, 'port: 7000\n', { VIDETTE_HOST: '127.0.0.1' });
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as Record<string, unknown>;
  const list = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
  for (const [values, paths] of [
    [{ port: 'high', smtp: { port: 0 } }, ['values.port', 'values.smtp.port']],
    [{ prot: 1, smtp: { hots: 'x' } }, ['values.prot', 'values.smtp.hots']],
    [{ port: { a: 1 } }, ['values.port.a']],
    [{ smtp: 5 }, ['values.smtp']],
    [{ tls: { key: 'k.pem' } }, ['values.tls']],
    [{ host: '0.0.0.0' }, ['values.host']],
    [deep, ['values.a.a']],
    [{ tunnel: { locations: list } }, ['values.tunnel.locations']],
    [{ tunnel: { locations: [{ host: { a: 1 } }] } }, ['values.tunnel.locations']],
    [{ tunnel: { locations: [{ host: 'a b' }] } }, ['values.tunnel.locations.0.host']],
    [{ tunnel: { locations: [{}, {}] } }, ['values.tunnel.locations']],
    [JSON.parse('{"__proto__": {"port": 1}}') as Record<string, unknown>, ['values.__proto__.port']],
  ] as const) {
    assert.deepEqual(await fieldsOf(store.save(values)), paths);
  }
  assert.deepEqual((await store.save({ host: '127.0.0.1' })).changedKeys, []);
  assert.deepEqual((await store.view()).environmentKeys, ['host']);
  assert.equal(await text(), 'port: 7000\n');
});

test('[R7.46] two simultaneous saves both take effect', async (t) => {
  const { store, text } = await newStore(t);
  await Promise.all([store.save({ port: 1 }), store.save({ app: { title: 'T' } }).catch(() => {})]);
  assert.equal(await text(), 'port: 1\napp:\n  title: T\n');
});

test('[R7.46] a file broken by a manual edit is reported', async (t) => {
  const { store, file } = await newStore(t);
  await writeFile(file, 'a: [1');
  assert.deepEqual(await fieldsOf(store.view()), ['values']);
});

test('[R7.46] every key is in the schema', async (t) => {
  const { store } = await newStore(t);
  const { schema } = await store.view();
  for (const { path } of environmentKeys) {
    const found = path.reduce<unknown>(
      (place, name) => (place as { properties?: Record<string, unknown> } | undefined)?.properties?.[name],
      schema,
    );
    assert.ok(found, path.join('.'));
  }
});
