import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../base/manual-clock.ts';
import type { RecordedGapCause } from '../catalog/catalog.ts';
import { catalogFor, step } from '../fixtures/catalog-fixture.ts';
import { RecordingCoverage, sumOfParts } from './recording-coverage.ts';
import { ContinuityHours } from './continuity.ts';
import { intervalsOf } from './intervals.ts';
import { catalogMs, catalogTicks } from '../segments/segments.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const startMs = Date.UTC(2026, 9, 20, 10, 17);
const uid = 'gate';
const sql = {
  setup: ['PRAGMA synchronous = OFF'],
  removal: ['DELETE FROM segment', 'DELETE FROM interruption', 'DELETE FROM stream'],
};

const unwanted: readonly RecordedGapCause[] = ['paused', 'recording-off'];

test('the cached hours equal a sum over all intervals, also as time passes', (t) => {
  const { reads, empty, addSegment, interrupt } = catalogFor(t, sql);
  const life = fc.array(step, { minLength: 1, maxLength: 12 });
  const windowsMs = [24 * hourMs, 5 * hourMs, 30 * 24 * hourMs];
  fc.assert(
    fc.property(life, fc.integer({ min: 0, max: 3 * hourMs }), (steps, waitMs) => {
      empty();
      const hours = new ContinuityHours();
      let atMs = startMs;
      const compare = (nowMs: number) => {
        const stream = reads.stream(uid);
        if (!stream) return;
        for (const windowMs of windowsMs.toSorted((a, b) => b - a)) {
          const toTicks = catalogTicks(nowMs);
          const found = hours.window(reads, stream, catalogTicks(windowMs), toTicks);
          const fromMs = Math.max(nowMs - windowMs, startMs);
          let expectedMs = nowMs - fromMs;
          let recordedMs = 0;
          for (const interval of intervalsOf(reads, stream, fromMs, nowMs, false)) {
            const lengthMs = interval.endMs - interval.startMs;
            if (interval.kind === 'fragment') recordedMs += lengthMs;
            else if (interval.kind === 'gap' && unwanted.includes(interval.cause)) expectedMs -= lengthMs;
          }
          const local = (ticks: number, ms: number, what: string) =>
            assert.ok(
              Math.abs(catalogMs(ticks) - ms) <= steps.length * 2,
              `${what}: ${catalogMs(ticks)} and ${ms}`,
            );
          local(found.recordedTicks, recordedMs, 'recorded');
          local(found.expectedTicks, expectedMs, 'expected');
        }
      };
      for (const one of steps) {
        if (one.kind === 'gap') {
          interrupt(atMs, one.cause);
          atMs += one.seconds * 1000;
        } else {
          // The first entry of a stream is that it waits for frames.
          if (atMs === startMs) interrupt(atMs, 'waiting');
          for (let minute = 0; minute < one.minutes; minute++, atMs += minuteMs) addSegment(atMs, minuteMs);
        }
        compare(atMs);
      }
      compare(atMs + waitMs);
    }),
    { numRuns: 25 },
  );
});

test('a stream with gaps is reported once it is a day old, and counts in the total; one that is not set to record does not', (t) => {
  const { reads, addSegment, interrupt } = catalogFor(t, sql);
  const clock = new ManualClock(startMs);
  const recorders = new Map([[uid, { status: { state: 'waiting' } }]]);
  const watch = new RecordingCoverage({ reads, clock, recorders });
  t.after(() => watch.close());
  interrupt(startMs, 'waiting');
  addSegment(startMs, 6 * hourMs);
  interrupt(startMs + 6 * hourMs, 'unreachable');
  clock.advance(12 * hourMs);
  // A result may be up to a minute old.
  const local = (found: number | null | undefined, right: number) =>
    assert.ok(Math.abs((found ?? Number.NaN) - right) < 0.002, `${found} is not ${right}`);
  local(watch.of(uid)?.day.share, 0.5);
  assert.equal(watch.sum.month.recordedMs, 6 * hourMs);
  assert.deepEqual(watch.below(0.95), []);
  clock.advance(14 * hourMs);
  local(watch.of(uid)?.day.share, 4 / 24);
  local(watch.of(uid)?.month.share, 6 / 26);
  const [low] = watch.below(0.95);
  assert.equal(low?.uid, uid);
  local(low?.share, 4 / 24);
  assert.deepEqual(watch.below(0), []);
  recorders.clear();
  clock.advance(2 * minuteMs);
  assert.equal(watch.of(uid), undefined);
  assert.equal(watch.sum.day.share, null);
});

test('time before the stream, footage deleted by age and pauses do not count as missing; an offline camera does', (t) => {
  const { reads, addSegment, interrupt, remove } = catalogFor(t, sql);
  const share = (nowMs: number) => {
    const stream = reads.stream(uid);
    assert.ok(stream);
    const { expectedTicks, recordedTicks } = new ContinuityHours().window(
      reads,
      stream,
      catalogTicks(24 * hourMs),
      catalogTicks(nowMs),
    );
    return [catalogMs(expectedTicks) / hourMs, catalogMs(recordedTicks) / hourMs];
  };
  interrupt(startMs, 'waiting');
  addSegment(startMs, hourMs);
  assert.deepEqual(share(startMs + hourMs), [1, 1]);
  interrupt(startMs + hourMs, 'unreachable');
  assert.deepEqual(share(startMs + 2 * hourMs), [2, 1]);
  interrupt(startMs + 2 * hourMs, 'paused');
  assert.deepEqual(share(startMs + 4 * hourMs), [2, 1]);
  addSegment(startMs + 4 * hourMs, hourMs);
  assert.deepEqual(share(startMs + 5 * hourMs), [3, 2]);
  remove(startMs, startMs + hourMs);
  assert.deepEqual(share(startMs + 5 * hourMs), [2, 1]);
});

test('[R10.8] for a stream recorded by several nodes each reports its own times, and only what no node recorded is missing in total', (t) => {
  const nodes = [catalogFor(t, sql), catalogFor(t, sql)] as const;
  const clock = new ManualClock(startMs + 10 * hourMs);
  const watches = nodes.map(({ reads }) => new RecordingCoverage({ reads, clock, recorders: new Map() }));
  t.after(() => watches.forEach((watch) => watch.close()));
  const [first, second] = nodes;
  first.interrupt(startMs, 'waiting');
  first.addSegment(startMs, 4 * hourMs);
  first.interrupt(startMs + 4 * hourMs, 'server-crashed');
  second.addSegment(startMs + 5 * hourMs, 5 * hourMs);
  const span = (fromHour: number, toHour: number, isFirst = false) => ({
    startMs: startMs + fromHour * hourMs,
    endMs: startMs + toHour * hourMs,
    isFirst,
  });
  const parts = [watches[0]?.over(uid, [span(0, 4.5, true)]), watches[1]?.over(uid, [span(4.5, 10)])];
  const { day } = sumOfParts(parts.filter((part) => part !== undefined));
  assert.deepEqual([day.expectedMs, day.recordedMs], [10 * hourMs, 9 * hourMs]);
  // It was assigned the stream but recorded nothing.
  assert.equal(watches[1]?.over('other', [span(8, 10)]).day.share, 0);
});
