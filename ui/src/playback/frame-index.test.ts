import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h264Track } from '@vidette/media/codec/avcc';
import { fragment } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import { FrameIndex } from './frame-index.ts';

const track = h264Track(
  1,
  [Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex')],
  [Uint8Array.of(0x68, 0xeb)],
);
const START_S = 1_795_000_000;
const START_MS = START_S * 1000;

/** One second of frames from a given second on, at the given frame rate. */
function second(fromS: number, rate = 25): Uint8Array {
  const startDts = (START_S + fromS) * 90_000;
  const samples = Array.from({ length: rate }, (_, index) => {
    const dts = startDts + Math.round((index * 90_000) / rate);
    const data = [Uint8Array.of(index)];
    return { trackId: 1, dts, pts: dts, isKey: index === 0, isDamaged: false, data, size: 1 };
  });
  const { slices } = fragment({ sequence: 1, tracks: [{ track, samples, endDts: startDts + 90_000 }] });
  return new Uint8Array(Buffer.concat(slices));
}

function indexOf(...fragments: Uint8Array[]): FrameIndex {
  const index = new FrameIndex();
  index.add(initSegment([track]));
  for (const bytes of fragments) index.add(bytes);
  return index;
}

test('stepping goes from frame to frame, over fragments and over a gap', () => {
  const index = indexOf(second(0), second(1), second(60, 10));
  const startOf = (ms: number, direction: 1 | -1) =>
    (index.neighbour(START_MS + ms, direction)?.startMs ?? 0) - START_MS;
  assert.equal(startOf(0, 1), 40);
  assert.equal(startOf(39, 1), 40);
  assert.equal(startOf(40, 1), 80);
  assert.equal(startOf(1000, -1), 960);
  assert.equal(startOf(1970, 1), 60_000);
  assert.equal(startOf(60_000, -1), 1960);
  assert.equal(startOf(60_000, 1), 60_100);
  assert.equal(index.neighbour(START_MS, -1), undefined);
  assert.equal(index.neighbour(START_MS + 60_950, 1), undefined);
});

test('fragments may come in any order and twice; the rate is the one around the moment', () => {
  const index = indexOf(second(60, 10), second(1), second(0), second(1));
  assert.equal(index.neighbour(START_MS + 990, 1)?.startMs, START_MS + 1000);
  assert.ok(Math.abs((index.rateAt(START_MS + 1_900) ?? 0) - 25) < 1e-6);
  assert.equal(indexOf().rateAt(START_MS), undefined);
});

test('removed frames are forgotten, and data that is not media is ignored', () => {
  const index = indexOf(second(0), second(1));
  index.remove(START_MS, START_MS + 1000);
  assert.equal(index.at(START_MS + 500), undefined);
  assert.equal(index.at(START_MS + 1500)?.startMs, START_MS + 1480);
  index.add(new TextEncoder().encode('no media at all'));
  index.clear();
  assert.equal(index.at(START_MS + 1500), undefined);
});
