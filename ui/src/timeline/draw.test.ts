import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawTimeline, inView, TIMELINE_HEIGHT_PX } from './draw.ts';
import type { TimelineChanges } from './changes.ts';
import type { TimelineEvent } from './events.ts';
import type { Interval } from './intervals.ts';
import { TimeScale } from './time-scale.ts';
import { Zone } from './zone.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 10, 20);
const zone = new Zone('Europe/Berlin');
const CHARACTER_PX = 7;

interface Drawn {
  readonly text: string;
  readonly fromPx: number;
  readonly toPx: number;
  readonly basePx: number;
}

/** A canvas that records the texts drawn and the colours of the filled rectangles. */
function recorder() {
  const texts: Drawn[] = [];
  const fills: { colour: string; px: number; widthPx: number }[] = [];
  const tops: number[] = [];
  const quiet = () => {};
  const context = {
    fillStyle: '',
    strokeStyle: '',
    lineWidth: 1,
    globalAlpha: 1,
    font: '',
    textBaseline: '',
    setTransform: quiet,
    clearRect: quiet,
    save: quiet,
    restore: quiet,
    beginPath: quiet,
    rect: quiet,
    clip: quiet,
    moveTo: quiet,
    lineTo: quiet,
    stroke: quiet,
    roundRect: quiet,
    fill: quiet,
    fillRect(px: number, topPx: number, widthPx: number) {
      fills.push({ colour: this.fillStyle, px, widthPx });
      tops.push(topPx);
    },
    createLinearGradient: () => ({ addColorStop: quiet }),
    measureText: (text: string) => ({ width: text.length * CHARACTER_PX }),
    fillText(text: string, fromPx: number, basePx: number) {
      texts.push({ text, fromPx, toPx: fromPx + text.length * CHARACTER_PX, basePx });
    },
  };
  return { context: context as unknown as CanvasRenderingContext2D, texts, fills, tops };
}

function draw(
  scale: TimeScale,
  intervals: readonly Interval[],
  playheadMs: number,
  hoverMs: number,
  events: readonly TimelineEvent[] = [],
  changes?: TimelineChanges,
) {
  const recorded = recorder();
  drawTimeline(recorded.context, {
    view: {
      scale,
      intervals,
      events,
      nowMs: scale.endMs,
      playheadMs,
      hoverMs,
      isDragging: false,
      scrubMs: undefined,
      gaps: [],
      begunMs: undefined,
      bookmarks: [],
      holds: [],
      changes,
      selection: undefined,
    },
    heightPx: TIMELINE_HEIGHT_PX,
    density: 1,
    palette: {
      floor: 'floor',
      line: 'line',
      text: 'text',
      quiet: 'quiet',
      recorded: 'recorded',
      recordedEdge: 'edge',
      hatch: 'hatch',
      events: {
        motion: 'event',
        person: 'person',
        vehicle: 'vehicle',
        animal: 'animal',
        other: 'other',
      },
      eventEdge: 'eventEdge',
      bookmark: 'bookmark',
      changes: 'changes',
      live: 'live',
      liveFaded: 'faded',
      playhead: 'playhead',
      onPlayhead: 'onPlayhead',
    },
    words: { label: () => '12:00', day: () => '21 November', moment: () => '21 Nov 12:00:00' },
    zone,
    font: '12px sans-serif',
  });
  return recorded;
}

test('[R9.4] texts never overlap and are never cut off, wherever playhead and pointer are', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 400 * 24 }),
      fc.integer({ min: 200_000, max: 36 * HOUR_MS }),
      fc.integer({ min: 320, max: 3840 }),
      share,
      share,
      (hours, spanMs, widthPx, playhead, hover) => {
        const scale = new TimeScale(START_MS + hours * HOUR_MS, spanMs, widthPx);
        const at = (part: number) => scale.startMs + part * spanMs;
        const { texts } = draw(scale, [], at(playhead), at(hover));
        assert.ok(texts.length >= 2);
        for (const [index, one] of texts.entries()) {
          assert.ok(one.fromPx >= 0 && one.toPx <= widthPx, `${one.text} at ${one.fromPx}`);
          for (const other of texts.slice(index + 1)) {
            const isApart =
              one.basePx !== other.basePx || one.toPx <= other.fromPx || other.toPx <= one.fromPx;
            assert.ok(isApart, `${one.text} and ${other.text}`);
          }
        }
      },
    ),
  );
});

test('a very short recording is still a pixel wide, and nothing out of view is drawn', () => {
  const scale = new TimeScale(START_MS, 20 * HOUR_MS, 1000);
  const intervals: Interval[] = [
    { startMs: START_MS - HOUR_MS, endMs: START_MS - 1, kind: 'fragment' },
    { startMs: START_MS + HOUR_MS, endMs: START_MS + HOUR_MS + 2000, kind: 'fragment' },
    { startMs: START_MS + 21 * HOUR_MS, endMs: START_MS + 22 * HOUR_MS, kind: 'fragment' },
  ];
  const { fills } = draw(scale, intervals, START_MS, START_MS);
  const recorded = fills.filter(({ colour }) => colour === 'recorded');
  assert.deepEqual(recorded, [{ colour: 'recorded', px: 50, widthPx: 1 }]);
});

test('the present has the colour of live video only where video arrives', () => {
  const scale = new TimeScale(START_MS, HOUR_MS, 1000);
  const coloursOf = (kind: Interval['kind']) => {
    const interval = { kind, startMs: START_MS, endMs: scale.endMs - 60_000 };
    const { fills } = draw(scale, [interval], START_MS, START_MS);
    return new Set(fills.map(({ colour }) => colour));
  };
  assert.ok(coloursOf('live').has('live'));
  assert.ok(!coloursOf('gap').has('live'));
  assert.ok(!coloursOf('fragment').has('live'));
});

test('the glow behind the present covers no gap, and stays visible however short the recording is', () => {
  const scale = new TimeScale(START_MS, HOUR_MS, 1000);
  const glowOf = (recordedMs: number) => {
    const sinceMs = scale.endMs - recordedMs;
    const { fills } = draw(
      scale,
      [
        { kind: 'gap', startMs: START_MS, endMs: sinceMs },
        { kind: 'fragment', startMs: sinceMs, endMs: sinceMs + recordedMs / 2 },
        { kind: 'live', startMs: sinceMs + recordedMs / 2, endMs: scale.endMs },
      ],
      START_MS,
      START_MS,
    );
    return fills.find(({ colour }) => typeof colour === 'object')?.widthPx;
  };
  assert.equal(Math.round(glowOf(54_000) ?? 0), 15);
  assert.equal(glowOf(1_000), 2);
  assert.equal(glowOf(HOUR_MS / 2), 28);
});

test('[R10.7] events have their own marks, over recordings and gaps, only in view', () => {
  const scale = new TimeScale(START_MS, 10 * HOUR_MS, 1000);
  const at = (hours: number, minutes: number): TimelineEvent => ({
    id: hours,
    kind: 'motion',
    startMs: START_MS + hours * HOUR_MS,
    endMs: START_MS + hours * HOUR_MS + minutes * 60_000,
  });
  const { fills } = draw(scale, [], START_MS, START_MS, [at(-2, 5), at(1, 0), at(5, 60), at(11, 5)]);
  assert.deepEqual(
    fills.filter(({ colour }) => colour === 'event').map(({ px, widthPx }) => [px, widthPx]),
    [
      [100, 3],
      [500, 100],
    ],
  );
});

test('[R10.7] marks differ by kind in colour, and those of detectors have a lane of their own', () => {
  const scale = new TimeScale(START_MS, 10 * HOUR_MS, 1000);
  const at = (id: number, kind: string): TimelineEvent => ({
    id,
    kind,
    startMs: START_MS + id * HOUR_MS,
    endMs: START_MS + (id + 1) * HOUR_MS,
  });
  const kinds = ['motion', 'person', 'car', 'dog', 'beam-3', 'constructor'];
  const { fills, tops } = draw(
    scale,
    [],
    START_MS,
    START_MS,
    kinds.map((kind, id) => at(id, kind)),
  );
  const marks = fills.flatMap(({ widthPx, colour, px }, index) =>
    widthPx === 100 || widthPx === 200 ? [[colour, px, tops[index]]] : [],
  );
  assert.deepEqual(marks, [
    ['event', 0, 48],
    ['other', 400, 40],
    ['animal', 300, 40],
    ['vehicle', 200, 40],
    ['person', 100, 40],
  ]);
});

test('of a year of recordings only the visible ones are iterated', () => {
  const intervals = Array.from({ length: 100_000 }, (_, index): Interval => ({
    startMs: START_MS + index * 300_000,
    endMs: START_MS + index * 300_000 + 299_000,
    kind: 'fragment',
  }));
  const seen = inView(intervals, new TimeScale(START_MS + 50_000 * 300_000, HOUR_MS, 1000));
  assert.deepEqual([seen.length, seen[0]?.startMs], [12, START_MS + 50_000 * 300_000]);
});

test('a curve of changes is as wide as its steps, and what changed nothing is not drawn', () => {
  const scale = new TimeScale(START_MS, 1000 * HOUR_MS, 1000);
  const step = (fromHours: number, toHours: number, change: number) => ({
    startTime: START_MS + fromHours * HOUR_MS,
    endTime: START_MS + toHours * HOUR_MS,
    change,
  });
  const steps = [step(-20, -10, 1), step(0, 100, 0), step(100, 300, 0.5), step(300, 300.1, 1)];
  const { fills } = draw(scale, [], 0, 0, [], { steps, marks: [step(300, 300.1, 1), step(2000, 2001, 1)] });
  assert.deepEqual(
    fills.filter(({ colour }) => colour === 'changes').map(({ px, widthPx }) => [px, widthPx]),
    [
      [100, 200],
      [300, 1],
      [299, 2],
    ],
  );
});
