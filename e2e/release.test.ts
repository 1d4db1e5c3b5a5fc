import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, test, type TestContext } from 'node:test';
import { createZstdDecompress } from 'node:zlib';
import type { Client } from '@vidette/contract/client';
import { foreignElfFiles } from '../packaging/elf.mjs';
import { partsOf } from '../packaging/ffmpeg-parts.mjs';
import { canBuildImage } from '../packaging/image.mjs';
import { manPage } from '../packaging/man-page.mjs';
import { isMaintainer, release } from '../packaging/release.mjs';
import { copiedFile, textFile } from '../packaging/tar.mjs';
import { describedCommands } from '../server/src/cli/command-line.ts';
import { clientOf, until } from './api.ts';
import { runProgram } from './loop-disk.ts';
import { setUp, type TestServer } from './server.ts';
import { freePort } from './sshd.ts';
import { SystemdMachine } from './systemd-machine.ts';

const skip =
  process.env['VIDETTE_TEST_POSTGRES'] !== undefined && 'the forms of a release don’t depend on the database';
const arch = process.arch as 'x64' | 'arm64';
const debian = { x64: 'amd64', arm64: 'arm64' }[arch];
const archive = `vidette-9.8.6-linux-${arch}.tar.zst`;
const ffmpeg = `vidette-ffmpeg-9.8.6-linux-${arch}.tar.zst`;
/** Of the version, in the least time: 16 % larger than a release. */
const fast = {
  arches: [arch],
  seconds: 1_700_000_000,
  level: 1,
  maintainer: 'Jane Doe <jane@example.org>',
};

/** On a busy machine the server would leave out its test pattern. */
const unhurried = { VIDETTE_OVERLOAD_YIELDS: 'false' };

/** FFmpeg’s processes have the lowest priority of all: on a busy machine they wait. */
const patienceMs = 180_000;

/** With version 9.8.6. */
let out: string;
/** Where the archive is unpacked. */
let program: string;

before(async () => {
  if (skip) return;
  out = await mkdtemp(join(tmpdir(), 'vidette-release-'));
  await release({ ...fast, version: '9.8.6', forms: ['archive', 'ffmpeg', 'deb', 'image'], out });
  await unpack(join(out, archive), join(out, 'unpacked'));
  program = join(out, 'unpacked/vidette-9.8.6');
});

after(async () => {
  if (!skip) await rm(out, { recursive: true, force: true, maxRetries: 5 });
});

async function unpack(file: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const tar = spawn('tar', ['-C', folder, '-xf', '-'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(tar, 'exit');
  const bytes = createReadStream(file);
  await (file.endsWith('.zst')
    ? pipeline(bytes, createZstdDecompress(), tar.stdin)
    : pipeline(bytes, tar.stdin));
  assert.deepEqual(await ended, [0, null]);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-release-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A running program of a release. */
interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
}

/** Starts a server with nothing in its environment but these variables, and waits until it listens. */
async function started(
  t: TestContext,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Started> {
  const [name = '', ...args] = command;
  const child = spawn(name, args, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const url = await until(
    () =>
      child.exitCode === null ? /Vidette listens on (http\S+?)\/ui\//.exec(output)?.[1] : `ended: ${output}`,
    (found) => found !== undefined,
    patienceMs,
  );
  if (!url?.startsWith('http')) throw new Error(output);
  return { child, url, output: () => output };
}

function setupCodeIn(output: string): string {
  return [...output.matchAll(/Set-up code: (\S+)/g)].at(-1)?.[1] ?? '';
}

/** Sets a server up and has it record FFmpeg's test pattern; resolves when footage is on the disk. */
async function record(url: string, setupCode: string) {
  const server = { url, setupCode } as TestServer;
  const client = clientOf(server, await setUp(server));
  const { uid } = await client.addStream({ body: { name: 'Demo', streamSource: 'demo:' } });
  const bytes = async () => (await client.getArchiveStats({ params: { uid } })).bytes;
  await until(bytes, (count) => count > 0, patienceMs);
  return { client, uid, bytes };
}

/** Adds the stream of another program's configuration with an API token, once. */
async function movesIn(
  client: Client,
  url: string,
  folder: string,
  command: (args: readonly string[], env: Record<string, string>) => ReturnType<typeof runProgram>,
): Promise<void> {
  const { secret } = await client.addToken({ body: { name: 'import', expireTime: null } });
  const config = join(folder, 'mediamtx.yml');
  await writeFile(config, 'paths: { gate: { source: "rtsp://10.0.0.2/a", recordDeleteAfter: 3d } }\n');
  for (const [added, present] of [
    [1, 0],
    [0, 1],
  ]) {
    const { code, output } = await command(['import', 'mediamtx', config, url], { VIDETTE_TOKEN: secret });
    assert.match(output, new RegExp(`${added} added, ${present} were there already, 0 failed\\.`));
    assert.equal(code, 0);
  }
  const { items } = await client.listStreams({ query: {} });
  const gate = items.find(({ name }) => name === 'gate');
  assert.deepEqual(
    [gate?.streamSource, gate?.archive.isEnable, gate?.archive.depthHours],
    ['rtsp://10.0.0.2/a', false, 72],
  );
}

/** What the package that is installed on a machine says. */
async function statusOn(machine: SystemdMachine) {
  const { code, output } = await machine.run('vidette', 'status', '--json');
  return code === 0 ? (JSON.parse(output) as { pid: number; version: string }) : undefined;
}

/** A container without an engine: its root is read-only but for the volume, and memory for sockets. $1 root, $2 volume. */
const container = `
set -e
root=$1 volume=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev"
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
for file in null zero random urandom; do : >"$root/dev/$file"; mount --bind /dev/$file "$root/dev/$file"; done
mount --bind "$volume" "$root/data"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$USER" "$root" "$@"`;

interface ImageConfig {
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly StopSignal: NodeJS.Signals;
    readonly Volumes: Readonly<Record<string, object>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

test('[R16.1] a release refuses programs and libraries for another platform', () => {
  const native = copiedFile('bin/node', process.execPath);
  // The head of a shared library for arm64: its class, byte order and type, and then its machine.
  const head = Buffer.from('\x7fELF\x02\x01\x01'.padEnd(16, '\0') + '\x03\0\xb7\0', 'latin1');
  const entries = [native, textFile('lib/arm.so', head), textFile('guide.md', 'ELF')];
  const found = { x64: foreignElfFiles(entries, 'x64'), arm64: foreignElfFiles(entries, 'arm64') };
  assert.deepEqual(
    found,
    arch === 'x64'
      ? { x64: ['lib/arm.so'], arm64: ['bin/node'] }
      : { x64: ['bin/node', 'lib/arm.so'], arm64: [] },
  );
});

test('[R16.1] a release knows the license of FFmpeg from its configuration, and refuses one that is not free', () => {
  const library = (options: string) => Buffer.from(`\0--prefix=/x ${options} --enable-libx264\0n7.1-Some\0`);
  const [ffmpeg, ...others] = partsOf(library('--extra-version=Some --enable-gpl'));
  assert.deepEqual([ffmpeg?.version, ffmpeg?.license], ['n7.1-Some', 'GPL-2.0-or-later']);
  assert.deepEqual(
    others.map(({ name }) => name),
    ['libx264'],
  );
  const [third] = partsOf(library('--extra-version=Some --enable-gpl --enable-version3'));
  assert.equal(third?.license, 'GPL-3.0-or-later');
  assert.throws(() => partsOf(library('--extra-version=Some --enable-gpl --enable-nonfree')), /nonfree/);
  assert.throws(() => partsOf(Buffer.from('nothing')), /whose license is known/);
});

test('[R16.1] the manual page has every command and exit code', () => {
  const text = manPage({ version: '9.8.6', seconds: fast.seconds });
  assert.match(text, /^\.TH VIDETTE 1 2023-11-14 "Vidette 9\.8\.6"/);
  for (const { name } of describedCommands())
    assert.ok(text.includes(`\n\\fB${name.replaceAll('-', '\\-')}\\fR `), name);
  assert.deepEqual(
    [...text.matchAll(/^\.B (\d)$/gm)].map(([, code]) => code),
    ['0', '1', '2', '3'],
  );
  const requests = [...text.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name);
  assert.deepEqual(new Set(requests), new Set(['TH', 'SH', 'B', 'RI', 'TP', 'PP', 'IR', 'I', 'BR']));
});

test('[R16.1] the notes of a release are the part of the changelog about its version', async (t) => {
  const place = await temporary(t);
  const made = await release({ ...fast, arches: [], version: '0.1.0', forms: ['notes'], out: place });
  assert.deepEqual(made, ['vidette-0.1.0-notes.md', 'SHA256SUMS']);
  const notes = readFileSync(join(place, 'vidette-0.1.0-notes.md'), 'utf8');
  assert.match(notes, /^## 0\.1\.0[^]*\n\n### Files\n/);
  assert.equal(notes.match(/^## /gm)?.length, 1);
});

test(
  '[R16.1] systemd finds no fault in the unit, and rates its exposure as OK',
  { skip: skip || (!existsSync('/usr/bin/systemd-analyze') && 'needs systemd') },
  async (t) => {
    const unit = join(await temporary(t), 'vidette.service');
    const text = readFileSync(join(program, 'packaging/vidette.service'), 'utf8');
    await writeFile(unit, text.replaceAll('/usr/lib/vidette', program));
    assert.deepEqual(await runProgram('systemd-analyze', ['verify', unit]), { code: 0, output: '' });
    // In tenths, of 100; without a configuration a service has 96.
    const rated = await runProgram('systemd-analyze', ['security', '--offline=true', '--threshold=30', unit]);
    assert.equal(rated.code, 0, rated.output);
  },
);

describe('the forms of a release', { concurrency: 2 }, () => {
  test(
    '[R16.1, R16.2] the package for Debian installs, records under its hardened unit, is upgraded and downgraded while it records, and purged',
    { skip },
    async (t) => {
      const machine = await SystemdMachine.boot(t, out);
      if (!machine) return t.skip('needs root, namespaces and overlay mounts');
      await release({ ...fast, version: '9.8.7', forms: ['deb'], out: join(out, 'next') });
      const port = await freePort();
      const dropIn = `[Service]\\nEnvironment=VIDETTE_PORT=${port} VIDETTE_HOST=127.0.0.1 VIDETTE_OVERLOAD_YIELDS=false\\n`;
      await machine.must(
        'sh',
        '-c',
        `d=/etc/systemd/system/vidette.service.d; mkdir $d; printf '${dropIn}' >$d/port.conf`,
      );
      const packages = (folder: string, version: string, names: readonly string[]) =>
        names.map((name) => `${folder}/${name}_${version}_${debian}.deb`);
      await machine.must(
        'dpkg',
        '--force-unsafe-io',
        '-i',
        ...packages('/shared', '9.8.6', ['vidette', 'vidette-ffmpeg']),
      );
      const maintainer = await machine.must('dpkg-query', '-W', '-f', '${Maintainer}', 'vidette');
      assert.equal(maintainer, fast.maintainer);
      assert.deepEqual(['Jane Doe', 'Jane <a@b>\nEvil: 1', fast.maintainer].map(isMaintainer), [
        false,
        false,
        true,
      ]);
      const listed = await machine.must('dpkg', '-L', 'vidette');
      assert.match(listed, /^\/usr\/share\/man\/man1\/vidette\.1\.gz$/m);
      // Type=notify: dpkg returns when the server serves its page.
      assert.equal((await statusOn(machine))?.version, '9.8.6');
      const journal = await machine.must('journalctl', '--no-pager', '-o', 'cat', '-u', 'vidette');
      assert.match(journal, /"confinement":"files"/, 'FFmpeg is isolated under the unit as without it');
      const { client, bytes, uid } = await record(`http://127.0.0.1:${port}`, setupCodeIn(journal));
      assert.equal(
        await machine.must('stat', '-c', '%U %a', '/var/lib/vidette', '/etc/vidette/vidette.env'),
        'vidette 750\nroot 640\n',
      );

      await machine.must('systemctl', 'reload', 'vidette');
      const pid = (await statusOn(machine))?.pid;
      for (const [folder, version] of [
        ['/shared/next', '9.8.7'],
        ['/shared', '9.8.6'],
      ] as const) {
        const had = await bytes();
        await machine.must(
          'dpkg',
          '--force-unsafe-io',
          '--force-depends',
          '-i',
          ...packages(folder, version, ['vidette']),
        );
        const now = await statusOn(machine);
        assert.deepEqual([now?.version, now?.pid], [version, pid], 'replaced without a stop');
        await until(bytes, (count) => count > had, patienceMs);
      }
      const { items } = await client.listStreams({ query: {} });
      assert.deepEqual(
        items.map((stream) => stream.uid),
        [uid],
      );

      await machine.must('systemctl', 'stop', 'vidette');
      assert.equal(
        await machine.must('systemctl', 'show', '-p', 'Result', '-p', 'ExecMainStatus', 'vidette'),
        'Result=success\nExecMainStatus=0\n',
      );
      assert.equal(await machine.must('vidette', 'check'), 'The archive is in order.\n');
      await machine.must('systemctl', 'start', 'vidette');
      await machine.must('dpkg', '--remove', 'vidette-ffmpeg', 'vidette');
      assert.equal((await machine.run('systemctl', 'is-active', 'vidette')).output, 'inactive\n');
      await machine.must('test', '-f', '/var/lib/vidette/vidette.sqlite');
      const disk = '/var/lib/vidette/disk';
      await machine.must('sh', '-c', `mkdir ${disk}; mount -t tmpfs tmpfs ${disk}; touch ${disk}/footage`);
      await machine.must('dpkg', '--purge', 'vidette');
      const left = await machine.must('find', '/var/lib/vidette', '-mindepth', '1');
      assert.equal(left, `${disk}\n${disk}/footage\n`, 'other disks keep their files');
      for (const path of ['/etc/vidette', '/var/cache/vidette', '/usr/lib/vidette'])
        assert.notEqual((await machine.run('test', '-e', path)).code, 0, path);
    },
  );

  test(
    '[R16.1] the lists of parts and licenses name every package in the archives, FFmpeg and the image',
    { skip },
    async (t) => {
      const unpacked = await temporary(t);
      await unpack(join(out, archive), unpacked);
      await unpack(join(out, ffmpeg), unpacked);
      const components = (name: string) =>
        (
          JSON.parse(readFileSync(join(out, `${name}.sbom.cdx.json`), 'utf8')) as {
            components: { name: string; version?: string; licenses?: unknown[] }[];
          }
        ).components;
      const [own, theirs] = [`vidette-9.8.6-linux-${arch}`, `vidette-ffmpeg-9.8.6-linux-${arch}`];
      const listed = [...components(own), ...components(theirs)];
      const names = new Set(listed.map(({ name, version }) => `${name} ${version ?? ''}`));
      const missing: string[] = [];
      const modules = join(unpacked, 'vidette-9.8.6/node_modules');
      for (const path of await readdir(modules, { recursive: true })) {
        const isPackage = /^(?:.+\/node_modules\/)?(?:@[^/]+\/)?[^@/][^/]*\/package\.json$/.test(path);
        if (!isPackage || path.startsWith('@vidette/')) continue;
        const { name, version } = JSON.parse(readFileSync(join(modules, path), 'utf8')) as Record<
          string,
          string
        >;
        if (!names.has(`${name} ${version}`)) missing.push(path);
      }
      assert.deepEqual(missing, []);
      for (const name of ['fastify', 'react', `node-linux-${arch}`, 'ffmpeg', 'libx264'])
        assert.ok(
          listed.some((one) => one.name === name),
          name,
        );
      const [licenses, ofFfmpeg] = [own, theirs].map((name) =>
        readFileSync(join(out, `${name}.THIRD-PARTY-LICENSES.txt`), 'utf8'),
      );
      for (const { name, version, licenses: some } of listed)
        if (some) assert.ok(`${licenses}${ofFfmpeg}`.includes(`${name} ${version} (`), name);
      assert.match(
        ofFfmpeg ?? '',
        /ffmpeg \S+ \(GPL-3\.0-or-later\)[^]*--enable-gpl[^]*GNU GENERAL PUBLIC LICENSE\s+Version 3/,
      );
      assert.ok(components(`vidette-9.8.6-image-${arch}`).some(({ name }) => name === 'libc6'));
    },
  );

  test('[R16.1] the same sources give the same bytes, within 70 MB', { skip }, async (t) => {
    const again = await temporary(t);
    await release({ ...fast, version: '9.8.6', forms: ['archive'], out: again });
    assert.equal(await digestOf(join(again, archive)), await digestOf(join(out, archive)));
    // Started in another folder, too.
    const bundler = JSON.stringify(join(import.meta.dirname, '../tools/bundler.mjs'));
    const code = `const { releaseBundle } = await import(${bundler}); process.stdout.write(JSON.stringify(await releaseBundle()));`;
    const bundled = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: again,
      encoding: 'utf8',
      maxBuffer: 1e8,
    });
    for (const { name, text } of JSON.parse(bundled) as { name: string; text: string }[])
      assert.equal(readFileSync(join(program, 'server/dist', name), 'utf8'), text, name);
    assert.ok((await stat(join(out, archive))).size <= 70_000_000);
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out });
    const listed = readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n').filter(Boolean);
    const files = (await readdir(out, { withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== 'SHA256SUMS')
      .map(({ name }) => name);
    assert.deepEqual(
      listed.map((line) => line.split('  ')[1]),
      files.sort(),
    );
  });

  test(
    '[R16.1, R16.2] the unpacked archive runs with nothing installed, and stops in order; [R16.3] it adds the streams of another program',
    { skip },
    async (t) => {
      await unpack(join(out, ffmpeg), join(out, 'unpacked'));
      const dataDir = await temporary(t);
      const env = {
        PATH: '/usr/bin:/bin',
        VIDETTE_DATA: dataDir,
        VIDETTE_PORT: '0',
        VIDETTE_HOST: '127.0.0.1',
        ...unhurried,
      };
      // The programs run from their bundle; threads and FFmpeg's processes don't import these files.
      for (const name of ['main', 'front', 'engine', 'plan'])
        await rm(join(program, `server/src/${name}-program.js`));
      const vidette = join(program, 'bin/vidette');
      const command = (...args: string[]) => runProgram(vidette, args, env);
      assert.equal((await command('status')).code, 3);
      assert.ok(existsSync(join(program, 'share/man/man1/vidette.1')));
      const first = await started(t, [vidette, 'start'], env);
      const { client } = await record(first.url, setupCodeIn(first.output()));
      await movesIn(client, first.url, dataDir, (args, more) =>
        runProgram(vidette, args, { ...env, ...more }),
      );
      assert.equal((await fetch(`${first.url}/ui/`)).status, 200);
      assert.equal((await fetch(`${first.url}/ui/help/install.html`)).status, 200);
      const status = await command('status', '--json');
      assert.deepEqual(
        [status.code, (JSON.parse(status.output) as { version: string }).version],
        [0, '9.8.6'],
      );
      // Rereads its configuration, and goes on.
      process.kill(first.child.pid ?? 0, 'SIGHUP');
      assert.equal((await fetch(`${first.url}/ui/`)).status, 200);
      const ways: readonly (readonly [Started, NodeJS.Signals])[] = [[first, 'SIGINT']];
      for (const [server, signal] of ways) {
        const ended = once(server.child, 'exit');
        process.kill(-(server.child.pid ?? 0), signal);
        assert.deepEqual(await ended, [0, null], server.output());
        assert.doesNotMatch(server.output(), /"level":(50|60)/);
      }
      assert.deepEqual(await command('check'), { code: 0, output: 'The archive is in order.\n' });
    },
  );

  test(
    '[R16.1] the image runs without root on a read-only root, reports its health, and stops on SIGTERM',
    { skip },
    async (t) => {
      if (process.getuid?.() !== 0 || !canBuildImage()) return t.skip('needs root');
      const [folder, volume] = [await temporary(t), await temporary(t)];
      const root = join(folder, 'root');
      await unpack(join(out, `vidette-9.8.6-image-${arch}.tar`), folder);
      const read = <T>(path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8')) as T;
      const blob = (digest: string) => `blobs/${digest.replace(':', '/')}`;
      interface Described {
        readonly digest: string;
        readonly size: number;
      }
      const { manifests } = read<{ manifests: Described[] }>('index.json');
      const manifest = read<{ config: Described; layers: Described[] }>(blob(manifests[0]?.digest ?? ''));
      for (const { digest, size } of [...manifests, manifest.config, ...manifest.layers]) {
        assert.equal(`sha256:${await digestOf(join(folder, blob(digest)))}`, digest);
        assert.equal((await stat(join(folder, blob(digest)))).size, size);
      }
      const { config, rootfs } = read<ImageConfig>(blob(manifest.config.digest));
      await mkdir(root);
      for (const [index, { digest }] of manifest.layers.entries()) {
        const tar = execFileSync('gzip', ['-dc', join(folder, blob(digest))], { maxBuffer: 1e9 });
        assert.equal(`sha256:${createHash('sha256').update(tar).digest('hex')}`, rootfs.diff_ids[index]);
        execFileSync('tar', ['-C', root, '-xf', '-'], { input: tar });
      }
      assert.deepEqual(Object.keys(config.Volumes), ['/data']);
      const [uid = 0, gid = 0] = config.User.split(':').map(Number);
      assert.ok(uid > 0);
      await chown(volume, uid, gid);
      await writeFile(join(volume, 'vidette.yaml'), 'host: 127.0.0.1\nport: 0\n');
      const env = {
        ...Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string])),
        USER: config.User,
      };
      const run = [...config.Entrypoint, ...config.Cmd];
      const outside = { ...env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
      const server = await started(
        t,
        ['unshare', '--mount', 'sh', '-c', container, 'sh', root, volume, ...run],
        outside,
      );
      const [, ...check] = config.Healthcheck.Test;
      const health = () =>
        runProgram(
          'nsenter',
          [
            `--target=${server.child.pid}`,
            '--mount',
            '--root',
            `--setuid=${uid}`,
            `--setgid=${gid}`,
            ...check,
          ],
          { VIDETTE_DATA: '/data' },
        );
      assert.equal((await health()).code, 0);
      assert.equal((await fetch(`${server.url}/ui/`)).status, 200);
      const ended = once(server.child, 'exit');
      server.child.kill(config.StopSignal);
      assert.deepEqual(await ended, [0, null], server.output());
      assert.ok((await readdir(volume)).includes('vidette.sqlite'));
    },
  );
});
