import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { workerEntry } from '../ffmpeg/worker-entry.ts';
import { Confinement, confinementWords, findConfinement } from '../ffmpeg/confinement.ts';
import { close, serve, sessionOf } from './fixtures/live-sources.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';

/** Reports what a process in the child's place can do, as JSON. */
const attempts = `
const fs = require('node:fs');
const [port, secret, entry, temporary] = process.argv.slice(1);
const can = (run) => { try { run(); return true; } catch { return false; } };
const found = {
  readsData: can(() => fs.readFileSync(secret)),
  readsPasswords: can(() => fs.readFileSync('/etc/passwd')),
  writesProgram: can(() => fs.writeFileSync(entry + '.new', '')),
  writesTemporary: can(() => fs.writeFileSync(temporary, '')),
  readsProgram: can(() => fs.readFileSync(entry)),
  seesProcesses: can(() => fs.readdirSync('/proc/1')),
};
const socket = require('node:net').connect(Number(port), '127.0.0.1');
const say = (reaches) => { console.log(JSON.stringify({ ...found, reaches })); process.exit(); };
socket.on('connect', () => say(true));
socket.on('error', () => say(false));`;

async function tryOut(confinement: Confinement, keepsNetwork: boolean): Promise<Record<string, boolean>> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-confinement-'));
  const temporary = '/tmp/vidette-confinement';
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const secret = join(folder, 'secret.key');
    await writeFile(secret, 'secret');
    const port = String((server.address() as AddressInfo).port);
    const [program, ...args] = confinement.wrap(
      [process.execPath, '-e', attempts, port, secret, workerEntry, temporary],
      {
        keepsNetwork,
      },
    );
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    for await (const chunk of child.stdout) text += String(chunk);
    return JSON.parse(text) as Record<string, boolean>;
  } finally {
    server.close();
    await rm(folder, { recursive: true });
    for (const written of [`${workerEntry}.new`, temporary]) await rm(written, { force: true });
  }
}

const best = (await findConfinement()).level;

test(
  'a confined child can access neither the network nor any file other than its program',
  { skip: best !== 'files' && `this system allows ${best}` },
  async () => {
    const confined = {
      readsData: false,
      readsPasswords: false,
      writesProgram: false,
      writesTemporary: false,
      readsProgram: true,
      seesProcesses: false,
    };
    assert.deepEqual(await tryOut(new Confinement('files'), false), { ...confined, reaches: false });
    assert.deepEqual(await tryOut(new Confinement('files'), true), { ...confined, reaches: true });
  },
);

test(
  'where only the network can be isolated, it is',
  { skip: best === 'none' && 'this system allows no namespaces' },
  async () => {
    assert.equal((await tryOut(new Confinement('network'), false))['reaches'], false);
    assert.equal((await tryOut(new Confinement('network'), true))['reaches'], true);
  },
);

test('where no isolation is possible a child starts unconfined', async () => {
  const found = await tryOut(new Confinement('none'), false);
  assert.deepEqual([found['reaches'], found['readsData']], [true, true]);
});

/** Runs while `look` inspects the only child of a source's session. */
async function withChildOf(
  url: string,
  confinement: Confinement,
  look: (pid: number) => Promise<void> | void,
): Promise<void> {
  const pool = new FfmpegPool({ clock: systemClock, log: silentLog, confinement });
  const abort = new AbortController();
  const sink = { tracks() {}, sample() {}, awaiting() {}, lost() {}, note() {} };
  const run = sessionOf(pool, url).run(sink, abort.signal);
  run.catch(() => {});
  try {
    let pid: number | undefined;
    while (pid === undefined) {
      [pid] = pool.pids;
      await new Promise(setImmediate);
    }
    await look(pid);
  } finally {
    abort.abort();
    await pool.dispose('the test is over');
    await run.catch(() => {});
  }
}

const networkOf = (pid: number | 'self') => readlink(`/proc/${pid}/ns/net`);

test(
  'a child for HLS has no access to this machine’s loopback; one for datagrams has, as the log says',
  { skip: best === 'none' && 'this system allows no namespaces' },
  async () => {
    let asked: () => void;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    // A playlist that is requested and never arrives, so the child waits.
    const web = await serve(() => asked());
    try {
      const here = await networkOf('self');
      const confinement = await findConfinement();
      await withChildOf(`http://127.0.0.1:${web.port}/live.m3u8`, confinement, async (pid) => {
        await isAsked;
        assert.notEqual(await networkOf(pid), here, confinement.level);
        const reach = `require('node:net').connect(${web.port}, '127.0.0.1', () => process.exit(0)).on('error', () => process.exit(7))`;
        const inside = ['-t', String(pid), '-U', '-n', '--preserve-credentials'];
        const { status } = spawnSync('nsenter', [...inside, process.execPath, '-e', reach]);
        assert.equal(status, 7, `${confinement.level}: refused there`);
      });
      await withChildOf('udp://:9', confinement, async (pid) => assert.equal(await networkOf(pid), here));
      for (const level of ['files', 'network'] as const) {
        assert.match(confinementWords[level], /no network access.*UDP, SRT and FFmpeg’s RTSP/);
      }
      assert.match(confinementWords.none, /not confined/);
    } finally {
      close(web.server);
    }
  },
);

test(
  'a confined child sees no mounts of the machine other than those it is given',
  { skip: best !== 'files' && `this system allows ${best}` },
  async () => {
    const program = [process.execPath, '-e', 'console.log("ready"); setInterval(() => {}, 1000)'] as const;
    const [command, ...args] = new Confinement('files').wrap(program, { keepsNetwork: false });
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      // As root of the namespace: its own root contains only the mounts it was given, and nothing is mounted
      // above it.
      const list = spawnSync(
        'nsenter',
        ['--mount', '--user', '--target', `${child.pid}`, 'ls', '/tmp', '/'],
        {
          encoding: 'utf8',
        },
      );
      assert.equal(list.status, 0, list.stderr);
      assert.deepEqual(
        list.stdout.split(/\s+/).filter((name) => ['root', 'home', 'var'].includes(name)),
        [],
      );
    } finally {
      child.kill('SIGKILL');
    }
  },
);
