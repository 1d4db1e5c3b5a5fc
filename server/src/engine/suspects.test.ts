import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { Suspects } from './suspects.ts';

test('[R15.5] of any number of streams the one that kills its process is found in as many deaths as halving takes', () => {
  const all = Array.from({ length: 100 }, (_, index) => `stream-${index}`);
  for (const culprit of ['stream-0', 'stream-49', 'stream-50', 'stream-99']) {
    const suspects = new Suspects(new ManualClock());
    const engines = [new Set(all), new Set<string>()] as const;
    let found: string | undefined;
    let deaths = 0;
    while (found === undefined && deaths < 20) {
      const dead = engines.find((engine) => engine.has(culprit)) ?? engines[0];
      const other = dead === engines[0] ? engines[1] : engines[0];
      const suspicion = suspects.noteDeath([...dead]);
      for (const uid of suspicion.apart) {
        dead.delete(uid);
        other.add(uid);
      }
      found = suspicion.culprit;
      deaths++;
    }
    assert.equal(found, culprit);
    assert.ok(deaths <= 9, `${deaths} deaths`);
  }
});

test('[R15.5] one death moves nothing, nor do deaths of unrelated processes or further apart than an hour', () => {
  const clock = new ManualClock();
  const suspects = new Suspects(clock);
  const nothing = { culprit: undefined, apart: [], left: [] };
  assert.deepEqual(suspects.noteDeath(['a', 'b']), nothing);
  assert.deepEqual(suspects.noteDeath(['c', 'd']), nothing);
  clock.advance(3_600_000);
  assert.deepEqual(suspects.noteDeath(['c', 'd']), nothing);
  assert.deepEqual(suspects.noteDeath(['d', 'c', 'e']), { culprit: undefined, apart: ['d'], left: ['c'] });
  assert.deepEqual(suspects.noteDeath(['c', 'e']), { ...nothing, culprit: 'c' });
  assert.deepEqual(suspects.noteDeath(['f']), nothing);
  assert.deepEqual(suspects.noteDeath(['f']), nothing, 'two could be a coincidence');
  assert.equal(suspects.noteDeath(['f']).culprit, 'f');
});
