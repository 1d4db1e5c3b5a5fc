import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FootageSlice, SliceSegment } from './footage-slice.ts';
import { encodeEntry } from './fragment-index.ts';
import { gapsOf, intervalsOf, rangesOf } from './intervals.ts';
import { JoinedReads, type NodeFootage } from './joined-reads.ts';

const second = 90_000;
const gop = { durationTicks: second, bytes: 1_000, startsWithKey: true };
const init = Buffer.from('init').toString('base64');

/** One segment of GOPs of a second each. */
function segment(fromSeconds: number, toSeconds: number, lead = 0): SliceSegment {
  const count = toSeconds - fromSeconds;
  const entries = Buffer.concat(Array.from({ length: count }, () => encodeEntry(gop)));
  return {
    startTicks: fromSeconds * second + lead,
    endTicks: toSeconds * second + lead,
    bytes: 4 + count * gop.bytes,
    initId: 1,
    isOpen: false,
    entries: entries.toString('base64'),
  };
}

function slice(segments: SliceSegment[], more: Partial<FootageSlice> = {}): FootageSlice {
  return {
    segmentCount: segments.length,
    removedUntilTicks: 0,
    isLive: false,
    newestEndTicks: segments.at(-1)?.endTicks ?? 0,
    segments,
    inits: { 1: init },
    interruptions: [],
    isCut: false,
    ...more,
  };
}

function node(
  name: string,
  found: FootageSlice | undefined,
  fromSeconds: number,
  toSeconds: number,
): NodeFootage {
  return {
    node: name,
    slice: found,
    tenures: [{ startTicks: fromSeconds * second, endTicks: toSeconds * second }],
  };
}

function timeline(parts: NodeFootage[], endSeconds: number) {
  const reads = new JoinedReads('uid', parts);
  const stream = reads.stream();
  assert.ok(stream);
  return intervalsOf(reads, stream, 0, endSeconds * 1_000, stream.isRecording);
}

test('[R10.8] what two nodes recorded at once is there once, from a key frame of the second on', () => {
  // The second node's clock is 40 ms ahead.
  const lead = second / 25;
  const reads = new JoinedReads('uid', [
    node('north', slice([segment(0, 10), segment(10, 15)]), 0, 14),
    node('south', slice([segment(12, 20, lead)]), 14, Infinity),
  ]);
  const found = reads.segments(0, 0, 100 * second, 100);
  assert.deepEqual(
    found.map((row) => [reads.placeOf(row).node, row.startTicks, row.endTicks]),
    [
      ['north', 0, 10 * second],
      ['north', 10 * second, 15 * second],
      ['south', 15 * second + lead, 20 * second + lead],
    ],
  );
  const last = found.at(-1);
  assert.ok(last);
  // Its file is called by where it began, and what is left of it lies behind what was left out.
  assert.equal(reads.placeOf(last).fileTicks, 12 * second + lead);
  assert.deepEqual(
    reads.fragments(last).map(({ startTicks, offset }) => [startTicks, offset]),
    [3, 4, 5, 6, 7].map((at) => [(12 + at) * second + lead, 4 + at * gop.bytes]),
  );
  assert.equal(new Set(found.map(({ initId }) => initId)).size, 1);
});

test('[R10.8] a moved stream has no gap, and what is live is live wherever it is recorded', () => {
  const moved = { atTicks: 15 * second, cause: 'moved' } as const;
  const intervals = timeline(
    [
      node('north', slice([segment(0, 15)], { interruptions: [moved] }), 0, 14),
      node('south', slice([segment(12, 20)], { isLive: true }), 14, Infinity),
    ],
    25,
  );
  assert.deepEqual(gapsOf(intervals), []);
  assert.deepEqual(rangesOf(intervals), [
    { date: 0, status: 'fragment' },
    { date: 20_000, status: 'live' },
  ]);
});

test('[R10.8] a node that is away is a gap with that cause, for as long as it was to record and no longer', () => {
  const waiting = { atTicks: 14 * second, cause: 'waiting' } as const;
  const intervals = timeline(
    [
      node('north', undefined, 5, 14),
      node('south', slice([segment(16, 20)], { interruptions: [waiting] }), 14, Infinity),
    ],
    20,
  );
  assert.deepEqual(gapsOf(intervals), [
    { startTime: 0, endTime: 5_000, cause: 'none' },
    { startTime: 5_000, endTime: 14_000, cause: 'node-away' },
    { startTime: 14_000, endTime: 16_000, cause: 'waiting' },
  ]);
});

test('[R10.8] why a node stopped that had the stream long ago is no cause of a gap of its successor', () => {
  const stopped = { atTicks: 300 * second, cause: 'server-stopped' } as const;
  const unreachable = { atTicks: 200 * second, cause: 'unreachable' } as const;
  const intervals = timeline(
    [
      node('north', slice([segment(0, 10)], { interruptions: [stopped] }), 0, 10),
      node('south', slice([segment(10, 200)], { interruptions: [unreachable] }), 10, Infinity),
    ],
    400,
  );
  assert.deepEqual(gapsOf(intervals), [{ startTime: 200_000, endTime: 400_000, cause: 'unreachable' }]);
});
