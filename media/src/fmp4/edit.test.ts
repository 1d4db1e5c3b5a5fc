import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readClip, shifted } from '../../fixtures/clip.ts';
import { aacTrack, buildAacConfig } from '../codec/aac.ts';
import { MalformedError } from '../malformed.ts';
import type { Sample } from '../sample.ts';
import { msToTicks } from '../time.ts';
import { fragment } from './fragment.ts';
import { parseFragmentHeader } from './read-moof.ts';
import { rebaseFragment } from './rebase.ts';
import type { EditedFragment } from './fragment-layout.ts';
import { samplesShownBefore, subsetFragment } from './subset.ts';

const EPOCH_SECONDS = 1_700_000_000;
const clip = shifted(readClip('h264-b-pyramid.mp4'), EPOCH_SECONDS);
const gop = clip.samples.slice(0, 25);
const gopEndDts = clip.samples[25]?.dts ?? 0;
const audio = aacTrack(2, buildAacConfig(44100, 1));
const audioSamples = Array.from({ length: 43 }, (_, index): Sample => {
  const dts = msToTicks(EPOCH_SECONDS * 1000, 44100) + index * 1024;
  const data = [Uint8Array.of(index, 1, 2)];
  return { trackId: 2, dts, pts: dts, isKey: true, isDamaged: false, data, size: 3 };
});
const audioEndDts = (audioSamples.at(-1)?.dts ?? 0) + 1024;

const original = Buffer.concat(
  fragment({
    sequence: 9,
    tracks: [
      { track: clip.track, samples: gop, endDts: gopEndDts },
      { track: audio, samples: audioSamples, endDts: audioEndDts },
    ],
  }).slices,
);
const header = parseFragmentHeader(original);
const [videoFrames, frames] = header.tracks;
if (videoFrames === undefined || frames === undefined) throw new Error('two tracks were written');

function bytesOf({ pieces, size }: EditedFragment): Uint8Array {
  const bytes = Buffer.concat(
    pieces.map((piece) =>
      piece instanceof Uint8Array ? piece : original.subarray(piece.offset, piece.offset + piece.size),
    ),
  );
  assert.equal(bytes.length, size);
  return bytes;
}

test('a rebased fragment differs only in its times and its sequence number', () => {
  const moof = original.subarray(0, header.moofSize);
  fc.assert(
    fc.property(
      fc.integer({ min: -videoFrames.baseDts, max: 2 ** 40 }),
      fc.nat(0xffffffff),
      (shift, sequence) => {
        const options = { sequence, timeOffsetTicks: new Map([[1, shift]]) };
        const copy = bytesOf(rebaseFragment(moof, original.length, options));
        assert.equal(copy.length, original.length);
        assert.deepEqual(copy.subarray(moof.length), original.subarray(moof.length));
        const rebased = parseFragmentHeader(copy);
        assert.equal(rebased.sequence, sequence);
        assert.deepEqual(rebased.tracks[0], {
          ...videoFrames,
          baseDts: videoFrames.baseDts + shift,
          endDts: videoFrames.endDts + shift,
        });
        assert.deepEqual(rebased.tracks[1], frames);
      },
    ),
  );
  assert.deepEqual(parseFragmentHeader(original), header, 'the original is unchanged');
  assert.throws(
    () =>
      rebaseFragment(moof, original.length, {
        sequence: 1,
        timeOffsetTicks: new Map([[1, -videoFrames.baseDts - 1]]),
      }),
    RangeError,
  );
  assert.throws(() => {
    const mdat = original.subarray(header.moofSize);
    rebaseFragment(mdat, mdat.length, { sequence: 1, timeOffsetTicks: new Map() });
  }, MalformedError);
});

test('a subset contains the chosen samples, byte for byte, at their times', () => {
  const span = (count: number) => fc.tuple(fc.nat(count), fc.nat(count)).map(([from, to]) => ({ from, to }));
  fc.assert(
    fc.property(
      span(25),
      span(43),
      fc.integer({ min: -1e9, max: 1e9 }),
      (keepVideoFrames, keepFrames, shift) => {
        const subset = subsetFragment(header, {
          sequence: 3,
          timeOffsetTicks: new Map([[1, shift]]),
          keep: new Map([
            [1, keepVideoFrames],
            [2, keepFrames],
          ]),
        });
        const chosen = [
          gop.slice(keepVideoFrames.from, keepVideoFrames.to),
          audioSamples.slice(keepFrames.from, keepFrames.to),
        ];
        if (chosen.every((samples) => samples.length === 0)) {
          assert.equal(subset, undefined);
          return;
        }
        assert.ok(subset);
        const bytes = bytesOf(subset);
        const read = parseFragmentHeader(bytes);
        assert.equal(read.sequence, 3);
        for (const track of read.tracks) {
          const samples = chosen[track.trackId - 1] ?? [];
          assert.equal(track.baseDts, (samples[0]?.dts ?? 0) + (track.trackId === 1 ? shift : 0));
          assert.equal(track.samples.length, samples.length);
          const size = samples.reduce((sum, sample) => sum + sample.size, 0);
          assert.deepEqual(
            bytes.subarray(track.dataOffset, track.dataOffset + size),
            Buffer.concat(samples.flatMap((sample) => sample.data)),
          );
        }
      },
    ),
  );
});

test('the kept samples show everything before the end, and as little after it as reordering allows', () => {
  const ticks = fc.integer({ min: videoFrames.baseDts - 1000, max: videoFrames.endDts + 3000 });
  fc.assert(
    fc.property(ticks, (endTicks) => {
      const count = samplesShownBefore(videoFrames, endTicks);
      const shown = gop.filter((sample) => sample.pts < endTicks);
      assert.ok(shown.every((sample) => gop.indexOf(sample) < count));
      assert.ok(count === 0 || (gop[count - 1]?.pts ?? 0) < endTicks);
    }),
  );
});
