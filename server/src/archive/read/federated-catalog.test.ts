import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogSlice, SliceSegment } from './catalog-slice.ts';
import { encodeEntry } from '../segments/segments.ts';
import { gapsOf, intervalsOf, rangesOf } from './intervals.ts';
import { FederatedCatalog, type NodeCatalog } from './federated-catalog.ts';

const second = 90_000;
const gop = { durationTicks: second, bytes: 1_000, startsWithKey: true };
const init = Buffer.from('init').toString('base64');

/** One segment of one-second GOPs. */
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

function slice(segments: SliceSegment[], more: Partial<CatalogSlice> = {}): CatalogSlice {
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
  found: CatalogSlice | undefined,
  fromSeconds: number,
  toSeconds: number,
): NodeCatalog {
  return {
    node: name,
    slice: found,
    assignments: [{ startTicks: fromSeconds * second, endTicks: toSeconds * second }],
  };
}

function timeline(parts: NodeCatalog[], endSeconds: number) {
  const reads = new FederatedCatalog('uid', parts);
  const stream = reads.stream();
  assert.ok(stream);
  return intervalsOf(reads, stream, 0, endSeconds * 1_000, stream.isRecording);
}

test('[R10.8] footage that two nodes recorded simultaneously appears once, and switches at a key frame of the second', () => {
  // The second node's clock is 40 ms ahead.
  const lead = second / 25;
  const reads = new FederatedCatalog('uid', [
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
  // Its file is named after its original start, and the part that is kept follows the part that was dropped.
  assert.equal(reads.placeOf(last).fileTicks, 12 * second + lead);
  assert.deepEqual(
    reads.fragments(last).map(({ startTicks, offset }) => [startTicks, offset]),
    [3, 4, 5, 6, 7].map((at) => [(12 + at) * second + lead, 4 + at * gop.bytes]),
  );
  assert.equal(new Set(found.map(({ initId }) => initId)).size, 1);
});

test('[R10.8] a moved stream has no gap, and its live edge is live wherever it is recorded', () => {
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

test('[R10.8] an offline node is a gap with that cause, for exactly the time it was assigned to record', () => {
  const waiting = { atTicks: 14 * second, cause: 'waiting' } as const;
  const intervals = timeline(
    [
      node('north', undefined, 5, 14),
      node('south', slice([segment(16, 20)], { interruptions: [waiting] }), 14, Infinity),
    ],
    20,
  );
  assert.deepEqual(gapsOf(intervals), [
    { startTime: 5_000, endTime: 14_000, cause: 'node-away' },
    { startTime: 14_000, endTime: 16_000, cause: 'waiting' },
  ]);
});

test('[R10.8] the reason why a node stopped recording the stream long ago is not the cause of a gap of its successor', () => {
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

/**
 * GOPs of one camera as one node recorded them, by number, each with a distinct length; the last may be
 * truncated.
 */
interface RecordedTake {
  readonly from: number;
  readonly to: number;
  /** By how much the node's clock is ahead, ticks. */
  readonly aheadTicks: number;
  /** The part of the last GOP that was recorded. */
  readonly lastShare?: number;
}

const bytesOf = (gopNumber: number) => 10_000 + ((gopNumber * 7_919) % 5_000);

function segmentOfTake(
  { from, to, aheadTicks, lastShare = 1 }: RecordedTake,
  gopTicks: number,
): SliceSegment {
  const shares = Array.from({ length: to - from }, (_, index) => (index === to - from - 1 ? lastShare : 1));
  const lengths = shares.map((share, index) => ({
    durationTicks: Math.round(gopTicks * share),
    bytes: Math.round(bytesOf(from + index) * share),
    startsWithKey: true,
  }));
  return {
    startTicks: from * gopTicks + aheadTicks,
    endTicks: lengths.reduce((at, { durationTicks }) => at + durationTicks, from * gopTicks + aheadTicks),
    bytes: 4 + lengths.reduce((sum, { bytes }) => sum + bytes, 0),
    initId: 1,
    isOpen: false,
    entries: Buffer.concat(lengths.map(encodeEntry)).toString('base64'),
  };
}

/** The numbers of the GOPs that are played, in order, and the ranges that the timeline shows as recorded. */
function played(takes: readonly RecordedTake[], gopTicks: number) {
  const reads = new FederatedCatalog(
    'uid',
    takes.map((take, index) => node(`n${index}`, slice([segmentOfTake(take, gopTicks)]), 0, 1_000)),
  );
  const fragments = reads
    .segments(0, 0, 1e12, 1_000)
    .flatMap((row) =>
      reads.fragments(row).map((fragment) => ({ ...fragment, node: reads.placeOf(row).node })),
    );
  const numbers = fragments.map(({ startTicks, node: name }) => {
    const ahead = takes[Number(name.slice(1))]?.aheadTicks ?? 0;
    return (startTicks - ahead) / gopTicks;
  });
  const stream = reads.stream();
  assert.ok(stream);
  return { fragments, numbers, intervals: intervalsOf(reads, stream, 0, 200_000, false) };
}

test('[R10.8, R3.10] after a handover every frame on the disks is played, however far apart the clocks of the nodes are', () => {
  for (const gopSeconds of [0.5, 1, 2, 4]) {
    for (const aheadMs of [0, 40, -40, 130, -130, 300, -300, 700, -700, 1_300, -1_300]) {
      for (const overlapGops of [1, 2, 3, 6]) {
        for (const lastShare of [1, 0.4]) {
          const gopTicks = gopSeconds * second;
          const name = JSON.stringify({ gopSeconds, aheadMs, overlapGops, lastShare });
          // An overlap shorter than the clock difference looks like a gap: the two cases can't be
          // distinguished.
          const overlapMs = (overlapGops - 1 + lastShare) * gopSeconds * 1_000;
          if (overlapMs <= Math.abs(aheadMs) + 1) continue;
          const first = { from: 10, to: 20, aheadTicks: 0, lastShare };
          const next = { from: 20 - overlapGops, to: 30, aheadTicks: aheadMs * 90 };
          const { numbers, intervals } = played([first, next], gopTicks);
          const all = Array.from({ length: 20 }, (_, index) => 10 + index);
          assert.deepEqual([...new Set(numbers)], all, name);
          // Once, if the GOPs that both have prove that they show the same frames, and the timeline has no gap.
          if (overlapGops > 1 && aheadMs <= 250) assert.deepEqual(numbers, all, name);
          const twice = numbers.length - all.length;
          assert.ok(twice <= 1 + Math.abs(aheadMs) / (gopSeconds * 1_000), `${name}: ${twice} twice`);
          const startMs = gopSeconds * 10_000;
          assert.deepEqual(
            gapsOf(intervals).filter(
              ({ startTime, endTime }) => startTime >= startMs && endTime < startMs * 2.5,
            ),
            [],
            name,
          );
        }
      }
    }
  }
});

test('[R10.8] nothing is left out of a camera that starts with a key frame for each client either', () => {
  // All GOPs have the same length, and the key frames of the second node are between those of the first.
  for (const lead of [0.2, 0.3, 0.5, 0.7, 0.9]) {
    const reads = new FederatedCatalog('uid', [
      node('north', slice([segment(0, 15)]), 0, 14),
      node('south', slice([segment(12, 20, Math.round(lead * second))]), 14, Infinity),
    ]);
    const stream = reads.stream();
    assert.ok(stream);
    assert.deepEqual(gapsOf(intervalsOf(reads, stream, 0, 20_000, false)), []);
    const fragments = reads.segments(0, 0, 1e12, 100).flatMap((row) => reads.fragments(row));
    let reachTicks = 0;
    for (const { startTicks, durationTicks } of fragments) {
      assert.ok(startTicks <= reachTicks, `a gap of ${startTicks - reachTicks} at ${startTicks}`);
      reachTicks = startTicks + durationTicks;
    }
    // The cut is in the middle of a GOP, which is complete.
    assert.ok(fragments.length <= 21);
  }
});

test('[R10.8] a stream that returns to its first node, and one that three nodes recorded briefly, appears once', () => {
  const takes = [
    { from: 0, to: 12, aheadTicks: 0, lastShare: 0.5 },
    { from: 10, to: 22, aheadTicks: 200 * 90, lastShare: 0.7 },
    { from: 20, to: 40, aheadTicks: -150 * 90 },
  ];
  assert.deepEqual(
    played(takes, second).numbers,
    Array.from({ length: 40 }, (_, index) => index),
  );
});

test('[R10.8] footage that the next node lost meanwhile is played from the first', () => {
  // It started, lost the camera before the first one stopped, and returned later.
  const gopTicks = second;
  const reads = new FederatedCatalog('uid', [
    node('north', slice([segmentOfTake({ from: 0, to: 20, aheadTicks: 0 }, gopTicks)]), 0, 1_000),
    node(
      'south',
      slice([
        segmentOfTake({ from: 12, to: 14, aheadTicks: 0 }, gopTicks),
        segmentOfTake({ from: 18, to: 30, aheadTicks: 0 }, gopTicks),
      ]),
      0,
      1_000,
    ),
  ]);
  const starts = reads
    .segments(0, 0, 1e12, 100)
    .flatMap((row) => reads.fragments(row).map(({ startTicks }) => startTicks / gopTicks));
  assert.deepEqual(
    starts,
    Array.from({ length: 30 }, (_, index) => index),
  );
});

test('[R16.3] recordings of another program fill only the time for which a node has nothing, in whole GOPs', () => {
  const other = slice([segment(0, 10), segment(10, 20), segment(20, 30), segment(40, 50)]);
  const reads = new FederatedCatalog('cam', [
    node('here', slice([segment(14, 22, second / 2), segment(42, 45)]), 0, 100),
    { node: 'other', slice: other, assignments: [], yields: true },
  ]);
  const found = reads.segments(0, 0, 100 * second, 100).map((row) => {
    const fragments = reads.fragments(row);
    const last = fragments.at(-1);
    assert.equal(fragments[0]?.startTicks, row.startTicks);
    assert.equal((last?.startTicks ?? 0) + (last?.durationTicks ?? 0), row.endTicks);
    return [reads.placeOf(row).node, row.startTicks / second, row.endTicks / second];
  });
  assert.deepEqual(found, [
    ['other', 0, 10],
    ['other', 10, 14],
    ['here', 14.5, 22.5],
    ['other', 23, 30],
    ['other', 40, 42],
    ['here', 42, 45],
    ['other', 45, 50],
  ]);
});

test('[R16.3] recordings of another program that two nodes have imported are shown once', () => {
  const [here, there] = [
    slice([segment(0, 10), segment(10, 20)]),
    slice([segment(0, 10), segment(10, 20), segment(20, 30)]),
  ];
  const reads = new FederatedCatalog('cam', [
    node('here', slice([segment(4, 6)]), 0, 100),
    { node: 'imported here', slice: here, assignments: [], yields: true },
    { node: 'imported there', slice: there, assignments: [], yields: true },
  ]);
  const found = reads
    .segments(0, 0, 100 * second, 100)
    .map((row) => [reads.placeOf(row).node, row.startTicks / second, row.endTicks / second]);
  assert.deepEqual(found, [
    ['imported here', 0, 4],
    ['here', 4, 6],
    ['imported here', 6, 10],
    ['imported here', 10, 20],
    ['imported there', 20, 30],
  ]);
});
