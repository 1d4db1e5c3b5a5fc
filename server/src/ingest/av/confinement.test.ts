import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { childEntry } from './child-entry.ts';
import { Confinement, findConfinement } from './confinement.ts';

/** Says what a process in the child's place can do, as JSON. */
const attempts = `
const fs = require('node:fs');
const [port, secret, entry] = process.argv.slice(1);
const can = (run) => { try { run(); return true; } catch { return false; } };
const found = {
  readsData: can(() => fs.readFileSync(secret)),
  readsPasswords: can(() => fs.readFileSync('/etc/passwd')),
  writesProgram: can(() => fs.writeFileSync(entry + '.new', '')),
  writesTemporary: can(() => fs.writeFileSync('/tmp/vidette-confinement', '')),
  readsProgram: can(() => fs.readFileSync(entry)),
  seesProcesses: can(() => fs.readdirSync('/proc/1')),
};
const socket = require('node:net').connect(Number(port), '127.0.0.1');
const say = (reaches) => { console.log(JSON.stringify({ ...found, reaches })); process.exit(); };
socket.on('connect', () => say(true));
socket.on('error', () => say(false));`;

async function tryOut(confinement: Confinement, keepsNetwork: boolean): Promise<Record<string, boolean>> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-confinement-'));
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const secret = join(folder, 'secret.key');
    await writeFile(secret, 'secret');
    const port = String((server.address() as AddressInfo).port);
    const [program, ...args] = confinement.wrap(
      [process.execPath, '-e', attempts, port, secret, childEntry],
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
  }
}

const best = findConfinement().level;

test(
  'a confined child reaches neither the network nor a file but its program',
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
  'where only the network can be taken away, it is',
  { skip: best === 'none' && 'this system allows no namespaces' },
  async () => {
    assert.equal((await tryOut(new Confinement('network'), false))['reaches'], false);
    assert.equal((await tryOut(new Confinement('network'), true))['reaches'], true);
  },
);

test('where nothing can be taken away a child is started as it is', async () => {
  const found = await tryOut(new Confinement('none'), false);
  assert.deepEqual([found['reaches'], found['readsData']], [true, true]);
  await rm(`${childEntry}.new`, { force: true });
  await rm('/tmp/vidette-confinement', { force: true });
});
