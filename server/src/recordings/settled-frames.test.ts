import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComparedFrame } from './frame-change.ts';
import { settle } from './settled-frames.ts';

const spans = [
  { startMs: 0, endMs: 4_000 },
  { startMs: 6_000, endMs: 10_000 },
];

/** Ten seconds whose frames are one number, and an overview with a frame each second; different numbers differ equally. */
async function settled(lookAt: (ms: number) => number | undefined, framesMax = 100) {
  const read: number[] = [];
  const frameAt = (ms: number): ComparedFrame | undefined => {
    const look = lookAt(ms);
    return look === undefined ? undefined : { timeMs: ms, thumbnail: new Uint8Array([look]) };
  };
  const overview: ComparedFrame[] = [];
  for (let ms = 0; ms < 10_000; ms += 1_000) {
    const frame = frameAt(ms);
    const isRecorded = spans.some(({ startMs, endMs }) => ms >= startMs && ms < endMs);
    if (frame && isRecorded) overview.push(frame);
  }
  const rounds: number[] = [];
  const views = await settle(overview, {
    frames: {
      async *each(moments) {
        for (const ms of moments) {
          read.push(ms);
          yield await Promise.resolve(frameAt(ms));
        }
      },
    },
    spans,
    changeOf: ([one = 0], [other = 0]) => (one === other ? 0 : 1),
    least: 0.2,
    framesMax,
    onRound: (frames) => rounds.push(frames),
  });
  return { looks: views.map(({ thumbnail }) => thumbnail[0]), views, read, rounds };
}

test('where nothing changes, no other frame is read', async () => {
  const { looks, read, rounds } = await settled(() => 20);
  assert.deepEqual([looks, read, rounds], [Array.from({ length: 8 }, () => 20), [], []]);
});

test('who is in one frame only is not in the view, and what lasts is', async () => {
  const { looks, views } = await settled((ms) => (ms === 2_000 ? 250 : ms < 7_000 ? 20 : 100));
  assert.deepEqual(looks, [20, 20, 20, 20, 20, 100, 100, 100]);
  assert.notEqual(views[2]?.timeMs, 2_000);
});

test('different people in most of the frames around are not the view', async () => {
  // Of five frames around two seconds two are alike.
  const people = new Map([
    [2_000, 160],
    [2_131, 200],
    [1_787, 250],
  ]);
  const { looks } = await settled((ms) => people.get(ms) ?? 20);
  assert.equal(looks[2], 20);
});

test('frames are read between the neighbours, in what is recorded, and no more than allowed', async () => {
  const { read, rounds } = await settled((ms) => (ms < 6_000 ? 20 : 100));
  // Around the frames at three and six seconds, with a gap between them: first and second pair.
  assert.deepEqual(
    read.toSorted((a, b) => a - b),
    [2_787, 2_915, 3_131, 3_172, 3_787, 3_915, 6_131, 6_172],
  );
  assert.deepEqual(rounds, [4, 4]);
  const few = await settled((ms) => (ms < 6_000 ? 20 : 100), 3);
  assert.deepEqual([few.read.length, few.rounds], [3, [3]]);
});

test('frames that cannot be read, and those of a neighbour, count for nothing', async () => {
  const { looks } = await settled((ms) => (ms % 1_000 === 0 ? (ms === 2_000 ? 250 : 20) : undefined));
  assert.deepEqual(looks, [20, 20, 250, 20, 20, 20, 20, 20]);
});
