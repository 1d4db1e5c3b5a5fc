import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEntry } from './journal.ts';
import { digestTargetMs, gapShownMs, planOf } from './digest-plan.ts';

const detail = { code: null, reason: null, subject: null, user: null, address: null, figures: {} };
const span = { fromMs: 0, toMs: 36_000_000, nowMs: 40_000_000 };
let ids = 0;

function entry(
  kind: JournalEntry['kind'],
  stream: string | null,
  startS: number,
  endS?: number,
): JournalEntry {
  return {
    id: ++ids,
    kind,
    stream,
    streamName: stream,
    detail,
    note: '',
    isReviewed: false,
    startTime: startS * 1000,
    endTime: endS === undefined ? null : endS * 1000,
    isOngoing: false,
  };
}

test('events of a camera with short pauses are one clip with a lead and a tail; other cameras have their own', () => {
  const { parts, speed, lengthMs } = planOf(
    [entry('motion', 'b', 101, 103), entry('motion', 'a', 105, 110), entry('motion', 'a', 100, 102)],
    span,
  );
  assert.deepEqual(
    parts.map(({ uid, fromMs, toMs, entries }) => [uid, fromMs, toMs, entries.length]),
    [
      ['a', 98_000, 112_000, 2],
      ['b', 99_000, 105_000, 1],
    ],
  );
  assert.deepEqual([speed, lengthMs], [1, 20_000]);
});

test('the speed is the lowest at which the digest takes two minutes', () => {
  const night = Array.from({ length: 10 }, (_, index) =>
    entry('motion', 'a', index * 1_000 + 10, index * 1_000 + 66),
  );
  const { speed, lengthMs, isCut } = planOf(night, span);
  assert.deepEqual([speed, isCut], [8, false]);
  assert.ok(lengthMs <= digestTargetMs && lengthMs > digestTargetMs / 2, `${lengthMs}`);
});

test('when no speed suffices, only the longest clips are cut', () => {
  const long = entry('motion', 'a', 100, 20_000);
  const short = entry('motion', 'b', 200, 210);
  const cut = planOf([long, short], span);
  assert.deepEqual([cut.isCut, cut.speed], [true, 16]);
  assert.ok(Math.abs(cut.lengthMs - digestTargetMs) < 1, `${cut.lengthMs}`);
  assert.equal(cut.parts[1]?.toMs, 212_000);
});

test('more clips than can be recognized in two minutes: each camera shows what was annotated, and motion of the whole time', () => {
  const tree = Array.from({ length: 900 }, (_, index) =>
    entry('motion', 'tree', index * 40 + 10, index * 40 + (index % 3 === 1 ? 30 : 20)),
  );
  const gate = Array.from({ length: 50 }, (_, index) => entry('motion', 'gate', index * 600 + 15));
  const person = [entry('annotation', 'tree', 29), entry('annotation', 'tree', 35_920)];
  const { parts, speed, lengthMs, isCut, leftOut } = planOf([...tree, ...gate, ...person], span);
  assert.ok(lengthMs < digestTargetMs + 1 && lengthMs > 0.9 * digestTargetMs, `${lengthMs}`);
  assert.deepEqual([parts.length, speed, isCut, leftOut], [240, 16, true, { clips: 711, gaps: 0 }]);
  const clipsOf = (uid: string) => parts.filter((part) => part.uid === uid);
  assert.equal(clipsOf('gate').length, 50);
  const shown = clipsOf('tree').flatMap(({ entries }) => entries);
  assert.equal(shown.filter(({ kind }) => kind === 'annotation').length, 2);
  const times = clipsOf('tree').map(({ fromMs }) => fromMs);
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.ok(Math.max(...pauses) < 400_000, 'no part of the time is passed over');
  assert.deepEqual(
    parts.map(({ fromMs }) => fromMs),
    parts.map(({ fromMs }) => fromMs).toSorted((a, b) => a - b),
  );
  const cameras = Array.from({ length: 300 }, (_, index) => entry('motion', `cam${index}`, index, 900));
  const many = planOf(cameras, span);
  assert.equal(new Set(many.parts.map(({ uid }) => uid)).size, 240);
  assert.ok(many.lengthMs < digestTargetMs + 1);
});

test('of many gaps the longest are said', () => {
  const gaps = Array.from({ length: 100 }, (_, index) =>
    entry('gap', 'a', index * 100, index * 100 + 10 + index / 10),
  );
  const only = planOf(gaps, span);
  assert.deepEqual(
    [only.parts.length, only.lengthMs, only.leftOut],
    [80, digestTargetMs, { clips: 0, gaps: 20 }],
  );
  assert.equal(only.parts[0]?.fromMs, 2_000_000);
  const busy = planOf([...gaps, entry('motion', 'b', 0, 20_000)], span);
  assert.deepEqual([busy.leftOut, busy.isCut], [{ clips: 0, gaps: 60 }, true]);
  assert.ok(Math.abs(busy.lengthMs - digestTargetMs) < 1, `${busy.lengthMs}`);
});

test('gaps are said; what belongs to no camera, or is outside the span, is left out', () => {
  const { parts, lengthMs } = planOf(
    [
      entry('gap', 'a', 50, 80),
      entry('gap', 'a', 40_000, 41_000),
      entry('motion', null, 60, 61),
      entry('sign-in-failed', null, 60),
      entry('stream-down', 'a', 50, 80),
    ],
    span,
  );
  assert.deepEqual(
    parts.map(({ type, fromMs, toMs }) => [type, fromMs, toMs]),
    [['gap', 50_000, 80_000]],
  );
  assert.equal(lengthMs, gapShownMs);
});

test('an event that is still going on ends with the span', () => {
  const open = { ...entry('motion', 'a', 100), isOngoing: true };
  const { parts } = planOf([open], { fromMs: 0, toMs: 160_000, nowMs: 170_000 });
  assert.deepEqual([parts[0]?.fromMs, parts[0]?.toMs], [98_000, 160_000]);
});

/** Type, camera, beginning and end in seconds, and number of entries of each part. */
function partsOf(entries: readonly JournalEntry[], nowS = 40_000): string[] {
  const { parts } = planOf(entries, { ...span, fromMs: 10_000_000, nowMs: nowS * 1000 });
  return parts.map(
    ({ type, uid, fromMs, toMs, entries: { length } }) =>
      `${type} ${uid} ${fromMs / 1000}-${toMs / 1000} of ${length}`,
  );
}

const ongoing = (kind: JournalEntry['kind'], stream: string, startS: number): JournalEntry => ({
  ...entry(kind, stream, startS),
  isOngoing: true,
});

test('a camera that is dark has a gap to the end of the span, or to now, whenever that began', () => {
  const dark = [ongoing('stream-down', 'a', 12_000), ongoing('recording-stopped', 'b', 200)];
  assert.deepEqual(partsOf(dark), ['gap b 10000-36000 of 1', 'gap a 12000-36000 of 1']);
  assert.deepEqual(partsOf(dark, 20_000), ['gap b 10000-20000 of 1', 'gap a 12000-20000 of 1']);
  assert.deepEqual(partsOf([entry('gap', 'a', 5_000, 12_000)]), ['gap a 10000-12000 of 1']);
});

test('what several entries say of one gap of a camera is said once', () => {
  assert.deepEqual(
    partsOf([
      entry('gap', 'a', 9_000, 20_000),
      entry('stream-down', 'a', 9_010, 19_990),
      ongoing('recording-stopped', 'a', 15_000),
      ongoing('stream-down', 'a', 30_000),
      entry('gap', 'b', 12_000, 13_000),
      ongoing('stream-down', 'b', 14_000),
    ]),
    ['gap a 10000-36000 of 4', 'gap b 12000-13000 of 1', 'gap b 14000-36000 of 1'],
  );
});

test('an outage of a camera that flaps is missing only since it last began; a short one is no gap', () => {
  const flapping = ongoing('stream-down', 'a', 12_000);
  const figures = { count: 9, lastStartTime: 30_000_000 };
  assert.deepEqual(partsOf([{ ...flapping, detail: { ...detail, figures } }]), ['gap a 30000-36000 of 1']);
  assert.deepEqual(partsOf([entry('stream-down', 'a', 12_000, 12_009), flapping], 12_005), []);
  // The rest of it is in the span.
  assert.deepEqual(partsOf([entry('stream-down', 'a', 9_000, 10_005)]), ['gap a 10000-10005 of 1']);
});
