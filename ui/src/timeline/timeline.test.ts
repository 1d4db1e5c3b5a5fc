import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, TestClock } from '../playback/test-clock.ts';
import { eventLeadMs } from '@vidette/contract/constants';
import type { TimelineEvent } from './events.ts';
import type { Range } from './intervals.ts';
import { RangesLoader } from './ranges-loader.ts';
import { timelineKey } from './timeline-keys.ts';
import { Timeline } from './timeline.ts';

const HOUR_MS = 3_600_000;
const nowMs = Date.UTC(2026, 10, 21, 12);
const WIDTH_PX = 1150;

/** Recorded up to 5 h ago, a gap of 2 h, recorded for 2 h, a gap of 59 min, live for a minute. */
const recorded: Range[] = [
  { date: nowMs - 100 * HOUR_MS, status: 'fragment' },
  { date: nowMs - 5 * HOUR_MS, status: 'gap' },
  { date: nowMs - 3 * HOUR_MS, status: 'fragment' },
  { date: nowMs - 1 * HOUR_MS, status: 'gap' },
  { date: nowMs - 60_000, status: 'live' },
];

async function setUp(ranges: readonly Range[] = recorded, events: readonly TimelineEvent[] = []) {
  const clock = new TestClock(nowMs);
  const asked: (number | 'live')[] = [];
  const loader = new RangesLoader({
    clock,
    pieceMs: 3 * HOUR_MS,
    call: () => Promise.resolve({ ranges, gaps: [], beginsMs: ranges[0]?.date }),
    eventsCall: () => Promise.resolve(events),
    onError: (error) => assert.fail(String(error)),
  });
  const timeline = new Timeline({
    clock,
    loader,
    onSeek: (ms) => asked.push(ms),
    onLive: () => asked.push('live'),
  });
  timeline.resize(WIDTH_PX);
  await settle(100);
  const pxOf = (ms: number) => timeline.getView().scale.toPx(ms);
  const click = (ms: number) => {
    timeline.pointer.press(pxOf(ms));
    timeline.pointer.release(pxOf(ms));
  };
  return { clock, timeline, asked, pxOf, click };
}

test('[R4.9] clicks: a fragment plays there, a gap goes to the next fragment, live goes live, the future does nothing', async () => {
  const { asked, click } = await setUp();
  click(nowMs - 2 * HOUR_MS);
  click(nowMs - 4 * HOUR_MS);
  click(nowMs - 30_000);
  click(nowMs + HOUR_MS);
  assert.equal(asked.length, 3);
  assert.ok(Math.abs((asked[0] as number) - (nowMs - 2 * HOUR_MS)) < 1);
  assert.deepEqual(asked.slice(1), [nowMs - 3 * HOUR_MS, 'live']);
});

test('[R4.9] a click on the gap at the last position does nothing', async () => {
  const { asked, click } = await setUp(recorded.slice(0, 4));
  click(nowMs - HOUR_MS / 2);
  assert.deepEqual(asked, []);
});

test('a drag pans and is not a click; a thrown timeline glides and stops', async () => {
  const { timeline, asked, clock } = await setUp();
  const before = timeline.getView().scale;
  timeline.pointer.press(500);
  for (let px = 510; px <= 700; px += 10) {
    clock.advance(10);
    timeline.pointer.move(px);
  }
  const dragged = timeline.getView().scale;
  assert.ok(Math.abs(dragged.startMs - (before.startMs - 200 * before.msPerPx)) < 1);
  timeline.pointer.release(700);
  for (let frame = 0; frame < 300; frame++) {
    clock.advance(16);
    timeline.frame(undefined);
  }
  const rested = timeline.getView().scale;
  assert.ok(rested.startMs < dragged.startMs);
  clock.advance(16);
  timeline.frame(undefined);
  assert.equal(timeline.getView().scale.startMs, rested.startMs);
  assert.deepEqual(asked, []);
});

test('[R9.4] the wheel zooms about the pointer in whole steps, small movements add up', async () => {
  const { timeline } = await setUp();
  const before = timeline.getView().scale;
  const ms = before.toMs(300);
  timeline.pointer.wheel(300, 0, -100);
  assert.equal(timeline.getView().scale.spanMs, before.spanMs / 1.5);
  assert.ok(Math.abs(timeline.getView().scale.toPx(ms) - 300) < 1e-6);
  for (let turn = 0; turn < 9; turn++) timeline.pointer.wheel(300, 0, 10);
  assert.ok(Math.abs(timeline.getView().scale.spanMs - before.spanMs) < 1);
  timeline.pointer.wheel(300, 50, 10);
  assert.ok(timeline.getView().scale.startMs > before.startMs);
});

test('[R9.6] the width is applied once it has not changed for 100 ms', async () => {
  const { timeline, clock } = await setUp();
  timeline.resize(800);
  timeline.resize(700);
  clock.advance(99);
  assert.equal(timeline.getView().scale.widthPx, WIDTH_PX);
  clock.advance(1);
  assert.equal(timeline.getView().scale.widthPx, 700);
});

test('key steps add up before the player has followed, and gaps are skipped in the direction of the step', async () => {
  const { timeline, asked } = await setUp();
  const startMs = nowMs - 2 * HOUR_MS;
  timeline.frame(startMs);
  timelineKey(timeline, 'ArrowLeft', false);
  timelineKey(timeline, 'ArrowLeft', false);
  timelineKey(timeline, 'ArrowRight', true);
  assert.deepEqual(asked, [startMs - 5000, startMs - 10_000, startMs + 50_000]);
  timeline.frame(nowMs - 3 * HOUR_MS + 3000);
  timelineKey(timeline, 'ArrowLeft', false);
  assert.equal(asked.at(-1), nowMs - 5 * HOUR_MS - 5000);
  timelineKey(timeline, 'ArrowRight', true);
  assert.equal(asked.at(-1), nowMs - 3 * HOUR_MS);
  timelineKey(timeline, 'End', false);
  assert.equal(asked.at(-1), 'live');
  timeline.frame(nowMs - 2 * HOUR_MS);
  timelineKey(timeline, '[', false);
  await settle(100);
  assert.equal(asked.at(-1), nowMs - 3 * HOUR_MS);
  timelineKey(timeline, ']', false);
  await settle(100);
  assert.equal(asked.at(-1), 'live');
  assert.equal(timelineKey(timeline, 'x', false), false);
  // Those step by one frame.
  assert.equal(timelineKey(timeline, ',', false), false);
});

test('a playing playhead stays in view, unless the viewer looks elsewhere', async () => {
  const { timeline } = await setUp();
  const share = (ms: number) => timeline.getView().scale.toPx(ms) / WIDTH_PX;
  for (let hour = 0; hour < 6; hour++) timeline.frame(nowMs + hour * HOUR_MS);
  assert.ok(Math.abs(share(nowMs + 5 * HOUR_MS) - 0.92) < 1e-6);
  timeline.pointer.wheel(100, -3000, 0);
  const looking = timeline.getView().scale.startMs;
  timeline.frame(nowMs + 6 * HOUR_MS);
  assert.equal(timeline.getView().scale.startMs, looking);
  timeline.goTo(nowMs - 90 * HOUR_MS);
  assert.ok(timeline.getView().scale.contains(nowMs - 90 * HOUR_MS));
});

test('[R10.7] P and N play the previous and next event, from shortly before it', async () => {
  const at = (ms: number): TimelineEvent => ({ id: ms, kind: 'motion', startMs: ms, endMs: ms + 5_000 });
  const events = [at(nowMs - 2.5 * HOUR_MS), at(nowMs - 2 * HOUR_MS)];
  const { timeline, asked } = await setUp(recorded, events);
  timeline.frame(nowMs - 2.2 * HOUR_MS);
  assert.equal(timelineKey(timeline, 'n', false), true);
  timelineKey(timeline, 'n', false);
  await settle(100);
  timelineKey(timeline, 'p', false);
  timelineKey(timeline, 'p', false);
  await settle(200);
  assert.deepEqual(
    asked,
    [events[1], events[0]].map((event) => (event?.startMs ?? 0) - eventLeadMs),
  );
});

test('braces go to the previous and next gap, from shortly before it', async () => {
  const { timeline, asked } = await setUp();
  timeline.frame(nowMs - 2 * HOUR_MS);
  timelineKey(timeline, '}', true);
  await settle(200);
  timelineKey(timeline, '{', true);
  await settle(200);
  assert.deepEqual(asked, [nowMs - HOUR_MS - 3000, nowMs - 5 * HOUR_MS - 3000]);
});

test('a search finds matches far out of view, and is cancelled when the viewer seeks elsewhere', async () => {
  const { timeline, asked, click } = await setUp([
    { date: nowMs - 300 * HOUR_MS, status: 'fragment' },
    { date: nowMs - 200 * HOUR_MS, status: 'gap' },
    { date: nowMs - 190 * HOUR_MS, status: 'fragment' },
  ]);
  timeline.frame(nowMs - 2 * HOUR_MS);
  timelineKey(timeline, '{', true);
  await settle(3000);
  assert.deepEqual(asked, [nowMs - 200 * HOUR_MS - 3000]);
  timelineKey(timeline, '{', true);
  click(nowMs - 3 * HOUR_MS);
  await settle(3000);
  assert.equal(asked.length, 2);
});

test('dragging the playhead moves it, and playback starts where it is released', async () => {
  const { timeline, asked, pxOf } = await setUp();
  timeline.frame(nowMs - 2 * HOUR_MS);
  const fromPx = pxOf(nowMs - 2 * HOUR_MS);
  const { startMs } = timeline.getView().scale;
  timeline.pointer.press(fromPx + 3);
  for (let px = 0; px <= 20; px++) timeline.pointer.move(fromPx + px);
  assert.equal(timeline.getView().scale.startMs, startMs, 'nothing is dragged away');
  timeline.frame(nowMs - 2 * HOUR_MS);
  const requestedMs = timeline.getView().scale.toMs(fromPx + 20);
  assert.deepEqual([timeline.getView().scrubMs, timeline.getView().playheadMs], [requestedMs, requestedMs]);
  assert.deepEqual(asked, []);
  timeline.pointer.release(fromPx + 20);
  assert.deepEqual(asked, [requestedMs]);
  assert.equal(timeline.getView().scrubMs, undefined);
});

test('on the rail above the band every press moves the playhead, never into the future', async () => {
  const { timeline, asked, pxOf } = await setUp();
  timeline.pointer.press(pxOf(nowMs - 4 * HOUR_MS), true);
  timeline.pointer.move(pxOf(nowMs + 2 * HOUR_MS));
  assert.equal(timeline.getView().scrubMs, nowMs);
  timeline.pointer.leave();
  assert.equal(timeline.getView().scrubMs, undefined);
  assert.deepEqual(asked, []);
});
