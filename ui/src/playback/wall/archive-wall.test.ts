import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlayerSource } from '../player-source.ts';
import { settle, TestClock } from '../test-clock.ts';
import { ArchiveWall } from './archive-wall.ts';
import type { TimelineTrackAnswer } from '../../timeline/timeline-tracks.ts';

const LAG_MS = 1000;
const HOUR_MS = 3_600_000;

const noSource: PlayerSource = {
  openLive: () => assert.fail('nothing is live here'),
  playlist: () => Promise.resolve([]),
  bytes: () => Promise.resolve(new Uint8Array()),
  nextPlayable: () => Promise.resolve(undefined),
  previousPlayable: () => Promise.resolve(undefined),
};

/** The server's answer about a stream that is recorded from one moment until another, or until now. */
function answerOf(
  clock: TestClock,
  fromMs: number,
  untilMs: number | undefined,
  [startMs, endMs]: [number, number],
): TimelineTrackAnswer {
  const edgeMs = untilMs ?? clock.wallMs() - LAG_MS;
  const ranges = [
    { date: startMs, status: 'gap' },
    { date: Math.max(startMs, fromMs), status: 'fragment' },
    { date: Math.max(startMs, edgeMs), status: untilMs === undefined ? 'live' : 'gap' },
  ] as const;
  return {
    ranges: ranges.filter(({ date }) => date >= startMs && date < endMs),
    gaps: untilMs === undefined ? [] : [{ startMs: untilMs, endMs, cause: 'unreachable' }],
    beginsMs: fromMs,
  };
}

/** Two streams, one of which may end earlier, watched from some time ago. */
function watch(aheadMs: number, ends: { gateMs?: number; yardMs?: number } = {}) {
  const clock = new TestClock();
  const nowMs = clock.wallMs();
  const asked = { count: 0, live: 0 };
  const archive = new ArchiveWall({
    clock,
    uids: ['gate', 'yard'],
    call: (uid, startMs, endMs) => {
      asked.count += 1;
      const until = uid === 'gate' ? ends.gateMs : ends.yardMs;
      return Promise.resolve(
        answerOf(clock, nowMs - HOUR_MS, until === undefined ? undefined : nowMs + until, [startMs, endMs]),
      );
    },
    rangesMaxMs: 3 * HOUR_MS,
    sourceOf: () => noSource,
    startMs: nowMs - aheadMs,
    onLive: () => {
      asked.live += 1;
    },
  });
  archive.timeline.resize(1000);
  return { archive, clock, asked, nowMs };
}

async function run(clock: TestClock, seconds: number): Promise<void> {
  for (let at = 0; at < seconds * 4; at++) {
    clock.advance(250);
    await settle(60);
  }
}

test('[R4.8] a viewer half a minute behind the present is not switched to live when the clock reaches what was live at the time of the request', async () => {
  const { archive, clock, asked, nowMs } = watch(30_000);
  await run(clock, 300);
  assert.equal(asked.live, 0);
  assert.equal(Math.round(archive.shared.utcMs), nowMs + 270_000);
  assert.equal(archive.tracks.intervalAt('gate', archive.shared.utcMs)?.kind, 'fragment');
  // Two streams, and each answer takes nearly half a minute.
  assert.ok(asked.count <= 2 * 20, `${asked.count} questions in five minutes`);
  archive.dispose();
});

test('[R4.8] a viewer who has reached the present is moved to the live video', async () => {
  const { archive, clock, asked } = watch(30_000);
  await run(clock, 2);
  archive.shared.setSpeed(4);
  await run(clock, 20);
  assert.ok(asked.live > 0);
  archive.dispose();
});

for (const speed of [2, 8, 16])
  test(`[R4.7] [R4.8] at speed ${speed} a clock that has reached the edge switches to the live video, and never passes the present`, async () => {
    const { archive, clock, asked } = watch(60_000);
    await run(clock, 2);
    archive.shared.setSpeed(speed);
    let behindMs = Infinity;
    for (let at = 0; at < 400 && asked.live === 0; at++) {
      await run(clock, 0.25);
      behindMs = clock.wallMs() - archive.shared.utcMs;
      assert.ok(behindMs > 0, `${-behindMs} ms ahead`);
      assert.equal(archive.getSnapshot().isOver, false);
    }
    assert.equal(asked.live, 1);
    assert.ok(behindMs < LAG_MS + 4000 + 1000 * speed, `${behindMs} ms behind`);
    archive.dispose();
  });

test('a stream that stops meanwhile has a gap on its own track, with its cause; the clock continues with the other', async () => {
  const { archive, clock, asked, nowMs } = watch(30_000, { yardMs: 5_000 });
  await run(clock, 60);
  assert.equal(asked.live, 0);
  assert.equal(Math.round(archive.shared.utcMs), nowMs + 30_000);
  assert.equal(archive.tracks.intervalAt('yard', archive.shared.utcMs)?.kind, 'gap');
  assert.equal(archive.tracks.causeAt('yard', archive.shared.utcMs), 'unreachable');
  archive.dispose();
});

test('at the end of all recordings the clock stops and reports it', async () => {
  const { archive, clock, asked } = watch(30_000, { gateMs: -10_000, yardMs: -5_000 });
  await run(clock, 40);
  assert.equal(archive.getSnapshot().isOver, true);
  assert.equal(archive.shared.getSnapshot().isPaused, true);
  assert.equal(asked.live, 0);
  archive.dispose();
});
