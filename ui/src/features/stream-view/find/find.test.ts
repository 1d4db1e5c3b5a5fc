import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoundFrame } from './find-session.ts';
import { Find } from './find.ts';

const GOP_MS = 1_000;
const HOURS_MS = 4 * 3_600_000;

/** An archive of four hours; `broken` moments have no image. */
function searchOf(broken: ReadonlySet<number> = new Set()) {
  const loads: (readonly number[])[] = [];
  const find = new Find({
    ranges: (startMs, endMs) =>
      Promise.resolve([
        { kind: 'fragment' as const, startMs: Math.max(0, startMs), endMs: Math.min(HOURS_MS, endMs) },
      ]),
    gopAt: (ms) => Promise.resolve(Math.floor(ms / GOP_MS) * GOP_MS),
    gops: (startMs, endMs) => {
      const first = Math.floor(startMs / GOP_MS);
      const count = Math.ceil(endMs / GOP_MS) - first;
      return Promise.resolve(Array.from({ length: count }, (_, place) => (first + place) * GOP_MS));
    },
    load: (moments, _region, _signal, onFrame) => {
      loads.push(moments);
      for (const utcMs of moments) {
        const image = broken.has(utcMs) ? undefined : ({} as ImageBitmap);
        onFrame({ utcMs, image } satisfies FoundFrame);
      }
      return Promise.resolve();
    },
    dispose: () => {},
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { find, loads, settled };
}

test('the two frames that a round is between are not loaded again', async () => {
  const { find, loads, settled } = searchOf();
  find.begin(0, HOURS_MS, undefined);
  await settled();
  find.choose(3);
  await settled();
  const [first, second] = loads;
  assert.equal(first?.length, 18);
  assert.equal(second?.length, 16);
  const { rounds, frames, isLoading } = find.getState();
  const round = rounds.at(-1);
  assert.ok(round && frames.get(round.beforeMs)?.image && frames.get(round.afterMs)?.image);
  assert.deepEqual([frames.size, isLoading], [18, false]);
  find.dispose();
});

test('a frame that could not be loaded is tried again, and another search begins with none', async () => {
  const broken = new Set<number>();
  const { find, loads, settled } = searchOf(broken);
  find.begin(0, HOURS_MS, undefined);
  await settled();
  const [, , , shown = 0] = loads[0] ?? [];
  broken.add(shown);
  find.begin(0, HOURS_MS, { left: 0, top: 0, width: 0.5, height: 0.5 });
  await settled();
  assert.equal(loads[1]?.length, 18);
  find.choose(2);
  await settled();
  assert.ok(loads[2]?.includes(shown));
  find.dispose();
});
