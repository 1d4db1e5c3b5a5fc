import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Interval } from '../../../timeline/intervals.ts';
import {
  FIND_FRAMES,
  firstRound,
  missingMs,
  nextRound,
  spread,
  type RecordedMoments,
} from './moment-finder.ts';

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 9, 1);
const never = new AbortController().signal;

/** An archive of GOPs of one length in these ranges, as offsets from the first day; counts what is asked of it. */
function archiveOf(spans: readonly (readonly [number, number])[], gopMs: number) {
  const ranges: Interval[] = spans.map(([startMs, endMs]) => ({
    startMs: T0 + startMs,
    endMs: T0 + endMs,
    kind: 'fragment',
  }));
  const startsIn = ({ startMs, endMs }: Interval, fromMs: number, toMs: number) => {
    const starts: number[] = [];
    const first = Math.max(0, Math.floor((fromMs - startMs) / gopMs));
    for (let ms = startMs + first * gopMs; ms < Math.min(endMs, toMs); ms += gopMs)
      if (ms + gopMs > fromMs) starts.push(ms);
    return starts;
  };
  const calls = { lists: 0, lookups: 0 };
  const recorded: RecordedMoments = {
    ranges: (startMs, endMs) =>
      Promise.resolve(ranges.filter((range) => range.endMs > startMs && range.startMs < endMs)),
    gopAt: (utcMs) => {
      calls.lookups += 1;
      const range = ranges.findLast(({ startMs }) => startMs <= utcMs);
      if (!range) return Promise.resolve(undefined);
      const insideMs = Math.min(utcMs, range.endMs - 1) - range.startMs;
      return Promise.resolve(range.startMs + Math.floor(insideMs / gopMs) * gopMs);
    },
    gops: (startMs, endMs) => {
      calls.lists += 1;
      return Promise.resolve(ranges.flatMap((range) => startsIn(range, startMs, endMs)));
    },
  };
  return { recorded, calls };
}

/** Clicks the first key frame taken at or after the change, until there is none between; at most that many times. */
async function find(recorded: RecordedMoments, changeMs: number, startMs: number, endMs: number) {
  let round = await firstRound(recorded, startMs, endMs, never);
  let clicks = 0;
  while (round && round.momentsMs.length > 0) {
    assert.ok(round.momentsMs.length <= FIND_FRAMES);
    const place = round.momentsMs.findIndex((ms) => ms >= changeMs);
    round = await nextRound(recorded, round, place < 0 ? round.momentsMs.length : place, never);
    clicks += 1;
    assert.ok(clicks <= 10, 'it does not end');
  }
  return { round, clicks };
}

test('the GOP of a change anywhere in thirty days of one-second GOPs is found within six clicks', async () => {
  const spans = [
    [0, 9 * DAY_MS],
    [9 * DAY_MS + 7_000, 20 * DAY_MS + 500_000],
    [22 * DAY_MS, 30 * DAY_MS],
  ] as const;
  const inside = fc.integer({ min: 1, max: 30 * DAY_MS - 2_000 });
  await fc.assert(
    fc.asyncProperty(inside, async (offsetMs) => {
      const { recorded, calls } = archiveOf(spans, 1000);
      const changeMs = T0 + offsetMs;
      const { round, clicks } = await find(recorded, changeMs, T0, T0 + 30 * DAY_MS);
      assert.ok(round && clicks <= 6, `${clicks} clicks`);
      assert.ok(round.beforeMs < changeMs && changeMs <= round.afterMs);
      // Neighbours: one GOP apart, unless there is a gap between them.
      const gapMs = missingMs(round.ranges, round.beforeMs, round.afterMs);
      assert.ok(round.afterMs - round.beforeMs - gapMs <= 1000);
      assert.ok(calls.lists <= 8 && calls.lookups <= 5 * FIND_FRAMES + 1, JSON.stringify(calls));
    }),
    { numRuns: 60 },
  );
});

test('recordings of seconds with hours between them are searched like one that is whole', async () => {
  const spans = Array.from(
    { length: 400 },
    (_, index) => [index * 7_200_000, index * 7_200_000 + 6_000] as const,
  );
  const { recorded } = archiveOf(spans, 2_000);
  for (const index of [0, 1, 17, 200, 398]) {
    const changeMs = T0 + index * 7_200_000 + 2_500;
    const { round, clicks } = await find(recorded, changeMs, T0, T0 + 400 * 7_200_000);
    assert.deepEqual([round?.beforeMs, round?.afterMs], [changeMs - 500, changeMs + 1_500]);
    assert.ok(clicks <= 4, `${clicks} clicks`);
  }
});

test('a change while nothing was recorded ends at the frames on both sides of the gap', async () => {
  const { recorded } = archiveOf(
    [
      [0, 3_600_000],
      [7_200_000, 9_000_000],
    ],
    1000,
  );
  const { round } = await find(recorded, T0 + 5_000_000, T0, T0 + 9_000_000);
  assert.deepEqual([round?.beforeMs, round?.afterMs], [T0 + 3_599_000, T0 + 7_200_000]);
  assert.equal(missingMs(round?.ranges ?? [], T0 + 3_599_000, T0 + 7_200_000), 3_600_000);
});

test('nothing recorded means no round, and a single GOP leaves nothing to choose', async () => {
  const { recorded } = archiveOf([[0, 1000]], 1000);
  assert.equal(await firstRound(recorded, T0 + 5_000, T0 + 9_000, never), undefined);
  const only = await firstRound(recorded, T0, T0 + 9_000, never);
  assert.deepEqual([only?.beforeMs, only?.afterMs, only?.momentsMs], [T0, T0, []]);
});

test('the moments divide the recorded time evenly, never in a gap', () => {
  const parts = fc.array(fc.tuple(fc.integer({ min: 1, max: 10_000 }), fc.nat(10_000)), { minLength: 1 });
  fc.assert(
    fc.property(parts, (pairs) => {
      let atMs = T0;
      const ranges = pairs.map(([lengthMs, gapMs]): Interval => {
        const range = { startMs: atMs, endMs: atMs + lengthMs, kind: 'fragment' as const };
        atMs += lengthMs + gapMs;
        return range;
      });
      const moments = spread(ranges, FIND_FRAMES);
      assert.equal(moments.length, FIND_FRAMES);
      const totalMs = ranges.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
      for (const [index, ms] of moments.entries()) {
        assert.ok(ranges.some(({ startMs, endMs }) => ms >= startMs && ms <= endMs));
        const before = ranges.reduce(
          (sum, { startMs, endMs }) => sum + Math.max(0, Math.min(endMs, ms) - startMs),
          0,
        );
        assert.ok(Math.abs(before - (totalMs * (index + 1)) / (FIND_FRAMES + 1)) < 0.01);
      }
    }),
  );
});
