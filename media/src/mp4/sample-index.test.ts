import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clipBytes } from '../../fixtures/clip.ts';
import { requireBox } from '../fmp4/box.ts';
import { MalformedError } from '../malformed.ts';
import { movieOfIndex } from './sample-index.ts';

/** The box in the stsd of a file. */
function entryOf(name: string): Uint8Array {
  const path = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'];
  return path.reduce(requireBox, clipBytes(name)).subarray(8);
}

const entry = entryOf('h264-no-b.mp4');
/** The example in the documentation of the format. */
const example = Buffer.from('29d00f' + '0214' + '080a' + '0205' + '0164', 'hex');
const exampleBytes = 1000 + 10 + 15 + 12 + 1050;

function samplesOf(hex: string, bytes: number, durationTicks = 0) {
  const index = { entry, samples: Buffer.from(hex, 'hex'), durationTicks };
  return movieOfIndex(index, bytes).tracks[0]?.samples ?? [];
}

test('[R16.3] an index gives durations, lengths and key frames as differences', () => {
  const movie = movieOfIndex({ entry, samples: example, durationTicks: 0 }, exampleBytes);
  const [found] = movie.tracks;
  assert.deepEqual([found?.track.codec, found?.track.timescale], ['h264', 90_000]);
  assert.deepEqual(
    found?.samples.map(({ dts, duration, isKey, position, size }) => [dts, duration, isKey, position, size]),
    [
      [0, 10, true, 0, 1000],
      [10, 9, false, 1000, 10],
      [19, 11, false, 1010, 15],
      [30, 10, false, 1025, 12],
      [40, 10, true, 1037, 1050],
    ],
  );
  const [hevc] = movieOfIndex(
    { entry: entryOf('h265-no-b.mp4'), samples: example, durationTicks: 0 },
    exampleBytes,
  ).tracks;
  assert.equal(hevc?.track.codec, 'h265');
});

test('[R16.3] the recorder’s clock says how long samples last, unless it is far from theirs', () => {
  // 3000 frames of 30 ticks.
  const hex = `79020002${'0000'.repeat(2998)}`;
  const lengthOf = (durationTicks: number) => {
    const samples = samplesOf(hex, 3000, durationTicks);
    return samples.reduce((end, { dts, duration }) => {
      assert.equal(dts, end);
      return dts + duration;
    }, 0);
  };
  assert.deepEqual(
    [0, 90_000, 90_045, 89_955, 45_000, 180_000].map(lengthOf),
    [90_000, 90_000, 90_045, 89_955, 90_000, 90_000],
  );
});

test('[R16.3] a damaged index is refused', () => {
  for (const [hex, bytes, what] of [
    ['', 0, /no samples/],
    [example.toString('hex'), exampleBytes - 1, /length is not that/],
    [example.toString('hex'), exampleBytes + 1, /length is not that/],
    ['29d0', 1000, /damaged/],
    ['29', 1000, /damaged/],
    ['ffffffffff', 1000, /damaged/],
    ['ffffffff7f00', 1000, /damaged/],
    ['29d00f0201', 1000, /no length/],
    ['01d00f0214', 1010, /no length/],
    ['29d00f060002', 1001, /no length/],
  ] as const)
    assert.throws(
      () => samplesOf(hex, bytes),
      (error) => error instanceof MalformedError && what.test(error.message),
      hex,
    );
  // How long the last sample is shown is not known.
  assert.equal(samplesOf('29d00f260a', 1005).at(-1)?.duration, 0);
  const two = Buffer.concat([entry, entry]);
  for (const bad of [entry.subarray(0, 60), two, new Uint8Array(0), entryOf('opus.mp4')])
    assert.throws(
      () => movieOfIndex({ entry: bad, samples: example, durationTicks: 0 }, exampleBytes),
      MalformedError,
    );
});

test('[R16.3] no index makes the parser fail with another error, or find more than is there', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.nat(5000),
      fc.nat(2 ** 31),
      (samples, bytes, durationTicks) => {
        try {
          const [found] = movieOfIndex({ entry, samples, durationTicks }, bytes).tracks;
          let position = 0;
          for (const sample of found?.samples ?? []) {
            assert.equal(sample.position, position);
            assert.ok(sample.size > 0 && sample.duration >= 0);
            position += sample.size;
          }
          assert.equal(position, bytes);
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error;
        }
      },
    ),
  );
});
