import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { ListFigures } from '../statistics/list-figures.ts';
import { SortFigures } from './sort-figures.ts';

const figures = (changes: Partial<ListFigures> = {}): ListFigures => ({
  viewers: null,
  share: null,
  oldestMs: null,
  bytes: 0,
  durationMs: 0,
  ...changes,
});

function scene(answers: Record<string, () => unknown> = {}) {
  const clock = new ManualClock();
  const here = new Map<string, ListFigures>();
  const counts = { reads: 0 };
  const sortFigures = new SortFigures({
    clock,
    local: {
      async all() {
        counts.reads++;
        return new Map(here);
      },
    },
    peers: { ids: async () => Object.keys(answers) },
    rpc: { askJson: async (node) => answers[node]?.() },
  });
  return { clock, here, counts, sortFigures };
}

test('[R16.3] lists are sorted by the figures of all nodes; footage of a stream on two of them counts together', async () => {
  const { here, sortFigures } = scene({
    north: () => ({
      streams: [
        { uid: 'gate', ...figures({ oldestMs: 1_000, bytes: 3_000, durationMs: 2_000 }) },
        { uid: 'yard', ...figures({ viewers: 2, share: 0.5 }) },
      ],
    }),
    away: () => {
      throw new Fault('Unavailable', 'It does not answer.');
    },
    odd: () => ({ streams: [{ uid: 'gate', viewers: -1 }] }),
  });
  here.set('gate', figures({ viewers: 0, share: 1, oldestMs: 5_000, bytes: 1_000, durationMs: 2_000 }));
  assert.deepEqual(
    [...(await sortFigures.of('viewers'))],
    [
      ['gate', 0],
      ['yard', 2],
    ],
  );
  assert.deepEqual(
    [...(await sortFigures.of('share'))],
    [
      ['gate', 1],
      ['yard', 0.5],
    ],
  );
  assert.deepEqual([...(await sortFigures.of('oldest'))], [['gate', 1_000]]);
  assert.deepEqual([...(await sortFigures.of('bitrate'))], [['gate', 8_000]]);
});

test('figures are read once for the pages of a list, and again when they are old', async () => {
  const { clock, here, counts, sortFigures } = scene();
  here.set('gate', figures({ viewers: 1 }));
  await Promise.all([sortFigures.of('viewers'), sortFigures.of('share')]);
  here.set('gate', figures({ viewers: 3 }));
  assert.equal((await sortFigures.of('viewers')).get('gate'), 1);
  assert.equal(counts.reads, 1);
  clock.advance(20_000);
  assert.equal((await sortFigures.of('viewers')).get('gate'), 3);
  assert.equal(counts.reads, 2);
});
