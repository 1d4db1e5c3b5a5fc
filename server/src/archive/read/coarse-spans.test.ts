import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../base/manual-clock.ts';
import type { CatalogStreamRow, TimelineReads } from '../catalog/catalog.ts';
import { catalogFor, step } from '../fixtures/catalog-fixture.ts';
import { catalogTicks } from '../segments/segments.ts';
import { CoarseSpans } from './coarse-spans.ts';
import { gapsOf, intervalsOf, joinTicksAt, type RecordedInterval } from './intervals.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 9, 20, 10, 17);
const uid = 'gate';
const sql = {
  setup: ['PRAGMA synchronous = OFF'],
  removal: ['DELETE FROM segment', 'DELETE FROM interruption', 'DELETE FROM stream'],
};

async function coarseOf(
  reads: TimelineReads,
  stream: CatalogStreamRow,
  fromMs: number,
  toMs: number,
  seconds: number,
): Promise<RecordedInterval[]> {
  const joinTicks = joinTicksAt(seconds);
  const reader = new CoarseSpans(reads, new ManualClock(startMs));
  const spans = await reader.of(stream.id, catalogTicks(fromMs), catalogTicks(toMs), joinTicks);
  return intervalsOf(reads, stream, fromMs, toMs, false, { joinTicks, spans });
}

test('[R7.13] coarse ranges are the fine ones without the gaps up to their resolution', async (t) => {
  const { reads, empty, addSegment, interrupt } = catalogFor(t, sql);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 14 }),
      fc.constantFrom(1, 60, 300, 3_600, 20_000, 86_400),
      fc.integer({ min: -2 * hourMs, max: 30 * hourMs }),
      fc.integer({ min: 1, max: 3 * dayMs }),
      async (steps, seconds, from, length) => {
        empty();
        let atMs = startMs;
        for (const one of steps) {
          if (one.kind === 'gap') {
            interrupt(atMs, one.cause);
            atMs += one.seconds * 1000;
          } else {
            if (atMs === startMs) interrupt(atMs, 'waiting');
            addSegment(atMs, minuteMs, one.minutes);
            atMs += one.minutes * minuteMs;
          }
        }
        const stream = reads.stream(uid);
        if (!stream) return;
        const [fromMs, toMs] = [startMs + from, startMs + from + length];
        const found = await coarseOf(reads, stream, fromMs, toMs, seconds);
        // From the rows instead of their sums.
        const joinTicks = joinTicksAt(seconds);
        assert.deepEqual(found, intervalsOf(reads, stream, fromMs, toMs, false, { joinTicks }));
        assert.equal(found[0]?.startMs, fromMs);
        assert.equal(found.at(-1)?.endMs, toMs);
        found.forEach(({ startMs: at }, index) => assert.ok(index === 0 || at === found[index - 1]?.endMs));
        const kindAt = (list: RecordedInterval[], ms: number) =>
          list.find((each) => each.startMs <= ms && ms < each.endMs)?.kind;
        const whole = intervalsOf(reads, stream, startMs - dayMs, atMs + 5 * dayMs, false);
        const gaps: { startMs: number; endMs: number }[] = [];
        for (const { kind, startMs: gapMs, endMs } of whole) {
          const last = gaps.at(-1);
          if (kind === 'fragment') {
            // Footage is never left out.
            const [first, end] = [Math.max(gapMs, fromMs), Math.min(endMs, toMs) - 1];
            for (const ms of [first, end]) if (first <= end) assert.equal(kindAt(found, ms), 'fragment');
          } else if (last?.endMs === gapMs) last.endMs = endMs;
          else gaps.push({ startMs: gapMs, endMs });
        }
        for (const gap of gaps) {
          const [first, end] = [Math.max(gap.startMs, fromMs), Math.min(gap.endMs, toMs) - 1];
          // What is before the first or after the last footage has no known length.
          const isBetween = gap !== gaps[0] && gap !== gaps.at(-1);
          const isLong = gap.endMs - gap.startMs > seconds * 1000;
          const expected = isLong || !isBetween ? 'gap' : 'fragment';
          for (const ms of [first, end]) if (first <= end) assert.equal(kindAt(found, ms), expected);
        }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});

test('[R7.13] coarse gaps have the causes that applied for longer than the resolution', async (t) => {
  const { reads, addSegment, interrupt } = catalogFor(t, sql);
  addSegment(startMs, minuteMs, 10);
  const gapMs = startMs + 10 * minuteMs;
  interrupt(gapMs, 'server-crashed');
  interrupt(gapMs + 20_000, 'unreachable');
  // It changes every few seconds for an hour: that is one gap.
  for (let second = 600; second < 4_200; second += 20) {
    interrupt(gapMs + second * 1000, 'no-frames');
    interrupt(gapMs + (second + 10) * 1000, 'unreachable');
  }
  interrupt(gapMs + 2 * hourMs, 'paused');
  addSegment(gapMs + 3 * hourMs, minuteMs);
  const stream = reads.stream(uid);
  assert.ok(stream);
  const gaps = gapsOf(await coarseOf(reads, stream, startMs, gapMs + 4 * hourMs, 300));
  assert.deepEqual(
    gaps.map(({ cause, startTime, endTime }) => [cause, startTime - gapMs, endTime - gapMs]),
    [
      ['unreachable', 0, 2 * hourMs],
      ['paused', 2 * hourMs, 3 * hourMs],
      ['none', 3 * hourMs + minuteMs, 4 * hourMs],
    ],
  );
});

test('[R7.13] the time before recording is as exact in coarse ranges as in fine ones', async (t) => {
  const { reads, addSegment, interrupt } = catalogFor(t, sql);
  interrupt(startMs, 'waiting');
  addSegment(startMs + 10_000, minuteMs);
  const stream = reads.stream(uid);
  assert.ok(stream);
  const found = await coarseOf(reads, stream, startMs - 5_000, startMs + minuteMs, 300);
  assert.deepEqual(found[0], {
    kind: 'gap',
    startMs: startMs - 5_000,
    endMs: startMs,
    cause: 'before-recording',
  });
});

test('sums over the rows cost no more steps for a month than the month has days', async (t) => {
  const { reads, addSegment } = catalogFor(t, sql);
  addSegment(startMs, minuteMs, 3_000);
  const stream = reads.stream(uid);
  assert.ok(stream);
  let [sums, rows] = [0, 0];
  const counting = {
    segmentAtOrBefore: reads.segmentAtOrBefore.bind(reads),
    recordedContent: (...span: Parameters<TimelineReads['recordedContent']>) => {
      sums++;
      return reads.recordedContent(...span);
    },
    recordedSpans: (...span: Parameters<TimelineReads['recordedSpans']>) => {
      rows++;
      return reads.recordedSpans(...span);
    },
  };
  const reader = new CoarseSpans(counting, new ManualClock(startMs));
  const toTicks = catalogTicks(startMs + 31 * dayMs);
  const spans = await reader.of(stream.id, catalogTicks(startMs), toTicks, joinTicksAt(300));
  assert.deepEqual([spans.length, sums, rows], [1, 31, 0]);
});
