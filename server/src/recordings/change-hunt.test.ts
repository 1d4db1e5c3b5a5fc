import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeLine } from '@vidette/contract/archive-changes';
import { huntChanges, type HuntedFrames } from './change-hunt.ts';
import type { ComparedFrame } from './frame-change.ts';
import { momentsIn, recordedSpans, type RecordedSpan } from './recorded-spans.ts';

const gopMs = 2_000;
const hourMs = 3_600_000;

/** An archive of GOPs whose thumbnails are one number, which is the scene. */
function scene(spans: readonly RecordedSpan[], lookAt: (ms: number) => number | undefined) {
  const known = new Set<number>();
  const lines: ChangeLine[] = [];
  const at = (ms: number): ComparedFrame | undefined => {
    const span = spans.findLast(({ startMs }) => startMs <= ms);
    if (!span) return undefined;
    const timeMs = Math.floor(Math.min(ms, span.endMs - 1) / gopMs) * gopMs;
    known.add(timeMs);
    const look = lookAt(timeMs);
    return look === undefined ? undefined : { timeMs, thumbnail: new Uint8Array([look]) };
  };
  const frames: HuntedFrames = {
    at: (ms) => Promise.resolve(at(ms)),
    async *each(moments) {
      for (const ms of moments) yield await Promise.resolve(at(ms));
    },
    get count() {
      return known.size;
    },
  };
  const changeOf = ([one = 0]: Uint8Array, [other = 0]: Uint8Array) => Math.abs(one - other) / 100;
  const hunt = async () => {
    await huntChanges({ frames, spans, changeOf, framesMax: 800, tell: (line) => lines.push(line) });
    return lines.filter((line) => line.type === 'mark');
  };
  return { hunt, lines, frames };
}

const month = [
  { startMs: 0, endMs: 300 * hourMs },
  { startMs: 400 * hourMs, endMs: 720 * hourMs },
];

test('a change that lasts is found to the GOP in a month, though people pass and daylight wanders', async () => {
  const changeMs = 511 * hourMs + 24_000;
  const passes = (ms: number) => (ms / gopMs) % 97 < 4;
  const { hunt, lines, frames } = scene(month, (ms) =>
    passes(ms) ? 250 : (ms < changeMs ? 20 : 100) + Math.round(6 * Math.sin(ms / hourMs)),
  );
  const [first, ...others] = await hunt();
  assert.ok(first);
  assert.deepEqual([first.startTime, first.endTime], [changeMs - gopMs, changeMs]);
  assert.deepEqual([first.lasts, others.some(({ lasts }) => lasts)], [true, false]);
  assert.ok(frames.count < 400, `${frames.count} frames`);
  const progress = lines.filter((line) => line.type === 'progress');
  assert.ok(progress.every((line) => line.frames <= line.expected));
  // The steps cover the searched time once, when each replaces those that contain it.
  let steps: { startTime: number; endTime: number }[] = [];
  for (const line of lines) {
    if (line.type !== 'step') continue;
    steps = steps.filter((one) => one.startTime > line.startTime || one.endTime < line.endTime);
    steps.push(line);
  }
  steps.sort((a, b) => a.startTime - b.startTime);
  assert.ok(steps.every((step, index) => index === 0 || step.startTime >= (steps[index - 1]?.endTime ?? 0)));
});

for (const [side, gops] of [
  ['before', 40],
  ['after', -40],
] as const) {
  test(`a change is found to the GOP although the compared frame ${side} it has a person in it`, async () => {
    const passesMs = Math.floor((momentsIn(month, 240)[100] ?? 0) / gopMs) * gopMs;
    const changeMs = passesMs + gops * gopMs;
    const { hunt } = scene(month, (ms) => (ms === passesMs ? 250 : ms < changeMs ? 20 : 100));
    assert.deepEqual(
      (await hunt()).map(({ startTime, endTime, lasts }) => [startTime, endTime, lasts]),
      [[changeMs - gopMs, changeMs, true]],
    );
  });
}

test('a change that lasts comes first though the same person is in several frames of the overview in a row, at any time of day', async () => {
  const wrong: number[] = [];
  for (let place = 0; place < 30; place++) {
    const startMs = place * 1446 * gopMs;
    // Frames of the overview are 1048.5 GOPs apart, and people pass every 50.
    const week = [{ startMs, endMs: startMs + 139.2 * hourMs }];
    const passes = (ms: number) => (ms / gopMs) % 50 < 2;
    // No one hides it: between two who pass.
    const changeMs = Math.floor((startMs + 88 * hourMs) / (50 * gopMs)) * 50 * gopMs + 24 * gopMs;
    const { hunt, frames } = scene(week, (ms) => (passes(ms) ? 250 : ms < changeMs ? 20 : 100));
    const [first, second] = await hunt();
    const isRight = first?.startTime === changeMs - gopMs && first.endTime === changeMs && first.lasts;
    if (!isRight || second?.lasts) wrong.push(place);
    assert.ok(frames.count < 450, `${frames.count} frames`);
  }
  assert.deepEqual(wrong, []);
});

test('someone in the first and the last frame of the archive passes; a change beside them lasts', async () => {
  const span = [{ startMs: 0, endMs: 240 * hourMs }];
  const [first, second] = [gopMs, 240 * hourMs - 2 * gopMs];
  const marks = await scene(span, (ms) => (ms <= first || ms >= second ? 250 : 20)).hunt();
  assert.deepEqual(
    marks
      .map(({ startTime, lasts }) => [startTime, lasts])
      .toSorted(([a = 0], [b = 0]) => Number(a) - Number(b)),
    [
      [first, false],
      [second - gopMs, false],
    ],
  );
  const changeMs = 40 * gopMs;
  const [change] = await scene(span, (ms) => (ms < changeMs ? 20 : 100)).hunt();
  assert.deepEqual([change?.startTime, change?.lasts], [changeMs - gopMs, false]);
});

test('two changes in neighbouring parts of the overview are two', async () => {
  const moments = momentsIn(month, 240);
  const [first, second] = [99, 100].map((place) => Math.floor((moments[place] ?? 0) / gopMs + 40) * gopMs);
  const { hunt } = scene(month, (ms) => (ms < (first ?? 0) ? 20 : ms < (second ?? 0) ? 100 : 220));
  const ends = (await hunt()).map(({ endTime }) => endTime);
  assert.deepEqual(
    ends.toSorted((a, b) => a - b),
    [first, second],
  );
});

test('a change during a gap is between the frames around it; where nothing changes nothing is marked', async () => {
  const inGap = await scene(month, (ms) => (ms < 350 * hourMs ? 20 : 100)).hunt();
  assert.deepEqual(
    inGap.map(({ startTime, endTime }) => [startTime, endTime]),
    [[300 * hourMs - gopMs, 400 * hourMs]],
  );
  assert.deepEqual(await scene(month, (ms) => 20 + ((ms / gopMs) % 5)).hunt(), []);
});

test('frames that cannot be read are passed by, and a GOP is the least that is found', async () => {
  const changeMs = 600 * hourMs;
  const { hunt } = scene(month, (ms) => ((ms / gopMs) % 3 === 0 ? undefined : ms < changeMs ? 20 : 100));
  const [mark] = await hunt();
  assert.ok(mark && mark.startTime < changeMs && mark.endTime >= changeMs);
  assert.ok(mark.endTime - mark.startTime <= 3 * gopMs, `${mark.endTime - mark.startTime} ms`);
  const short = [{ startMs: 0, endMs: 4_000 }];
  assert.equal((await scene(short, (ms) => (ms < gopMs ? 0 : 100)).hunt()).length, 1);
  assert.deepEqual(await scene([{ startMs: 0, endMs: 1 }], () => 0).hunt(), []);
});

test('moments divide recorded time evenly and lie in it', () => {
  const spans = [
    { startMs: 0, endMs: 100 },
    { startMs: 900, endMs: 1000 },
  ];
  assert.deepEqual(momentsIn(spans, 5), [0, 50, 900, 950, 999]);
  assert.deepEqual(momentsIn(spans, 1), [900]);
  assert.deepEqual(momentsIn(spans, 1, 0.25), [50]);
  assert.deepEqual(momentsIn([], 3), []);
});

test('recorded spans of a year are read in parts that are joined', async () => {
  const asked: [number, number][] = [];
  const dayMs = 24 * hourMs;
  const archive = {
    coarseRanges: (_: string, startMs: number, endMs: number, resolution: number) => {
      asked.push([Math.round((endMs - startMs) / dayMs), resolution]);
      const gapMs = 45 * dayMs;
      const ranges =
        startMs < gapMs && gapMs < endMs
          ? ([
              { date: startMs, status: 'fragment' },
              { date: gapMs, status: 'gap' },
              { date: gapMs + dayMs, status: 'live' },
            ] as const)
          : ([{ date: startMs, status: 'fragment' }] as const);
      return Promise.resolve({ ranges: [...ranges], gaps: [], begunAt: null });
    },
  };
  const spans = await recordedSpans(archive, 'gate', 0, 100 * dayMs, 3 * hourMs);
  assert.deepEqual(spans, [
    { startMs: 0, endMs: 45 * dayMs },
    { startMs: 46 * dayMs, endMs: 100 * dayMs },
  ]);
  assert.deepEqual(asked, [
    [30, 240],
    [30, 240],
    [30, 240],
    [10, 80],
  ]);
});
