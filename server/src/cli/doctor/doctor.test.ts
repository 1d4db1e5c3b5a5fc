import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { ManualClock } from '../../base/manual-clock.ts';
import type { Config } from '../../config/schema.ts';
import { newStream } from '../../store/stream-fixture.ts';
import { Store } from '../../store/store.ts';
import { checkDisk, judgeDisk, mountOf, type DiskFacts } from './disk.ts';
import { doctor } from './doctor.ts';
import { checkOwners, newestFile } from './files.ts';
import type { Finding } from './finding.ts';
import { checkCertificate, checkClock } from './machine.ts';

const facts: DiskFacts = {
  folder: '/srv/video',
  freeBytes: 500e9,
  totalBytes: 1000e9,
  bytesPerSecond: 150e6,
  flushMs: 4,
  mount: { type: 'ext4', options: ['rw', 'relatime'] },
};
const states = (changes: Partial<DiskFacts>) =>
  judgeDisk('data', { ...facts, ...changes }).map(({ state }) => state);

test('the figures of a disk are judged: space, speed, and whether a flush reaches it', () => {
  assert.deepEqual(states({}), ['good', 'good', 'good']);
  assert.deepEqual(states({ freeBytes: 0.9e9 }), ['bad', 'good', 'good']);
  assert.deepEqual(states({ bytesPerSecond: 10e6 }), ['good', 'warning', 'good']);
  assert.deepEqual(states({ flushMs: 900 }), ['good', 'warning', 'good']);
  assert.deepEqual(states({ flushMs: 0.004 }), ['good', 'good', 'warning']);
  assert.deepEqual(states({ mount: { type: 'tmpfs', options: ['rw'] } }), ['good', 'good', 'bad']);
  assert.deepEqual(states({ mount: { type: 'xfs', options: ['rw', 'nobarrier'] } }), [
    'good',
    'good',
    'warning',
  ]);
  assert.deepEqual(states({ mount: undefined }), ['good', 'good', 'good']);
  for (const one of judgeDisk('data', { ...facts, freeBytes: 0, bytesPerSecond: 1, flushMs: 0 }))
    assert.equal(one.cure === undefined, one.state === 'good', one.text);
});

test('a folder is on the mount with the longest path, and of two there on the last one', () => {
  const info = [
    '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro',
    '30 22 8:2 / /srv rw - xfs /dev/sdb1 rw,nobarrier',
    '31 22 8:3 / /srv/video rw master:2 - btrfs /dev/sdc1 rw',
    '32 22 0:9 / /srv/video rw - tmpfs tmpfs rw,size=4m',
  ].join('\n');
  assert.equal(mountOf('/srv/video/a', info)?.type, 'tmpfs');
  assert.deepEqual(mountOf('/srv/videos', info), { type: 'xfs', options: ['rw', 'rw', 'nobarrier'] });
  assert.equal(mountOf('/home', info)?.type, 'ext4');
  assert.equal(mountOf('/home', ''), undefined);
});

async function examined(
  env: Record<string, string>,
): Promise<{ code: number; findings: readonly Finding[] }> {
  const lines: string[] = [];
  const code = await doctor({ env, clock: systemClock, isJson: true, out: (line) => void lines.push(line) });
  return { code, findings: JSON.parse(lines.join('')) as Finding[] };
}

const stateOf = (findings: readonly Finding[], check: string) =>
  findings.find((one) => one.check === check)?.state;

async function dataFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-doctor-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('doctor names a port in use and cameras that do not answer, and changes nothing', async (t) => {
  const folder = await dataFolder(t);
  const camera = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(camera, 'listening');
  t.after(() => camera.close());
  const { port } = camera.address() as { port: number };
  const store = await Store.open({ file: join(folder, 'vidette.sqlite'), redact: (source) => source });
  for (const [uid, source] of [
    ['answers', `rtsp://user:secret-word@127.0.0.1:${port}/live`],
    ['silent', 'rtsp://user:secret-word@127.0.0.1:1/live'],
    ['pattern', 'demo:'],
  ] as const)
    await store.streams.add(newStream(uid, { source, allowsLoopback: true }));
  await store.close();
  const before = await readdir(folder);
  const { code, findings } = await examined({
    VIDETTE_DATA: folder,
    VIDETTE_HOST: '127.0.0.1',
    VIDETTE_PORT: String(port),
  });
  assert.equal(code, 1);
  const expected = {
    configuration: 'good',
    database: 'good',
    port: 'bad',
    'stream answers': 'good',
    'stream silent': 'bad',
    'stream pattern': undefined,
  };
  for (const [check, state] of Object.entries(expected)) assert.equal(stateOf(findings, check), state, check);
  assert.ok(!JSON.stringify(findings).includes('secret-word'));
  for (const { state, cure, text } of findings) assert.equal(cure === undefined, state === 'good', text);
  assert.deepEqual(await readdir(folder), before);

  const { findings: free } = await examined({
    VIDETTE_DATA: folder,
    VIDETTE_HOST: '127.0.0.1',
    VIDETTE_PORT: '0',
  });
  assert.equal(stateOf(free, 'port'), 'good');
});

test('doctor explains an invalid configuration, a missing folder, and a damaged database', async (t) => {
  const folder = await dataFolder(t);
  await writeFile(join(folder, 'vidette.sqlite'), 'SQLite format 3\0 but not really');
  const damaged = await examined({ VIDETTE_DATA: folder, VIDETTE_PORT: '0' });
  assert.deepEqual([damaged.code, stateOf(damaged.findings, 'database')], [1, 'bad']);
  await writeFile(join(folder, 'vidette.yaml'), 'prot: 1\n');
  const { code, findings } = await examined({ VIDETTE_DATA: folder });
  assert.equal(code, 1);
  assert.deepEqual(
    findings.map(({ check, state }) => [check, state]),
    [['configuration', 'bad']],
  );
  assert.match(findings[0]?.text ?? '', /prot: there is no such key/);
  const missing = await examined({ VIDETTE_DATA: join(folder, 'missing'), VIDETTE_PORT: '0' });
  assert.deepEqual([missing.code, stateOf(missing.findings, 'data')], [1, 'bad']);
});

test('doctor names a database server that is down, without its password', async (t) => {
  const { findings } = await examined({
    VIDETTE_DATA: await dataFolder(t),
    VIDETTE_PORT: '0',
    VIDETTE_DATABASE: 'postgres://vidette:secret-word@127.0.0.1:1/vidette',
  });
  const database = findings.find(({ check }) => check === 'database');
  assert.equal(database?.state, 'bad');
  assert.match(database.cure ?? '', /PostgreSQL/);
  assert.ok(!JSON.stringify(findings).includes('secret-word'));
});

test('doctor reads the certificate as the server does: missing, empty, of another key, or no longer valid', async (t) => {
  const folder = await dataFolder(t);
  const clock = new ManualClock(Date.now());
  const pair = (name: string, ...dates: string[]) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
    const args = ['req', '-x509', ...key, '-out', `${name}.pem`, '-subj', '/CN=vidette', ...dates];
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  };
  pair('one', '-days', '30');
  pair('two', '-days', '30');
  await writeFile(join(folder, 'empty.pem'), '');
  const look = async (certificate: string, key: string) => {
    const [finding, ...others] = await checkCertificate(
      { dataDir: folder, tls: { certificate, key } } as Config,
      clock,
    );
    assert.deepEqual(others, []);
    assert.equal(finding?.cure === undefined, finding?.state === 'good');
    return [finding?.state, finding?.text.replaceAll(`${folder}/`, '')];
  };
  assert.deepEqual(await look('one.pem', 'one.key'), [
    'good',
    'Certificate and key belong together, and are valid for 29 days.',
  ]);
  assert.deepEqual(await look('one.pem', 'none.key'), [
    'bad',
    "tls.key: none.key can't be read: there is no such file.",
  ]);
  assert.deepEqual(await look('empty.pem', 'one.key'), [
    'bad',
    'tls.certificate: empty.pem holds no certificate in PEM.',
  ]);
  assert.deepEqual(await look('one.pem', 'two.key'), [
    'bad',
    'tls: the key in two.key does not belong to the certificate in one.pem.',
  ]);
  const dayMs = 86_400_000;
  clock.stepWall(-dayMs);
  assert.match(String(await look('one.pem', 'one.key')), /^bad,.*is not valid before/);
  clock.stepWall(25 * dayMs);
  assert.match(String(await look('one.pem', 'one.key')), /^warning,.*expires on \d{4}-\d\d-\d\d\.$/);
  clock.stepWall(7 * dayMs);
  assert.match(String(await look('one.pem', 'one.key')), /^bad,.*expired on/);
});

test('doctor compares the clock with the newest file, and tells files of another user from a lost database', async (t) => {
  const folder = await dataFolder(t);
  const path = join(folder, 'vidette.sqlite');
  await writeFile(path, '');
  await writeFile(join(folder, 'certificate.pem'), '');
  const writtenMs = Date.UTC(2026, 4, 3, 8, 15);
  await utimes(path, new Date(writtenMs), new Date(writtenMs));
  assert.deepEqual(await newestFile(folder), { ...(await newestFile(folder)), path, writtenMs });
  const late = await checkClock(new ManualClock(Date.UTC(1970, 0, 1, 0, 2)), { path, writtenMs });
  assert.equal(late.state, 'bad');
  assert.equal(
    late.text,
    `The clock shows 1970-01-01 00:02 UTC, but ${path} was written at 2026-05-03 08:15 UTC.`,
  );
  assert.notEqual((await checkClock(new ManualClock(writtenMs - 60_000), { path, writtenMs })).state, 'bad');

  assert.deepEqual(
    (await checkOwners(folder)).map(({ state }) => state),
    ['good'],
  );
  assert.deepEqual(await checkOwners(join(folder, 'none')), []);
  if (process.getuid?.() !== 0) return t.skip('only root gives files away');
  await chown(folder, 65_534, 65_534);
  const [foreign] = await checkOwners(folder);
  assert.equal(foreign?.state, 'warning');
  assert.equal(foreign.text, `${path} belongs to another user than the folder.`);
  // As the user of the server, which may not open what root has made.
  await chmod(path, 0o600);
  const program = `import(${JSON.stringify(join(import.meta.dirname, 'files.ts'))}).then(async ({ checkOwners }) =>
    process.stdout.write(JSON.stringify(await checkOwners(${JSON.stringify(folder)}))))`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    uid: 65_534,
    gid: 65_534,
    encoding: 'utf8',
  });
  assert.deepEqual(
    (JSON.parse(printed) as Finding[]).map(({ state, text }) => [state, text]),
    [['bad', `This user may not read and write ${path}.`]],
  );
});

test('doctor names a disk that does not answer', async (t) => {
  const folder = await dataFolder(t);
  const clock = new ManualClock();
  const found = checkDisk('data', folder, clock);
  // Before the disk has given an answer.
  clock.advance(60_000);
  const [finding] = await found;
  assert.equal(finding?.state, 'bad');
  assert.match(finding.text, /has not answered for 60 seconds/);
});

test('a folder where this user may not write is a problem', async () => {
  // Not even root may create a file there.
  const findings = await checkDisk('data', '/sys', systemClock);
  assert.deepEqual(
    findings.map(({ state }) => state),
    ['bad'],
  );
  assert.equal(findings[0]?.text, 'This user may not write to /sys.');
});
