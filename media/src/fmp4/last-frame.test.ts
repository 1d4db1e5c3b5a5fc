import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h264Track } from '../codec/avcc.ts';
import { MalformedError } from '../malformed.ts';
import { fragment } from './fragment.ts';
import { lastFrame, setDuration } from './last-frame.ts';
import { parseFragmentHeader } from './read-moof.ts';

const track = h264Track(
  2,
  [Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex')],
  [Uint8Array.of(0x68, 0xeb)],
);

/** A fragment of two tracks inside a larger buffer; the second has frames that are reordered, if so wanted. */
function fragmentOf(frames: number, isReordered: boolean): Uint8Array {
  const sample = (trackId: number, at: number) => {
    const dts = 1_000_000_000_000 + at * 3_600;
    const pts = dts + (isReordered ? 7_200 : 0);
    return { trackId, dts, pts, isKey: at === 0, isDamaged: false, data: [Uint8Array.of(at)], size: 1 };
  };
  const samples = Array.from({ length: frames }, (_, at) => sample(2, at));
  const first = { track: { ...track, id: 1 }, samples: [sample(1, 0)], endDts: sample(1, 1).dts };
  const second = { track, samples, endDts: sample(2, frames - 1).dts + 22_500 };
  const { slices, size } = fragment({ sequence: 1, tracks: [first, second] });
  const bytes = new Uint8Array(size + 10).subarray(5, 5 + size);
  bytes.set(Buffer.concat(slices));
  return bytes;
}

test('the duration of the last frame, and only that, is read and replaced', () => {
  for (const isReordered of [false, true]) {
    for (const frames of [1, 5]) {
      const bytes = fragmentOf(frames, isReordered);
      const before = parseFragmentHeader(bytes.slice(0, new DataView(bytes.buffer, 5).getUint32(0))).tracks;
      const last = lastFrame(bytes, 2);
      assert.ok(last);
      assert.equal(last.duration, 22_500);
      assert.equal(last.firstDts, 1_000_000_000_000);
      assert.equal(last.dts, 1_000_000_000_000 + (frames - 1) * 3_600);
      setDuration(bytes, last, 3_600);
      const after = parseFragmentHeader(bytes.slice(0, new DataView(bytes.buffer, 5).getUint32(0))).tracks;
      assert.deepEqual(after[0], before[0]);
      assert.deepEqual(
        after[1]?.samples,
        before[1]?.samples.map((sample, at) => ({
          ...sample,
          duration: at === frames - 1 ? 3_600 : sample.duration,
        })),
      );
      assert.equal(lastFrame(bytes, 2)?.duration, 3_600);
    }
  }
});

test('a fragment without the track has no last frame, and what is no fragment is an error', () => {
  assert.equal(lastFrame(fragmentOf(1, false), 3), undefined);
  assert.throws(() => lastFrame(new Uint8Array(20), 1), MalformedError);
  assert.throws(() => lastFrame(fragmentOf(1, false).subarray(0, 60), 2), MalformedError);
});
