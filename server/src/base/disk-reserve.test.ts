import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DiskReserve, giveUpReserve } from './disk-reserve.ts';
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
