import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nalsOf, readClip } from '../../fixtures/clip.ts';
import { MalformedError } from '../malformed.ts';
import { avcCodecString, buildAvcC, h264Track, parseAvcC } from './avcc.ts';
import { isH264FirstSlice, isH264Key } from './h264.ts';
import { parseH264Sps } from './h264-sps.ts';
import { isH265Key } from './h265.ts';
import { parseH265Sps } from './h265-sps.ts';
import { buildHvcC, hevcCodecString, parseHvcC } from './hvcc.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** Made by x264; the expected values are those that ffprobe reports for the same stream. */
const H264_SETS = [
  {
    title: '1080 lines through cropping',
    sps: '67640028acd940780227e5c044000003000400000300f03c60c658',
    expected: {
      profileIdc: 100,
      levelIdc: 40,
      width: 1920,
      height: 1080,
      frameSeconds: 1 / 30,
      maxNumReorderFrames: 2,
    },
  },
  {
    title: 'interlaced, not square',
    sps: '6764001eacd940b424dff8008000788000000300800000190f8a14cb',
    expected: {
      width: 720,
      height: 576,
      frameMbsOnly: false,
      sar: { horizontal: 16, vertical: 15 },
      frameSeconds: 0.04,
    },
  },
  {
    title: 'High 4:2:2, ten bits, odd cropping',
    sps: '677a000db6cd9415087888fc0440000003004000000c83c50a6580',
    expected: { profileIdc: 122, chromaFormatIdc: 2, bitDepthLuma: 10, width: 322, height: 242 },
  },
  {
    title: 'High 4:4:4 with scaling lists and a buffer model',
    sps: '67f4000c919b28588f1f3e022000000300200000064c08001e848003d09498600f142996',
    expected: { profileIdc: 244, chromaFormatIdc: 3, width: 162, height: 122, maxNumReorderFrames: 2 },
  },
  {
    title: 'Constrained Baseline, without reordering',
    sps: '6742c016d900a03db0110000030001000003001e0f162e48',
    expected: {
      profileIdc: 66,
      constraintFlags: 0xc0,
      width: 640,
      height: 480,
      picOrderCntType: 2,
      maxNumReorderFrames: 0,
    },
  },
] as const;

for (const { title, sps, expected } of H264_SETS) {
  test(`H.264 parameter set: ${title}`, () => {
    const parsed = parseH264Sps(hex(sps));
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(parsed[key as keyof typeof parsed], value, key);
    }
  });
}

test('H.265 parameter sets: 1080 lines, and ten bits with layers, lists and a buffer model', () => {
  const hd = parseH265Sps(
    hex('420101016000000300900000030000030078a003c08010e596566924caf0168080000003008000000f04'),
  );
  assert.equal(hd.width, 1920);
  assert.equal(hd.height, 1080);
  assert.equal(hd.profile.levelIdc, 120);
  assert.equal(hd.maxNumReorderPictures, 2);
  assert.equal(hd.frameSeconds, 1 / 30);
  const ten = parseH265Sps(
    hex(
      '4201020408000003009d0800000300003f0000b00a480f9c93b659598acd249caf0e68080000030008000003019300a4c370007a12000f425c001e848003d091',
    ),
  );
  assert.equal(ten.maxSubLayers, 2);
  assert.equal(ten.width, 322);
  assert.equal(ten.height, 242);
  assert.equal(ten.chromaFormatIdc, 2);
  assert.equal(ten.bitDepthLuma, 10);
  assert.deepEqual(ten.sar, { horizontal: 4, vertical: 3 });
  assert.equal(ten.frameSeconds, 0.02);
});

test('avcC is identical to the one that another muxer wrote for the same parameter sets', () => {
  const { track } = readClip('h264-b-pyramid.mp4');
  const { sps, pps } = parseAvcC(track.config);
  assert.deepEqual(buildAvcC(sps, pps), track.config);
  assert.equal(avcCodecString(track.config), 'avc1.64000b');
  assert.deepEqual({ ...h264Track(1, sps, pps), timescale: track.timescale }, track);
});

test('hvcC has the same contents as the one that another muxer wrote for the same parameter sets', () => {
  const { track } = readClip('h265-b-pyramid.mp4');
  const { vps, sps, pps } = parseHvcC(track.config);
  const built = parseHvcC(buildHvcC(vps, sps, pps));
  assert.deepEqual(built, parseHvcC(track.config));
  // The codecs parameter of libx265's Main profile at level 1: compatible with profiles 1 and 2, progressive,
  // frames only.
  assert.equal(hevcCodecString(track.config), 'hvc1.1.6.L30.90');
});

test('the codecs parameter of H.265 includes profile space and tier, and drops trailing constraint bytes of zero', () => {
  const { sps, vps, pps } = parseHvcC(readClip('h265-no-b.mp4').track.config);
  const config = buildHvcC(vps, sps, pps);
  config[1] = (2 << 6) | 0x20 | 4;
  config.set([0x08, 0, 0, 0, 0x9d, 0x08, 0, 0, 0, 0, 153], 2);
  assert.equal(hevcCodecString(config), 'hvc1.B4.10.H153.9D.8');
});

test('key frames and first slices are distinguished from the rest', () => {
  const avc = readClip('h264-no-b.mp4');
  for (const sample of avc.samples) {
    const nals = nalsOf(sample);
    assert.equal(isH264Key(nals), sample.isKey);
    // The encoder split each picture into two slices.
    assert.equal(nals.filter(isH264FirstSlice).length, 1);
  }
  const hevc = readClip('h265-b-pyramid.mp4');
  for (const sample of hevc.samples) assert.equal(isH265Key(nalsOf(sample)), sample.isKey);
  // An IDR at the first GOP and a CRA at the second, open one.
  assert.equal(hevc.samples.filter(({ isKey }) => isKey).length, 2);
});

test('parsers of parameter sets and records throw nothing but MalformedError', () => {
  const seeds = [...H264_SETS.map(({ sps }) => hex(sps)), readClip('h265-b-pyramid.mp4').track.config];
  const damaged = fc
    .tuple(
      fc.constantFrom(...seeds),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
      fc.nat(200),
    )
    .map(([seed, edits, cut]) => {
      const bytes = Uint8Array.from(seed);
      for (const [at, value] of edits) bytes[at % bytes.length] = value;
      return bytes.subarray(0, Math.max(1, bytes.length - (cut % bytes.length)));
    });
  const parsers: ((bytes: Uint8Array) => unknown)[] = [
    parseH264Sps,
    parseH265Sps,
    parseAvcC,
    parseHvcC,
    avcCodecString,
    hevcCodecString,
    (bytes) => parseH264Sps(Uint8Array.from([0x67, ...bytes])),
    (bytes) => parseH265Sps(Uint8Array.from([0x42, 0x01, ...bytes])),
  ];
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 300 })), (bytes) => {
      for (const parse of parsers) {
        try {
          parse(bytes);
        } catch (error) {
          assert.ok(error instanceof MalformedError, String(error));
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('a record needs its parameter sets', () => {
  assert.throws(() => buildAvcC([], []), RangeError);
  assert.throws(() => buildHvcC([], [], []), RangeError);
  assert.throws(() => buildAvcC([Uint8Array.of(0x68)], [Uint8Array.of(0x68)]), MalformedError);
});
