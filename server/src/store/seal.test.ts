import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { keyBytes, keyFileName, makeKey, readKey, Seal } from './seal.ts';
import { Store } from './store.ts';
import { unreadable } from './stream-addresses.ts';
import { newStream } from './stream-fixture.ts';

const secret = 'camera-password-4471';
const address = `rtsp://operator:${secret}@10.0.0.7/live`;
const admin = { userId: 0, isAdmin: true };

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-seal-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

const openStore = (folder: string) =>
  Store.open({
    file: join(folder, 'vidette.sqlite'),
    redact: (source) => source.replace(/\/\/.*@/, '//'),
  });

/** Writes addresses in clear, as earlier versions did. */
function writeClear(folder: string, statement: string, ...values: string[]): void {
  const database = new DatabaseSync(join(folder, 'vidette.sqlite'));
  database.prepare(statement).run(...values);
  database.close();
}

/** Names of the database's files in which the password can be read. */
async function filesWithSecret(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const file of await readdir(folder)) {
    if ((await readFile(join(folder, file), 'latin1')).includes(secret)) found.push(file);
  }
  return found;
}

test('[R3.3] sealed data can be opened only with their key and in their place, and never look the same twice', () => {
  const seal = new Seal(randomBytes(keyBytes));
  const other = new Seal(randomBytes(keyBytes));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, place) => {
      const sealed = seal.seal(text, place);
      assert.equal(seal.open(sealed, place), text.toWellFormed());
      assert.equal(seal.open(sealed, `${place}.`), undefined);
      assert.equal(other.open(sealed, place), undefined);
      assert.notEqual(seal.seal(text, place), sealed);
    }),
  );
  assert.throws(() => new Seal(randomBytes(16)), /32 bytes/);
});

test('[R3.3] sealed text that was changed or truncated does not open', () => {
  const seal = new Seal(randomBytes(keyBytes));
  const sealed = seal.seal(address, 'here');
  const body = Buffer.from(sealed.slice(3), 'base64url');
  for (let at = 0; at < body.length; at++) {
    const changed = Buffer.from(body);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(seal.open(`v1:${changed.toString('base64url')}`, 'here'), undefined, `byte ${at}`);
    assert.equal(seal.open(`v1:${body.subarray(0, at).toString('base64url')}`, 'here'), undefined);
  }
  fc.assert(fc.property(fc.string(), (text) => seal.open(text, 'here') === undefined));
  assert.equal(seal.open(address, 'here'), undefined);
});

test('[R3.3] the key is created once, even by simultaneous callers, and only its owner can read it', async (t) => {
  const folder = await folderOf(t);
  assert.equal(await readKey(folder), undefined);
  const keys = await Promise.all(Array.from({ length: 8 }, () => makeKey(folder)));
  for (const key of keys) assert.deepEqual(key, keys[0]);
  assert.deepEqual(await makeKey(folder), keys[0]);
  assert.deepEqual(await readdir(folder), [keyFileName]);
  assert.equal((await stat(join(folder, keyFileName))).mode & 0o777, 0o600);
  await writeFile(join(folder, keyFileName), 'short');
  await assert.rejects(readKey(folder), /secret\.key is damaged: it has 5 bytes/);
});

test('[R3.3] addresses are stored sealed and read in clear, one by one and in lists', async (t) => {
  const folder = await folderOf(t);
  const store = await openStore(folder);
  t.after(() => store.close());
  const { id } = await store.streams.add(newStream('one', { source: address, subSource: `${address}/sub` }));
  assert.deepEqual(await filesWithSecret(folder), []);
  const { value: first } = await store.streams.all().next();
  const records = [
    await store.streams.byUid('one'),
    first ?? undefined,
    (await store.streamList.find(admin, 'one'))?.stream,
  ];
  for (const record of records) {
    assert.equal(record?.source, address);
    assert.equal(record?.subSource, `${address}/sub`);
  }
  const saved = await store.streams.save(id, 1, {
    ...newStream('one', { source: address }),
    source: `${address}/new`,
  });
  assert.equal(saved?.source, `${address}/new`);
  assert.equal(saved?.subSource, null);
  assert.equal((await store.streams.byUid('one'))?.source, `${address}/new`);
  assert.deepEqual(await filesWithSecret(folder), []);
});

test('[R3.3] the next start seals values stored in clear and leaves no trace of them in the files', async (t) => {
  const folder = await folderOf(t);
  const before = await openStore(folder);
  for (const uid of ['kept', 'edited', 'removed'])
    await before.streams.add(newStream(uid, { source: address, subSource: address }));
  await before.close();
  writeClear(folder, 'PRAGMA user_version = 0');
  writeClear(folder, 'UPDATE streams SET source = ?, sub_source = ?', address, address);
  writeClear(folder, 'UPDATE streams SET sub_source = NULL WHERE uid = ?', 'edited');
  writeClear(folder, 'DELETE FROM streams WHERE uid = ?', 'removed');
  assert.deepEqual(await filesWithSecret(folder), ['vidette.sqlite']);

  const store = await openStore(folder);
  assert.deepEqual(await filesWithSecret(folder), [], 'while it runs');
  assert.equal((await store.streams.byUid('kept'))?.subSource, address);
  assert.equal((await store.streams.byUid('edited'))?.source, address);
  await store.close();
  const stored = await readFile(join(folder, 'vidette.sqlite'));
  await (await openStore(folder)).close();
  assert.deepEqual(await filesWithSecret(folder), []);
  assert.equal((await readFile(join(folder, 'vidette.sqlite'))).length, stored.length);
});

test('[R7.46] the search text that contained whole addresses is rebuilt once, and the old text is erased from the file', async (t) => {
  const folder = await folderOf(t);
  const redact = () => 'rtsp://10.0.0.7';
  const options = { file: join(folder, 'vidette.sqlite'), redact };
  const before = await Store.open({ ...options, redact: (source) => source });
  await before.streams.add(newStream('one', { source: address }));
  await before.close();
  assert.deepEqual(await filesWithSecret(folder), ['vidette.sqlite']);
  const store = await Store.open(options);
  await store.renewSearch();
  assert.deepEqual(await filesWithSecret(folder), []);
  const changed = newStream('two', { source: address });
  await store.streams.add(changed);
  await store.close();
  const later = await Store.open({ ...options, redact: () => 'not asked again' });
  t.after(() => later.close());
  await later.renewSearch();
  const plainText = await readFile(join(folder, 'vidette.sqlite'), 'latin1');
  assert.doesNotMatch(plainText, /not asked again/);
});

test('[R3.3] clear text left in free space by an interrupted start is erased by the next', async (t) => {
  const folder = await folderOf(t);
  const before = await openStore(folder);
  await before.streams.add(newStream('removed', { source: address }));
  await before.close();
  writeClear(folder, 'PRAGMA user_version = 0');
  writeClear(folder, 'UPDATE streams SET source = ?', address);
  writeClear(folder, 'DELETE FROM streams');
  assert.deepEqual(await filesWithSecret(folder), ['vidette.sqlite']);
  await (await openStore(folder)).close();
  assert.deepEqual(await filesWithSecret(folder), []);
});

test('[R3.3] a lost key is reported and no new one is created; with a wrong one only the addresses are lost', async (t) => {
  const folder = await folderOf(t);
  const before = await openStore(folder);
  await before.streams.add(newStream('cam', { source: address }));
  await before.close();
  const file = join(folder, keyFileName);
  const key = await readFile(file);
  await rm(file);
  await assert.rejects(openStore(folder), /secret\.key is missing/);
  assert.ok(!(await readdir(folder)).includes(keyFileName));

  await writeFile(file, randomBytes(keyBytes), { mode: 0o600 });
  const store = await openStore(folder);
  const cam = await store.streams.byUid('cam');
  assert.equal(cam?.source, unreadable);
  const edit = { ...newStream('cam', { source: address }), name: 'renamed', source: unreadable };
  await assert.rejects(store.streams.save(cam.id, 1, edit), { code: 'CREDENTIALS_ERR' });
  await store.streams.add(newStream('new', { source: address }));
  await store.streams.setPaused(cam.id, true);
  assert.equal((await store.streams.byUid('new'))?.source, address);
  await store.close();

  await writeFile(file, key);
  const healed = await openStore(folder);
  t.after(() => healed.close());
  assert.equal((await healed.streams.byUid('cam'))?.source, address);
});
