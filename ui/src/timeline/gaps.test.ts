import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GapCause } from '@vidette/contract/entities';
import fc from 'fast-check';
import { causesWithin, joinedGaps, leadTo, listedGaps, type GapSpan } from './gaps.ts';
import { intervalAt, type Interval } from './intervals.ts';

const startMs = Date.UTC(2026, 10, 21);
const minuteMs = 60_000;
const causes: readonly GapCause[] = ['unreachable', 'paused', 'disk-full'];

/** Gaps in order, some of them adjacent. */
const lives = fc
  .array(
    fc.record({
      pauseMs: fc.integer({ min: 0, max: 3 }).map((minutes) => minutes * minuteMs),
      lengthMs: fc.integer({ min: 1, max: 5 }).map((minutes) => minutes * minuteMs),
      cause: fc.constantFrom(...causes),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    let atMs = startMs;
    return steps.map(({ pauseMs, lengthMs, cause }): GapSpan => {
      const gap = { startMs: atMs + pauseMs, endMs: atMs + pauseMs + lengthMs, cause };
      atMs = gap.endMs;
      return gap;
    });
  });

test('joined gaps keep the cause of every moment, without overlaps or adjacent gaps of one cause', () => {
  fc.assert(
    fc.property(lives, fc.integer({ min: 0, max: 500 }), (gaps, minutes) => {
      const found = joinedGaps(gaps);
      for (const [index, gap] of found.entries()) {
        const next = found[index + 1];
        assert.ok(
          !next || gap.endMs < next.startMs || (gap.endMs === next.startMs && gap.cause !== next.cause),
        );
      }
      const ms = startMs + minutes * minuteMs;
      const holder = gaps.find((gap) => gap.startMs <= ms && ms < gap.endMs);
      assert.equal(intervalAt(found, ms)?.cause, holder?.cause);
    }),
  );
});

const recorded: Interval[] = [
  { startMs: startMs - 600_000, endMs: startMs, kind: 'gap' },
  { startMs, endMs: startMs + 600_000, kind: 'fragment' },
  { startMs: startMs + 600_000, endMs: startMs + 720_000, kind: 'gap' },
  { startMs: startMs + 720_000, endMs: startMs + 900_000, kind: 'fragment' },
];
const gaps: GapSpan[] = [
  { startMs: startMs - 600_000, endMs: startMs, cause: 'none' },
  { startMs: startMs + 600_000, endMs: startMs + 660_000, cause: 'unreachable' },
  { startMs: startMs + 660_000, endMs: startMs + 720_000, cause: 'paused' },
];

test('the list is in descending order, without the time before the first recording', () => {
  const listed = listedGaps(gaps, recorded, startMs - 600_000, startMs + 900_000);
  assert.deepEqual(
    listed.map(({ cause }) => cause),
    ['paused', 'unreachable'],
  );
  assert.deepEqual(listedGaps(gaps, recorded, startMs, startMs + 600_000), []);
});

test('playback up to a gap starts three seconds before it, whichever of its causes is selected', () => {
  const [before, first, second] = gaps;
  assert.ok(before && first && second);
  assert.equal(leadTo(first, recorded), startMs + 597_000);
  assert.equal(leadTo(second, recorded), startMs + 597_000);
  assert.equal(leadTo(before, recorded), startMs);
});

test('a skipped stretch lists each of its causes once, unknown ones left out', () => {
  assert.deepEqual(causesWithin(gaps, startMs - 1, startMs + 900_000), ['unreachable', 'paused']);
  assert.deepEqual(causesWithin(gaps, startMs, startMs + 600_000), []);
});
