import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DiskReserve, giveUpReserve, withReserve } from './disk-reserve.ts';
import { silentLog } from './log.ts';
import { ManualClock } from './manual-clock.ts';

test('[R10.4] the reserve holds space, is released chunk by chunk, and is reclaimed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-reserve-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const held = async () => (await stat(join(folder, 'reserve'))).size;
  const heldBlocks = async () => (await stat(join(folder, 'reserve'))).blocks * 512;
  const reserve = await DiskReserve.keep(folder, new ManualClock(), silentLog);
  t.after(() => reserve.close());
  const whole = await held();
  assert.ok(reserve.isWhole && whole > 0);
  assert.ok((await heldBlocks()) >= whole, 'it is not a sparse file');
  assert.equal(giveUpReserve(folder), false, 'there is space');
  for (let pieces = 1; giveUpReserve(folder, true); pieces++) {
    assert.ok((await held()) < whole, `chunk ${pieces}`);
    assert.ok(pieces <= 16);
  }
  assert.equal(await held(), 0);
  await reserve.fill();
  assert.ok(reserve.isWhole && (await held()) === whole);
});

test('a folder without a reserve, or with something else in its place, has nothing to release', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-reserve-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  assert.equal(giveUpReserve(folder, true), false);
  assert.equal(giveUpReserve(join(folder, 'nowhere'), true), false);
  await writeFile(join(folder, 'reserve'), '');
  assert.equal(giveUpReserve(folder, true), false);
});

/** SQLITE_FULL, as `node:sqlite` reports it. */
const fullError = Object.assign(new Error('database or disk is full'), { errcode: 13 });

/** An attempt that fails some times for lack of space. */
function failing(times: number) {
  let tries = 0;
  const attempt = () => {
    tries++;
    if (tries <= times) throw fullError;
    return 'written';
  };
  return { attempt, tries: () => tries };
}

test('[R10.4] a write on a full disk is repeated while space from the reserve appears, also if another process released it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-reserve-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'reserve');
  const clock = new ManualClock();
  await writeFile(path, Buffer.alloc(1024 * 1024));
  const own = failing(1);
  assert.equal(withReserve(folder, own.attempt, clock), 'written');
  assert.equal((await stat(path)).size, 0, 'its own attempt released the chunk');
  const other = failing(2);
  await utimes(path, clock.wallMs() / 1000, clock.wallMs() / 1000 - 3);
  assert.equal(withReserve(folder, other.attempt, clock), 'written', 'another process released it 3 s ago');
  assert.equal(other.tries(), 3);
  const old = failing(1);
  await utimes(path, clock.wallMs() / 1000, clock.wallMs() / 1000 - 60);
  assert.throws(() => withReserve(folder, old.attempt, clock), fullError);
  assert.equal(old.tries(), 1, 'nothing was released lately: the failure is reported immediately');
  const different = new Error('no such table');
  assert.throws(() => {
    withReserve(folder, () => {
      throw different;
    });
  }, different);
});
