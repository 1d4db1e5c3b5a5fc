import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { Quarantine } from './quarantine.ts';

const settings = { source: 'rtsp://camera/1', subSource: null, isPaused: false };

test('[R15.5] a stream is in quarantine after its data crashed an engine three times within an hour', () => {
  const clock = new ManualClock();
  const quarantine = new Quarantine(clock);
  assert.equal(quarantine.noteCrash('a'), false);
  assert.equal(quarantine.noteCrash('a'), false);
  assert.equal(quarantine.noteCrash('b'), false, 'each stream for itself');
  clock.advance(3_600_000);
  assert.equal(quarantine.noteCrash('a'), false, 'the first two are long ago');
  assert.equal(quarantine.noteCrash('a'), false);
  assert.equal(quarantine.noteCrash('a'), true);
  assert.ok(quarantine.has('a') && !quarantine.has('b'));
  clock.advance(7_200_000);
  assert.ok(quarantine.has('a'), 'it does not end by itself');
});

test('[R15.5] a stream leaves quarantine when its source changes, when it is paused, and with its removal', () => {
  for (const change of [
    { ...settings, source: 'rtsp://camera/2' },
    { ...settings, subSource: 'rtsp://camera/sub' },
    { ...settings, isPaused: true },
  ]) {
    const quarantine = new Quarantine(new ManualClock());
    for (let crash = 0; crash < 3; crash++) quarantine.noteCrash('a');
    quarantine.review('a', settings, { ...settings });
    assert.ok(quarantine.has('a'), 'another change leaves the data as it is');
    quarantine.review('a', settings, change);
    assert.ok(!quarantine.has('a'));
  }
  const quarantine = new Quarantine(new ManualClock());
  for (let crash = 0; crash < 3; crash++) quarantine.noteCrash('a');
  quarantine.forget('a');
  assert.ok(!quarantine.has('a'));
});

test('[R15.5] the next front continues to count, even after one that was killed while it stored the counts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-quarantine-'));
  try {
    const path = join(folder, 'quarantine.json');
    const suspectsPath = join(folder, 'suspects.json');
    const clock = new ManualClock(1_750_000_000_000);
    assert.equal(new Quarantine(clock, folder).noteCrash('a'), false);
    assert.equal(new Quarantine(clock, folder).noteCrash('a'), false);
    assert.equal(new Quarantine(clock, folder).noteCrash('a'), true);
    const next = new Quarantine(clock, folder);
    assert.ok(next.has('a'));
    next.forget('a');
    assert.ok(!new Quarantine(clock, folder).has('a'));
    await writeFile(path, '[["a",[17');
    await writeFile(suspectsPath, '{"uids":["a');
    assert.ok(!new Quarantine(clock, folder).has('a'));
    assert.equal(new Quarantine(clock, join(folder, 'gone')).noteCrash('a'), false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('[R15.5] a stream is found by elimination also when each crash meets another front', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-quarantine-'));
  try {
    const clock = new ManualClock(1_750_000_000_000);
    let running = ['a', 'b', 'c', 'd'];
    let deaths = 0;
    while (!new Quarantine(clock, folder).has('a') && deaths < 10) {
      const { apart } = new Quarantine(clock, folder).noteDeath(running);
      // The culprit stays with those that were put apart.
      if (apart.length > 0) running = [...apart];
      deaths++;
      clock.advance(60_000);
    }
    assert.ok(deaths <= 4, `${deaths} crashes`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
