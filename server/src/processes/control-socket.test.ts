import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { ManualClock } from '../base/manual-clock.ts';
import {
  askToReplace,
  openControl,
  openControlIfPossible,
  runningServer,
  type Controlled,
} from './control-socket.ts';

const status = { pid: 7, version: '0.2.0', folder: '/opt/vidette' };
const controlled: Controlled = { status: () => status, replace: () => Promise.resolve() };

/** A data folder, also one whose path is too long for a socket. */
async function dataDirOf(t: TestContext, isLong = false): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-control-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  if (!isLong) return folder;
  const long = join(folder, 'a'.repeat(120));
  await mkdir(long);
  return long;
}

for (const isLong of [false, true]) {
  test(`[R15.1] a server is found by its data folder${isLong ? ' with a long path' : ''}, by its user only`, async (t) => {
    const dataDir = await dataDirOf(t, isLong);
    assert.equal(await runningServer(dataDir, systemClock), undefined);
    const control = await openControl(dataDir, controlled);
    const { mode } = await stat(join(dataDir, 'control.sock'));
    assert.equal(mode & 0o777, 0o600);
    const { pid, version, folder } = (await runningServer(dataDir, systemClock)) ?? {};
    assert.deepEqual({ pid, version, folder }, status);
    await control.close();
    assert.equal(await runningServer(dataDir, systemClock), undefined);
  });
}

test('[R15.1] a user who may not ask a server does not learn that none runs', async (t) => {
  if (process.geteuid?.() !== 0) return t.skip('only root becomes another user');
  for (const dataDir of [await dataDirOf(t), await dataDirOf(t, true)]) {
    const control = await openControl(dataDir, controlled);
    t.after(() => control.close());
    process.seteuid?.(65_534);
    try {
      await assert.rejects(runningServer(dataDir, systemClock), { code: 'Forbidden' });
      await assert.rejects(
        askToReplace(dataDir, undefined, () => {}),
        { code: 'Forbidden' },
      );
    } finally {
      process.seteuid?.(0);
    }
  }
});

test('[R15.1] a server that hangs is told apart from one that does not run', async (t) => {
  const dataDir = await dataDirOf(t);
  // The kernel accepts connections for a stopped process, too.
  const hanging = createServer(() => {}).listen(join(dataDir, 'control.sock'));
  await once(hanging, 'listening');
  t.after(() => hanging.close());
  const clock = new ManualClock();
  const asked = assert.rejects(runningServer(dataDir, clock), { code: 'Unavailable' });
  clock.advance(15_000);
  await asked;
});

test('[R15.1] a replacement reports its steps, and why it was not done', async (t) => {
  const dataDir = await dataDirOf(t);
  // Left behind by a server that was killed.
  await writeFile(join(dataDir, 'control.sock'), '');
  assert.equal(await askToReplace(dataDir, undefined, () => {}), 'No server runs with this data folder.');
  const folders: (string | undefined)[] = [];
  const control = await openControl(dataDir, {
    ...controlled,
    replace: async (folder, progress) => {
      folders.push(folder);
      progress('one');
      progress('two');
      if (folder === 'bad') throw new Error('It does not run.');
    },
  });
  const lines: string[] = [];
  assert.equal(await askToReplace(dataDir, undefined, (line) => lines.push(line)), undefined);
  assert.equal(await askToReplace(dataDir, 'bad', (line) => lines.push(line)), 'It does not run.');
  assert.deepEqual(folders, [undefined, 'bad']);
  assert.deepEqual(lines, ['one', 'two', 'one', 'two']);
  await control.close();
});

test('[R15.1] a server starts where no socket can be created', async (t) => {
  const lines: string[] = [];
  const missing = join(await dataDirOf(t), 'missing');
  const control = await openControlIfPossible(missing, controlled, (line) => lines.push(line));
  await control.close();
  assert.match(lines.join(), /^The commands restart and upgrade can't be used: .*ENOENT|EACCES/);
});
