import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { h264Track } from '../codec/avcc.ts';
import { aacTrack, buildAacConfig } from '../codec/aac.ts';
import { MalformedError } from '../malformed.ts';
import type { Sample } from '../sample.ts';
import { fragment } from './fragment.ts';
import { keyFragment } from './key-fragment.ts';
import { parseFragmentHeader } from './read-moof.ts';
import { shownFrames } from './shown-frames.ts';

const video = h264Track(
  1,
  [Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex')],
  [Uint8Array.of(0x68, 0xeb)],
);
const audio = aacTrack(2, buildAacConfig(48_000, 2));
const START = 1_795_000_000 * 90_000;
const STEP = 3600;

/** A fragment of ten frames in the order I P B P B ..., with audio. */
function gop(isKey = true, startDts = START) {
  const offsets = [1, 2, 0, 2, 0, 2, 0, 2, 0, 1];
  const frames = offsets.map((offset, index): Sample => {
    const data = Uint8Array.from({ length: index === 0 ? 500 : 40 }, () => index + 1);
    const dts = startDts + index * STEP;
    return {
      trackId: 1,
      dts,
      pts: dts + offset * STEP,
      isKey: index === 0 && isKey,
      isDamaged: false,
      data: [data],
      size: data.length,
    };
  });
  const audioSample: Sample = {
    trackId: 2,
    dts: 0,
    pts: 0,
    isKey: true,
    isDamaged: false,
    data: [Uint8Array.of(9)],
    size: 1,
  };
  const { slices } = fragment({
    sequence: 7,
    tracks: [
      { track: video, samples: frames, endDts: startDts + 10 * STEP },
      { track: audio, samples: [audioSample], endDts: 1024 },
    ],
  });
  return new Uint8Array(Buffer.concat(slices));
}

test('the first frame alone lasts as long as the whole fragment, and needs only the first bytes of it', () => {
  const whole = gop();
  fc.assert(
    fc.property(fc.integer({ min: 0, max: whole.length }), (length) => {
      let read = keyFragment(whole.subarray(0, length), 1);
      for (let more = 0; read.type === 'needs' && more < 4; more++) {
        assert.ok(read.bytes <= whole.length);
        read = keyFragment(whole.subarray(0, read.bytes), 1);
      }
      assert.ok(read.type === 'whole');
      const header = parseFragmentHeader(
        read.bytes.subarray(0, new DataView(read.bytes.buffer).getUint32(0)),
      );
      const [track] = header.tracks;
      assert.deepEqual([header.tracks.length, track?.trackId, track?.samples.length], [1, 1, 1]);
      assert.deepEqual([track?.baseDts, track?.endDts], [START, START + 10 * STEP]);
      assert.deepEqual([read.startPts, read.endPts], [START + STEP, START + 11 * STEP]);
      assert.deepEqual([...read.bytes.subarray(track?.dataOffset)], Array<number>(500).fill(1));
    }),
  );
});

test('a fragment that does not begin with a key frame of the track yields none', () => {
  assert.deepEqual(keyFragment(gop(false), 1), { type: 'none' });
  assert.deepEqual(keyFragment(gop(), 5), { type: 'none' });
});

test('bytes that are not a fragment are malformed', () => {
  assert.throws(
    () => keyFragment(Buffer.from('0000001066747970000000000000000000', 'hex'), 1),
    MalformedError,
  );
});

test('frames are listed in presentation order, each until the next one, across several fragments', () => {
  const bytes = Buffer.concat([gop(), gop(true, START + 10 * STEP)]);
  const frames = shownFrames(bytes, 1);
  assert.deepEqual(
    frames.map(({ startPts }) => (startPts - START) / STEP),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  for (const { startPts, endPts } of frames) assert.equal(endPts - startPts, STEP);
  assert.deepEqual(shownFrames(bytes, 4), []);
  assert.throws(() => shownFrames(bytes.subarray(0, 60), 1), MalformedError);
});
