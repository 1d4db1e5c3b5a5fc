import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ArchiveLock } from '../archive/catalog/catalog.ts';
import { catalogPath, lockPath } from '../archive/segments/segments.ts';
import { PasswordHasher } from '../access/password-hash.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { newStream } from '../store/stream-fixture.ts';
import { Store } from '../store/store.ts';
import { readLicense } from '../system/license-text.ts';
import { backUp, restore } from './backup.ts';
import { runCommand, usage } from './command-line.ts';
import { issueLicense, newLicenseKey } from './license.ts';
import { resetPassword } from './reset-password.ts';
import { newUser } from '../store/user-fixture.ts';

const clock = new ManualClock();
const version = '1.2.3';

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'vidette-cli-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

async function openStore(t: TestContext, dataDir: string): Promise<Store> {
  const store = await Store.open({ file: join(dataDir, 'vidette.sqlite'), redact: (source) => source });
  t.after(() => store.close());
  return store;
}

const administrator = (login: string) =>
  newUser(login, { passwordHash: 'old', isAdmin: true, maxStreamCreation: -1 });

test('[R10.10] a backup taken while the store is open restores the configuration and the database', async (t) => {
  const [dataDir, place] = [await folder(t), await folder(t)];
  const store = await openStore(t, dataDir);
  await store.users.add(administrator('first'));
  await writeFile(join(dataDir, 'vidette.yaml'), 'port: 7001 # mine\n');
  const file = join(place, 'vidette.backup');
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  assert.equal(await backUp({ dataDir, file, out, clock, version }), 0);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(place), ['vidette.backup']);
  await store.users.add(administrator('second'));

  const target = await folder(t);
  assert.equal(await restore({ dataDir: target, file, out }), 0);
  assert.match(lines.at(-1) ?? '', /^Restored the backup of 2026-01-01T00:00:00\.000Z by version 1\.2\.3\.$/);
  assert.equal(await readFile(join(target, 'vidette.yaml'), 'utf8'), 'port: 7001 # mine\n');
  const restored = await openStore(t, target);
  assert.ok(await restored.users.byLogin('first'));
  assert.equal(await restored.users.byLogin('second'), undefined);
  await restored.users.add(administrator('third'));
});

test('[R10.10] a backup includes the key that encrypts addresses, and the old key is kept beside it', async (t) => {
  const [dataDir, place, target] = [await folder(t), await folder(t), await folder(t)];
  const source = 'rtsp://operator:camera-password-4471@10.0.0.7/live';
  const store = await openStore(t, dataDir);
  await store.streams.add(newStream('cam', { source }));
  const file = join(place, 'vidette.backup');
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  assert.equal(await backUp({ dataDir, file, out, clock, version }), 0);
  assert.match(lines.at(-1) ?? '', /with their key.*protect it like the passwords in it/);

  const before = await Store.open({ file: join(target, 'vidette.sqlite'), redact: (text) => text });
  await before.close();
  const oldKey = await readFile(join(target, 'secret.key'));
  assert.equal(await restore({ dataDir: target, file, out }), 0);
  assert.deepEqual(await readFile(join(target, 'secret.key')), await readFile(join(dataDir, 'secret.key')));
  assert.equal((await stat(join(target, 'secret.key'))).mode & 0o777, 0o600);
  assert.deepEqual(await readFile(join(target, 'secret.key.old')), oldKey);
  const restored = await openStore(t, target);
  assert.equal((await restored.streams.byUid('cam'))?.source, source);
});

test('[R10.10] restoring keeps the existing files, and refuses while a server is running', async (t) => {
  const dataDir = await folder(t);
  const file = join(dataDir, 'a.backup');
  const store = await Store.open({ file: join(dataDir, 'vidette.sqlite'), redact: (source) => source });
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  await backUp({ dataDir, file, out, clock, version });
  await store.users.add(administrator('later'));
  await store.close();
  await writeFile(join(dataDir, 'vidette.yaml'), 'port: 1\n');

  const lock = new ArchiveLock(lockPath(catalogPath(join(dataDir, 'archive'))));
  assert.equal(await restore({ dataDir, file, out }), 1);
  assert.equal(lines.at(-1), 'The server is running: stop it first.');
  lock.release();
  assert.equal(await restore({ dataDir, file, out }), 0);
  assert.equal(await readFile(join(dataDir, 'vidette.yaml.old'), 'utf8'), 'port: 1\n');
  assert.ok(!(await readdir(dataDir)).includes('vidette.yaml'));
  const restored = await openStore(t, dataDir);
  assert.equal(await restored.users.count(), 0);
});

test('[R10.10] the files that restore moves aside contain everything a killed server had acknowledged, and are never overwritten', async (t) => {
  const [dataDir, killed] = [await folder(t), await folder(t)];
  const store = await openStore(t, dataDir);
  const file = join(dataDir, 'a.backup');
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  await backUp({ dataDir, file, out, clock, version });
  await store.users.add(administrator('acknowledged'));
  await writeFile(join(dataDir, 'vidette.yaml'), 'port: 1\n');
  // As kill -9 leaves it: the newest changes are only in the write-ahead log.
  for (const name of ['vidette.sqlite', 'vidette.sqlite-wal', 'secret.key', 'vidette.yaml']) {
    await copyFile(join(dataDir, name), join(killed, name));
  }
  for (const name of ['old', 'old.2']) {
    assert.equal(await restore({ dataDir: killed, file, out }), 0);
    assert.equal(lines.at(-1), `The previous database is kept as ${join(killed, `vidette.sqlite.${name}`)}.`);
    if (name === 'old') {
      const between = await Store.open({ file: join(killed, 'vidette.sqlite'), redact: (text) => text });
      await between.users.add(administrator('between'));
      await between.close();
    }
  }
  assert.equal(await readFile(join(killed, 'vidette.yaml.old'), 'utf8'), 'port: 1\n');
  for (const [suffix, login] of [
    ['old', 'acknowledged'],
    ['old.2', 'between'],
  ]) {
    const place = await folder(t);
    await copyFile(join(killed, `vidette.sqlite.${suffix}`), join(place, 'vidette.sqlite'));
    const old = await openStore(t, place);
    assert.ok(await old.users.byLogin(login ?? ''), login);
  }
});

test('[R10.10] an invalid or truncated backup is refused and changes nothing', async (t) => {
  const dataDir = await folder(t);
  const store = await openStore(t, dataDir);
  for (let user = 0; user < 200; user++) await store.users.add(administrator(`user${user}`));
  const out = () => {};
  const whole = join(dataDir, 'whole');
  await backUp({ dataDir, file: whole, out, clock, version });
  const bytes = await readFile(whole);
  const target = await folder(t);
  for (const [name, content] of [
    ['text', 'not a backup'],
    ['empty', ''],
    ['cut', bytes.subarray(0, bytes.length - 8_192)],
  ] as const) {
    const file = join(dataDir, name);
    await writeFile(file, content);
    assert.equal(await restore({ dataDir: target, file, out }), 1, name);
  }
  assert.equal(await restore({ dataDir: target, file: join(dataDir, 'vidette.sqlite'), out }), 1);
  assert.equal(await restore({ dataDir: target, file: join(dataDir, 'absent'), out }), 1);
  assert.deepEqual(await readdir(target), []);
  assert.equal(await backUp({ dataDir: target, file: join(target, 'b'), out, clock, version }), 1);
});

test('[R10.10] a backup with any byte flipped is refused; one made before digests existed is restored with a note', async (t) => {
  const dataDir = await folder(t);
  const store = await openStore(t, dataDir);
  for (let user = 0; user < 50; user++) await store.users.add(administrator(`user${user}`));
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  const file = join(dataDir, 'whole');
  await backUp({ dataDir, file, out, clock, version });
  const bytes = await readFile(file);
  const target = await folder(t);
  const spoilt = join(dataDir, 'spoilt');
  // Spread over header, schema, rows, free space and the digest itself.
  const digestAt = bytes.indexOf('vidette-backup-sha256:');
  const places = Array.from({ length: 40 }, (_, index) => Math.floor((bytes.length / 40) * index) + index);
  for (const place of [...places, digestAt, digestAt + 30, bytes.length - 1]) {
    const flipped = Buffer.from(bytes);
    flipped[place] = (flipped[place] ?? 0) ^ 0x01;
    await writeFile(spoilt, flipped);
    assert.equal(await restore({ dataDir: target, file: spoilt, out }), 1, `byte ${place}`);
  }
  assert.match(lines.at(-1) ?? '', /is not a complete backup.*changed/);
  assert.deepEqual(await readdir(target), []);

  const { DatabaseSync } = await import('node:sqlite');
  const old = new DatabaseSync(file);
  old.exec(
    `DROP TABLE vidette_backup_digest; UPDATE vidette_backup SET facts = json_remove(facts, '$.hasDigest'); VACUUM`,
  );
  old.close();
  assert.equal(await restore({ dataDir: target, file, out }), 0);
  assert.ok(lines.some((line) => line.includes('without a digest')));
  assert.equal(await (await openStore(t, target)).users.count(), 50);
});

test('[R10.10] a temporary password has to be changed, and old sessions end', async (t) => {
  const dataDir = await folder(t);
  const store = await openStore(t, dataDir);
  const { id } = await store.users.add(administrator('Anna'));
  await store.sessions.add({
    id: 's',
    secretHash: 'h',
    userId: id,
    createdMs: 1,
    lastSeenMs: 1,
    ip: '',
    userAgent: '',
  });
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  assert.equal(
    await resetPassword({ database: { file: join(dataDir, 'vidette.sqlite') }, login: 'anna', out }),
    0,
  );
  const password = /^Temporary password of Anna: (\S+)$/.exec(lines[0] ?? '')?.[1] ?? '';
  const user = await store.users.byId(id);
  assert.ok(await new PasswordHasher().verify(password, user?.passwordHash));
  assert.equal(user?.mustChangePassword, true);
  assert.deepEqual(await store.sessions.ofUser(id), []);
  assert.equal(
    await resetPassword({ database: { file: join(dataDir, 'vidette.sqlite') }, login: 'unknown', out }),
    1,
  );
  await store.users.save(id, { isManaged: true });
  assert.equal(
    await resetPassword({ database: { file: join(dataDir, 'vidette.sqlite') }, login: 'anna', out }),
    1,
  );
});

test('[R6.10] the holder of a key issues licenses that are valid only for its public half', async (t) => {
  const dir = await folder(t);
  const file = join(dir, 'key.pem');
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  assert.equal(await newLicenseKey(file, out), 0);
  const publicKey = lines.join('\n');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await newLicenseKey(file, out), 1);
  lines.length = 0;
  const options = ['--owner', 'ACME', '--type', 'enterprise', '--days', '30', '--streams', '50'];
  assert.equal(await issueLicense([file, ...options], clock, out), 0);
  const text = lines.join('\n');
  const claims = readLicense(text, publicKey);
  assert.deepEqual(
    [claims.owner, claims.productType, claims.maxStreams, claims.expiresAt],
    ['ACME', 'enterprise', 50, clock.wallMs() + 30 * 86_400_000],
  );
  assert.ok(claims.features.includes('archive'));
  const other = join(dir, 'other.pem');
  await newLicenseKey(other, out);
  assert.throws(() => readLicense(text, lines.slice(1).join('\n')), /not signed/);
  for (const bad of [[], [file, file], [file, '--days', 'x'], [file, '--type', 'gold']]) {
    assert.equal(await issueLicense(bad, clock, () => {}), 2);
  }
});

test('an invalid command line says how the command is used, and help describes one command or all', async () => {
  const lines: string[] = [];
  const run = (...args: string[]) =>
    runCommand(args[0] ?? '', args.slice(1), {}, (line) => void lines.push(line));
  for (const args of [
    ['backup'],
    ['restore', 'a', 'b'],
    ['status', '--wrong'],
    ['import', 'nothing'],
    ['start', 'x'],
  ]) {
    assert.equal(await run(...args), 2);
    assert.match(lines.pop() ?? '', new RegExp(`^vidette ${args[0]}\\b.*\n {2}\\S.*$`));
  }
  for (const args of [['fly'], ['constructor'], ['help', 'fly'], ['fly', '--help']]) {
    assert.equal(await run(...args), 2);
    assert.match(lines.pop() ?? '', /^There is no command "\w+"\. All commands: vidette help$/);
  }
  for (const args of [['help'], ['--help'], ['-h']]) {
    assert.equal(await run(...args), 0);
    assert.equal(lines.pop(), usage());
  }
  for (const args of [
    ['backup', '--help'],
    ['help', 'backup'],
  ]) {
    assert.equal(await run(...args), 0);
    assert.match(lines.pop() ?? '', /^vidette backup FILE \[--json\]\n {2}save configuration.*$/);
  }
  assert.equal(await run('backup', '--json'), 2);
  assert.match(lines.pop() ?? '', /^\{"exitCode":2,"messages":\["vidette backup FILE/);
});

test('[R10.10] the README documents every command', async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  for (const [, name] of usage().matchAll(/^ {2}([a-z][a-z-]+)/gm)) {
    assert.match(readme, new RegExp(`^\\| \`${name}[ \`]`, 'm'), name);
  }
});

test('a command that fails says why in one line, and in its object for programs', async (t) => {
  const place = await folder(t);
  const failing: readonly (readonly [RegExp, ...string[]])[] = [
    [/^\S+\/missing\/package\.json does not exist\.$/, 'upgrade', join(place, 'missing')],
    [/^\S+\/missing\.zip does not exist\.$/, 'verify', join(place, 'missing.zip')],
    [/^\S+\/file\/x can't exist: a part of it is a file\.$/, 'verify', join(place, 'file/x')],
    [/^The system refuses: EISDIR: .+\.$/, 'issue-license', place],
    [/^\S+\/missing does not exist\.$/, 'new-license-key', join(place, 'missing/key')],
    [/^\S+vidette\.yaml or the environment: port: /, 'check'],
  ];
  await writeFile(join(place, 'file'), '');
  await writeFile(join(place, 'vidette.yaml'), 'port: none\n');
  const env = { VIDETTE_DATA: place };
  for (const [line, command = '', ...args] of failing) {
    await assert.rejects(
      runCommand(command, args, env, () => {}),
      { name: 'Fault', message: line },
      command,
    );
    if (command.endsWith('license') || command.endsWith('key')) continue;
    const lines: string[] = [];
    assert.equal(await runCommand(command, [...args, '--json'], env, (text) => void lines.push(text)), 1);
    const { exitCode, messages } = JSON.parse(lines.join('')) as { exitCode: number; messages: string[] };
    assert.deepEqual([exitCode, messages.length], [1, 1]);
    assert.match(messages[0] ?? '', line);
  }
  await writeFile(join(place, 'vidette.yaml'), '');
  await writeFile(
    join(place, 'vidette.sqlite'),
    'this is no database, but as long as one has to be'.repeat(100),
  );
  await assert.rejects(
    runCommand('reset-password', ['anna'], env, () => {}),
    { name: 'Fault', message: /damaged|database/ },
  );
});
