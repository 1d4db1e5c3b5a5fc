import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogMs, catalogTicks } from '../segments/segments.ts';
import { ImportTimes } from './import-times.ts';

const baseMs = Date.UTC(2026, 9, 25);

/** Fragments of a second, of which the last may be shorter. */
function lasting(ms: number) {
  const fragments = [];
  for (let left = ms; left > 0; left -= 1000)
    fragments.push({ durationTicks: catalogTicks(Math.min(1000, left)), bytes: 100, startsWithKey: true });
  return fragments;
}

/** Places recordings one after the other: start by its name and length, ms. */
function placed(recordings: readonly (readonly [nameMs: number, lengthMs: number])[], nameStepMs = 1000) {
  const times = new ImportTimes(undefined, () => undefined);
  return recordings.map(([nameMs, lengthMs]) => {
    const found = times.place(catalogTicks(baseMs + nameMs), lasting(lengthMs), nameStepMs);
    if (!found) return undefined;
    const { startTicks, fragments } = found;
    const endTicks = fragments.reduce((end, { durationTicks }) => end + durationTicks, startTicks);
    times.follow({ startTicks, endTicks });
    return [catalogMs(startTicks) - baseMs, catalogMs(endTicks) - baseMs];
  });
}

test('[R16.3] recordings follow each other without gaps where their names only say the second', () => {
  assert.deepEqual(
    placed([
      [0, 10_040],
      [10_000, 9_960],
      [20_000, 9_400],
      [30_000, 10_000],
      [45_000, 10_000],
    ]),
    [
      [0, 10_040],
      [10_040, 20_000],
      [20_000, 29_400],
      [29_400, 39_400],
      [45_000, 55_000],
    ],
  );
});

test('[R16.3] a pause that exact names prove is a gap', () => {
  assert.deepEqual(
    placed(
      [
        [0, 10_000],
        [10_400, 5_000],
        [16_300, 5_000],
      ],
      1,
    ),
    [
      [0, 10_000],
      [10_000, 15_000],
      [16_300, 21_300],
    ],
  );
});

test('[R16.3] frames that last longer than the time between names never lead away from the names', () => {
  const found = placed(Array.from({ length: 500 }, (_, index) => [index * 10_000, 10_020] as const));
  for (const [index, span] of found.entries()) {
    const [startMs = 0, endMs = 0] = span ?? [];
    assert.ok(span && startMs >= index * 10_000 && startMs <= index * 10_000 + 2_000, String([index, span]));
    assert.ok(endMs - startMs >= 9_000);
  }
});

test('[R16.3] of two recordings of one time the first is shown', () => {
  assert.deepEqual(
    placed([
      [0, 60_000],
      [30_000, 60_000],
      [60_000, 60_000],
    ]),
    [[0, 60_000], undefined, [60_000, 120_000]],
  );
});
