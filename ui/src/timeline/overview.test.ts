import assert from 'node:assert/strict';
import { test } from 'node:test';
import { I18n } from '../i18n/i18n.ts';
import { en } from '../i18n/en/all.ts';
import { settle, TestClock } from '../playback/test-clock.ts';
import { overviewKey } from './overview-keys.ts';
import { dayText, overviewLabelText, windowText } from './overview-text.ts';
import { Overview } from './overview.ts';
import { RangesLoader } from './ranges-loader.ts';
import { Timeline } from './timeline.ts';
import { Zone } from './zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const nowMs = Date.UTC(2026, 10, 21, 12);
/** Thirty days at forty pixels a day. */
const WIDTH_PX = 1200;
const zone = new Zone('Europe/Moscow');

/**
 * Thirty days: a third of the first is recorded, one in the middle not at all, today half of the time elapsed.
 */
async function setUp() {
  const clock = new TestClock(nowMs);
  const asked: (number | 'live')[] = [];
  const loader = new RangesLoader({
    clock,
    pieceMs: 3 * HOUR_MS,
    call: () => new Promise(() => {}),
    eventsCall: () => new Promise(() => {}),
    onError: (error) => assert.fail(String(error)),
  });
  const timeline = new Timeline({
    clock,
    loader,
    onSeek: (ms) => asked.push(ms),
    onLive: () => asked.push('live'),
  });
  const overview = new Overview({ clock, timeline, zone });
  overview.subscribe(() => {});
  overview.resize(WIDTH_PX);
  const days = Array.from({ length: 30 }, (_, index) => zone.dayOf(nowMs - (29 - index) * DAY_MS));
  const shares = days.map((_, index) => (index === 0 ? 0.333 : index === 29 ? 0.5 : 1));
  overview.setRecorded({ days: days.toSpliced(14, 1), shares: shares.toSpliced(14, 1) });
  await settle(10);
  const middleMs = () => timeline.getView().scale.startMs + timeline.getView().scale.spanMs / 2;
  return { clock, timeline, overview, asked, middleMs, first: days[0] ?? '' };
}

test('a click on the overview plays from there, one after the present goes live', async () => {
  const { overview, asked, timeline } = await setUp();
  overview.press(101);
  overview.release(101);
  overview.press(WIDTH_PX - 2);
  overview.release(WIDTH_PX - 2);
  const { startMs } = overview.getView().depth;
  assert.deepEqual(asked, [startMs + (101 / WIDTH_PX) * 30 * DAY_MS, 'live']);
  assert.ok(timeline.getView().scale.contains(asked[0] as number), 'and brings it into view');
});

test('dragging the window pans the timeline under the pointer and plays nothing', async () => {
  const { overview, asked, middleMs } = await setUp();
  const fromPx = overview.getView().scale.toPx(middleMs());
  const beforeMs = middleMs();
  overview.press(fromPx + 5);
  overview.move(fromPx - 35);
  assert.ok(overview.getView().isDragging);
  assert.ok(Math.abs(middleMs() - (beforeMs - DAY_MS)) < 1, 'it stays where it was taken hold of');
  overview.move(-500);
  assert.equal(middleMs(), overview.getView().depth.startMs, 'no further than the archive');
  overview.release(-500);
  assert.deepEqual(asked, []);
  overview.press(600);
  overview.move(640);
  assert.ok(
    Math.abs(middleMs() - overview.getView().scale.toMs(640)) < 1,
    'from elsewhere it comes to the pointer',
  );
  overview.leave();
});

test('keys move the window by days and weeks, to the ends, and Enter plays there', async () => {
  const { overview, asked, middleMs, first } = await setUp();
  const at = middleMs();
  assert.ok(overviewKey(overview, 'ArrowLeft'));
  assert.equal(middleMs(), at - DAY_MS);
  overviewKey(overview, 'PageDown');
  assert.equal(middleMs(), at - 8 * DAY_MS);
  overviewKey(overview, 'PageUp');
  overviewKey(overview, 'ArrowRight');
  assert.equal(middleMs(), at);
  overviewKey(overview, 'Home');
  assert.equal(zone.dayOf(middleMs()), first);
  overviewKey(overview, 'Enter');
  assert.deepEqual(asked, [middleMs()]);
  overviewKey(overview, 'End');
  assert.equal(middleMs(), nowMs);
  assert.ok(!overviewKey(overview, 'q') && !overviewKey(overview, 'toString'));
});

test('a day by keys is as long as that day: the time of day stays the same when clocks change', async () => {
  const berlin = new Zone('Europe/Berlin');
  const { timeline, clock } = await setUp();
  const overview = new Overview({ clock, timeline, zone: berlin });
  overview.subscribe(() => {});
  overview.setRecorded({ days: ['2026-10-01'], shares: [1] });
  timeline.lookAt(berlin.fromLocal(2026, 10, 26, 9, 30));
  overview.turn(-1);
  const { startMs, spanMs } = timeline.getView().scale;
  assert.equal(startMs + spanMs / 2, berlin.fromLocal(2026, 10, 25, 9, 30));
});

test('it shows the share of a day, never 100 % with a gap and never zero with a recording', async () => {
  const { overview, timeline } = await setUp();
  const i18n = new I18n('en', en, zone.name);
  const view = overview.getView();
  const words = (ms: number) => dayText(overview.getView(), ms, i18n, zone);
  assert.equal(words(view.depth.startMs), '23 Oct 2026: 33.3% recorded');
  assert.equal(words(view.depth.startMs + 14 * DAY_MS), '6 Nov 2026: nothing recorded');
  overview.setRecorded({ days: ['2026-11-20', '2026-11-21'], shares: [0.9999, 0.0001] });
  assert.equal(words(nowMs - DAY_MS), '20 Nov 2026: 99.9% recorded');
  assert.equal(words(nowMs), '21 Nov 2026: 0.1% recorded');
  timeline.lookAt(nowMs - DAY_MS);
  assert.match(
    windowText(overview.getView(), i18n, zone),
    /^20 Nov 2026: 99\.9% recorded\. The timeline shows 20 Nov 03:30:00 to 02:30:00$/,
  );
  const labelOf = overviewLabelText(i18n, zone);
  const ms = zone.fromLocal(2026, 1, 1);
  assert.deepEqual(
    (['day', 'month', 'year'] as const).map((unit) => labelOf({ ms, px: 0, unit })),
    ['1 Jan', 'Jan', '2026'],
  );
});

test('a new day appears at midnight, whether or not the server has sent anything', async () => {
  const { overview, clock, timeline } = await setUp();
  const before = overview.getView().depth.endMs;
  clock.advance(before - nowMs + 1);
  timeline.lookAt(nowMs);
  assert.equal(overview.getView().depth.endMs, before + DAY_MS);
});
