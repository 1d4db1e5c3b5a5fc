import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, TestClock } from '../playback/test-clock.ts';
import type { TimelineEvent } from './events.ts';
import type { Range } from './intervals.ts';
import { RangesLoader, type RangesLoaderOptions } from './ranges-loader.ts';
import { TimeScale } from './time-scale.ts';

const PIECE_MS = 10_800_000;
const nowMs = Date.UTC(2026, 10, 21, 12, 30);

/** A server whose whole archive is one fragment; records the requests. */
function setUp(
  answer: (startMs: number, endMs: number) => Range[] = () => [{ date: 0, status: 'fragment' }],
  coarseCall?: RangesLoaderOptions['coarseCall'],
) {
  const clock = new TestClock(nowMs);
  const asked: { startMs: number; endMs: number; signal: AbortSignal }[] = [];
  const askedEvents: { startMs: number; endMs: number }[] = [];
  const events: TimelineEvent[] = [];
  const errors: unknown[] = [];
  let isHeld = false;
  const loader = new RangesLoader({
    clock,
    pieceMs: PIECE_MS,
    ...(coarseCall && { coarseCall }),
    call: (startMs, endMs, signal) => {
      asked.push({ startMs, endMs, signal });
      if (!isHeld) return Promise.resolve({ ranges: answer(startMs, endMs), gaps: [], beginsMs: undefined });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    eventsCall: (startMs, endMs) => {
      askedEvents.push({ startMs, endMs });
      return Promise.resolve(events.filter((event) => event.startMs >= startMs && event.startMs < endMs));
    },
    onError: (error) => errors.push(error),
  });
  return { clock, asked, askedEvents, events, errors, loader, hold: (held: boolean) => (isHeld = held) };
}

test('[R9.3] requests pieces of at most rangesMaxSeconds, never for the future, and joins the answers', async () => {
  const { loader, asked } = setUp();
  loader.show(TimeScale.opening(nowMs, 1000));
  await settle(100);
  assert.ok(asked.length >= 7);
  for (const { startMs, endMs } of asked) {
    assert.ok(endMs - startMs <= PIECE_MS);
    assert.ok(endMs <= nowMs);
  }
  assert.equal(loader.intervals.length, 1);
  assert.equal(loader.intervals[0]?.endMs, nowMs);
});

test('[R7.18] [R10.7] events arrive with their pieces, once each, even across two pieces, and newer ends replace older ones', async () => {
  const { loader, events, askedEvents, clock } = setUp();
  const edgeMs = Math.floor(nowMs / PIECE_MS) * PIECE_MS;
  events.push({ id: 1, kind: 'motion', startMs: edgeMs - 10_000, endMs: edgeMs + 5_000 });
  events.push({ id: 2, kind: 'motion', startMs: nowMs - 20_000, endMs: nowMs - 15_000 });
  loader.show(new TimeScale(edgeMs - 3_600_000, 5 * 3_600_000, 1000));
  await settle(100);
  assert.deepEqual(
    loader.events.map(({ id }) => id),
    [1, 2],
  );
  for (const { startMs, endMs } of askedEvents) assert.ok(endMs > startMs && endMs - startMs <= PIECE_MS);
  events[1] = { id: 2, kind: 'motion', startMs: nowMs - 20_000, endMs: nowMs + 10_000 };
  clock.advance(200_000);
  await settle(100);
  assert.equal(loader.events[1]?.endMs, nowMs + 10_000);
});

test('[R9.1] only pieces that can still change are requested again, every max(3.5 s, 6 x seconds per pixel)', async () => {
  const { loader, asked, clock } = setUp();
  loader.show(new TimeScale(nowMs - 9 * 3_600_000, 10 * 3_600_000, 6000));
  await settle(100);
  const first = asked.length;
  clock.advance(35_000);
  await settle(100);
  assert.equal(asked.length, first);
  clock.advance(1500);
  await settle(100);
  assert.equal(asked.length, first + 1);
  assert.equal(asked.at(-1)?.endMs, nowMs + 36_000);
  loader.pause();
  clock.advance(600_000);
  await settle();
  assert.equal(asked.length, first + 1);
});

test('requests for spans no longer in view are silently aborted', async () => {
  const { loader, asked, errors, hold } = setUp();
  hold(true);
  loader.show(new TimeScale(nowMs - 3_600_000, 7_200_000, 1000));
  await settle();
  const old = asked.map((question) => question.signal);
  loader.show(new TimeScale(nowMs - 100 * 3_600_000, 3_600_000, 1000));
  await settle();
  assert.ok(old.every((signal) => signal.aborted));
  assert.equal(errors.length, 0);
  assert.ok(asked.at(-1)!.endMs < nowMs - 90 * 3_600_000);
});

test('a failure is reported and retried with the next refresh, not immediately', async () => {
  let isDown = true;
  const { loader, asked, errors, clock } = setUp(() => {
    if (isDown) throw new Error('down');
    return [{ date: 0, status: 'gap' }];
  });
  loader.show(new TimeScale(nowMs - 60_000, 60_000, 1000));
  await settle(50);
  assert.deepEqual([asked.length, errors.length], [1, 1]);
  isDown = false;
  clock.advance(3500);
  await settle(50);
  assert.equal(asked.length, 2);
  assert.equal(loader.intervals[0]?.kind, 'gap');
});

test('[R4.8] the next recording after weeks without one is found in three requests', async () => {
  const dayMs = 86_400_000;
  const recordedMs = nowMs - 3 * dayMs + 1_000;
  const answer = (startMs: number, endMs: number): Range[] => {
    const ranges: Range[] = [{ date: startMs, status: 'gap' }];
    const untilMs = recordedMs + 60_000;
    if (recordedMs < endMs && untilMs > startMs) {
      ranges.push({ date: Math.max(startMs, recordedMs), status: 'fragment' });
      if (untilMs < endMs) ranges.push({ date: untilMs, status: 'gap' });
    }
    return ranges;
  };
  const coarse: { lengthMs: number; resolutionSeconds: number }[] = [];
  const { loader, asked } = setUp(answer, async (startMs, endMs, resolutionSeconds) => {
    coarse.push({ lengthMs: endMs - startMs, resolutionSeconds });
    return answer(startMs, endMs);
  });
  const { signal } = new AbortController();
  const found = await loader.nextPlayable(nowMs - 27 * dayMs, signal);
  assert.deepEqual(found, { startMs: recordedMs, endMs: recordedMs + 60_000, kind: 'fragment' });
  assert.deepEqual([asked.length, coarse.length], [2, 1]);
  for (const { lengthMs, resolutionSeconds } of coarse) {
    assert.ok(lengthMs > 20 * dayMs && lengthMs <= resolutionSeconds * PIECE_MS);
  }
  assert.equal(await loader.nextPlayable(recordedMs + 60_000, signal), undefined);
  assert.deepEqual([asked.length, coarse.length], [2, 2]);
});

test('[R4.8] the next recording is found beyond the view, or reported as missing', async () => {
  const { loader } = setUp((startMs, endMs) => {
    const fragmentMs = nowMs - 40 * 3_600_000;
    const ranges: Range[] = [{ date: startMs, status: 'gap' }];
    if (fragmentMs >= startMs && fragmentMs < endMs) {
      ranges.push({ date: fragmentMs, status: 'fragment' }, { date: fragmentMs + 60_000, status: 'gap' });
    }
    return ranges;
  });
  const signal = new AbortController().signal;
  const found = await loader.nextPlayable(nowMs - 90 * 3_600_000, signal);
  assert.deepEqual(found, {
    startMs: nowMs - 40 * 3_600_000,
    endMs: nowMs - 40 * 3_600_000 + 60_000,
    kind: 'fragment',
  });
  assert.equal(await loader.nextPlayable(nowMs - 30 * 3_600_000, signal), undefined);
});
