import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readClip } from '../../fixtures/clip.ts';
import { aacTrack, buildAacConfig } from '../codec/aac.ts';
import { h264Track } from '../codec/avcc.ts';
import { buildDops, opusTrack } from '../codec/opus.ts';
import type { Sample } from '../sample.ts';
import type { Track } from '../track.ts';
import { findBox, requireBox } from './box.ts';
import { fragment } from './fragment.ts';
import { initSegment } from './init.ts';
import { parseInit } from './read-init.ts';
import { parseFragmentHeader } from './read-moof.ts';

const CLIPS = [
  'h264-b-pyramid.mp4',
  'h264-no-b.mp4',
  'h265-b-pyramid.mp4',
  'h265-no-b.mp4',
  'aac.mp4',
  'opus.mp4',
];

/**
 * Any series of samples of a track: sizes and times as a camera may send them, with absolute times of today.
 */
function sampleSeries(track: Track): fc.Arbitrary<{ samples: Sample[]; endDts: number }> {
  const row = fc.record({
    duration: fc.integer({ min: 1, max: 90000 * 60 }),
    reorder: fc.integer({ min: track.kind === 'audio' ? 0 : -9000, max: track.kind === 'audio' ? 0 : 90000 }),
    isKey: track.kind === 'audio' ? fc.constant(true) : fc.boolean(),
    isDamaged: fc.boolean(),
    data: fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  });
  return fc
    .tuple(fc.integer({ min: 0, max: 2 ** 50 }), fc.array(row, { minLength: 1, maxLength: 12 }))
    .map(([start, rows]) => {
      let dts = start;
      const samples = rows.map(({ duration, reorder, isKey, isDamaged, data }): Sample => {
        const size = data.reduce((sum, slice) => sum + slice.length, 0);
        const sample = { trackId: track.id, dts, pts: dts + reorder, isKey, isDamaged, data, size };
        dts += duration;
        return sample;
      });
      return { samples, endDts: dts };
    });
}

const video: Track = { ...readClip('h264-no-b.mp4').track, id: 1, timescale: 90000 };
const audio: Track = aacTrack(2, buildAacConfig(44100, 2));

test('a fragment describes its samples correctly, whatever they are', () => {
  fc.assert(
    fc.property(
      sampleSeries(video),
      fc.option(sampleSeries(audio), { nil: undefined }),
      fc.nat(0xffffffff),
      (videoFrames, frames, sequence) => {
        const inputs = [
          { track: video, ...videoFrames },
          ...(frames ? [{ track: audio, ...frames }] : [{ track: audio, samples: [], endDts: 0 }]),
        ];
        const built = fragment({ sequence, tracks: inputs });
        const bytes = Buffer.concat(built.slices);
        assert.equal(bytes.length, built.size);
        const header = parseFragmentHeader(bytes);
        assert.equal(header.sequence, sequence);
        assert.equal(header.tracks.length, frames ? 2 : 1);
        header.tracks.forEach((track, index) => {
          const input = inputs[index];
          assert.ok(input);
          assert.equal(track.trackId, input.track.id);
          assert.equal(track.endDts, input.endDts);
          let dts = track.baseDts;
          let offset = track.dataOffset;
          track.samples.forEach((found, at) => {
            const sample = input.samples[at];
            assert.ok(sample);
            assert.equal(dts, sample.dts);
            assert.equal(dts + found.compositionOffset, sample.pts);
            assert.equal(found.isKey, sample.isKey);
            assert.equal(found.isDamaged, sample.isDamaged);
            assert.deepEqual(bytes.subarray(offset, offset + found.size), Buffer.concat(sample.data));
            dts += found.duration;
            offset += found.size;
          });
          assert.equal(track.samples.length, input.samples.length);
        });
      },
    ),
  );
});

test('a fragment passes on the same slices as its samples', () => {
  const { track, samples, endDts } = readClip('h264-no-b.mp4');
  const built = fragment({ sequence: 1, tracks: [{ track, samples, endDts }] });
  assert.deepEqual(
    built.slices.slice(1).map((slice) => slice.buffer === samples[0]?.data[0]?.buffer),
    samples.map(() => true),
  );
});

test('times that do not increase, and values that do not fit their field, are rejected', () => {
  const sample: Sample = {
    trackId: 1,
    dts: 1000,
    pts: 1000,
    isKey: true,
    isDamaged: false,
    data: [new Uint8Array(1)],
    size: 1,
  };
  const build = (samples: Sample[], endDts: number) => () =>
    fragment({ sequence: 1, tracks: [{ track: video, samples, endDts }] });
  assert.throws(build([sample], 1000), RangeError);
  assert.throws(build([sample, { ...sample, dts: 999 }], 2000), RangeError);
  assert.throws(build([sample], 1000 + 2 ** 32), RangeError);
  assert.throws(build([{ ...sample, pts: 2 ** 40 }], 2000), RangeError);
  assert.throws(build([{ ...sample, size: 2 ** 32 }], 2000), RangeError);
  assert.throws(build([{ ...sample, dts: -1 }], 2000), RangeError);
});

for (const name of CLIPS) {
  test(`tracks are read back from the init segment: ${name}`, () => {
    const { track } = readClip(name);
    const tracks = [track, { ...opusTrack(7, buildDops(2, 44100)) }, aacTrack(9, buildAacConfig(96000, 6))];
    const bytes = initSegment(tracks);
    assert.deepEqual(parseInit(bytes), tracks);
  });
}

test('a pixel aspect ratio is written for samples that are not square only', () => {
  // 720x576 with 16:15 by x264, and any picture parameter set.
  const sps = Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex');
  const wide = h264Track(1, [sps], [Uint8Array.of(0x68, 0xeb)]);
  const entry = (bytes: Uint8Array): Uint8Array => {
    const mdia = requireBox(requireBox(requireBox(bytes, 'moov'), 'trak'), 'mdia');
    const stsd = requireBox(requireBox(requireBox(mdia, 'minf'), 'stbl'), 'stsd');
    return requireBox(stsd.subarray(8), 'avc1').subarray(78);
  };
  assert.equal(findBox(entry(initSegment([video])), 'pasp'), undefined);
  assert.deepEqual(requireBox(entry(initSegment([wide])), 'pasp'), Uint8Array.of(0, 0, 0, 16, 0, 0, 0, 15));
  const tkhd = requireBox(requireBox(requireBox(initSegment([wide]), 'moov'), 'trak'), 'tkhd');
  // Displayed 768 pixels wide, 16.16 fixed point, the last field but one.
  assert.deepEqual(tkhd.subarray(-8), Uint8Array.of(3, 0, 0, 0, 2, 64, 0, 0));
});

test('a duration known in advance is written, an unknown one is omitted', () => {
  const mehd = (bytes: Uint8Array): Uint8Array | undefined =>
    findBox(requireBox(requireBox(bytes, 'moov'), 'mvex'), 'mehd')?.body;
  assert.equal(mehd(initSegment([video])), undefined);
  // Version 1, 3 600 040 ms.
  assert.deepEqual(
    mehd(initSegment([video], { durationMs: 3_600_040 })),
    Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0x36, 0xee, 0xa8),
  );
});
