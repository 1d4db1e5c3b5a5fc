import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalListFigures, type LocalListFiguresOptions } from './list-figures.ts';

const hourMs = 3_600_000;

test('a stream’s figures are of this node only where it runs the stream; footage of both kinds counts', async () => {
  const stream = (uid: string, status: string) => ({ settings: { uid }, state: { status }, stream: { uid } });
  const footage = { oldestMs: 7_000, bytes: 10, durationMs: 20 };
  const days: Record<string, object> = {
    gate: { expectedMs: 24 * hourMs, share: 0.75 },
    new: { expectedMs: hourMs - 1, share: 0.2 },
  };
  const figures = new LocalListFigures({
    streamManager: {
      streams: () => [stream('gate', 'running'), stream('new', 'failed'), stream('away', 'running')],
    },
    owns: (uid: string) => uid !== 'away',
    live: { audience: () => ({ viewers: 4 }) },
    archive: {
      reader: { figures: async () => new Map([['gate', footage]]) },
      imported: {
        figures: async () =>
          new Map([
            ['gate', { ...footage, oldestMs: 3_000 }],
            ['away', footage],
          ]),
      },
      continuity: { known: (uid: string) => days[uid] && { day: days[uid] } },
    },
  } as unknown as LocalListFiguresOptions);
  assert.deepEqual(Object.fromEntries(await figures.all()), {
    gate: { viewers: 4, share: 0.75, oldestMs: 3_000, bytes: 20, durationMs: 40 },
    away: { viewers: null, share: null, ...footage },
    new: { viewers: null, share: null, oldestMs: null, bytes: 0, durationMs: 0 },
  });
});
