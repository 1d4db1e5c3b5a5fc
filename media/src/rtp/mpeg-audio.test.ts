import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mpegAudioFrames } from '../codec/mpeg-audio.ts';
import { MpegAudioDepacketizer } from './mpeg-audio.ts';
import type { RtpPacket } from './packet.ts';

/** MPEG-1 layer III, 64 kbit/s, 44.1 kHz: 208 bytes, 209 with padding. */
const frame = (fill: number, isPadded = false) => {
  const bytes = new Uint8Array(isPadded ? 209 : 208).fill(fill);
  bytes.set([0xff, 0xfb, 0x50 | (isPadded ? 2 : 0), 0xc0]);
  return bytes;
};

function packet(payload: Uint8Array, offset: number, timestamp: number): RtpPacket {
  const bytes = Uint8Array.from([0, 0, offset >> 8, offset & 255, ...payload]);
  return { bytes, payloadStart: 0, payloadEnd: bytes.length, timestamp } as RtpPacket;
}

function heard(
  packets: readonly RtpPacket[],
): [length: number, fill: number | undefined, timestamp: number][] {
  const frames: [number, number | undefined, number][] = [];
  const reader = new MpegAudioDepacketizer((bytes, timestamp) =>
    frames.push([bytes.length, bytes.at(-1), timestamp]),
  );
  for (const one of packets) reader.push(one);
  return frames;
}

test('frames of all layers have the lengths defined by the standard', () => {
  const lengths = (...head: number[]) => {
    const bytes = new Uint8Array(6000);
    bytes.set(head);
    return mpegAudioFrames(bytes).map(({ start, end, samples, sampleRate }) => [
      end - start,
      samples,
      sampleRate,
    ])[0];
  };
  assert.deepEqual(lengths(0xff, 0xfb, 0x90, 0), [417, 1152, 44100]);
  assert.deepEqual(lengths(0xff, 0xfd, 0xa4, 0), [576, 1152, 48000]);
  assert.deepEqual(lengths(0xff, 0xff, 0xc4, 0), [384, 384, 48000]);
  assert.deepEqual(lengths(0xff, 0xf3, 0x84, 0), [192, 576, 24000]);
  assert.equal(lengths(0xff, 0xfb, 0xf0, 0), undefined);
  assert.equal(lengths(0xff, 0xeb, 0x90, 0), undefined);
});

test('[R10.1] several frames in a packet get times of their own, and split ones are joined', () => {
  const both = Uint8Array.from([...frame(1), ...frame(2, true)]);
  assert.deepEqual(heard([packet(both, 0, 0xffff_ffff)]), [
    [208, 1, 0xffff_ffff],
    [209, 2, 2350],
  ]);
  const whole = frame(3);
  assert.deepEqual(
    heard([
      packet(whole.subarray(0, 100), 0, 7),
      packet(whole.subarray(100), 100, 7),
      packet(frame(4), 0, 9),
    ]),
    [
      [208, 3, 7],
      [208, 4, 9],
    ],
  );
  assert.deepEqual(heard([packet(whole.subarray(100), 100, 7), packet(frame(4), 0, 9)]), [[208, 4, 9]]);
});

test('no input makes it throw or grow', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.uint8Array({ maxLength: 1500 }), fc.nat(0xffff))), (packets) => {
      const frames = heard(packets.map(([bytes, offset]) => packet(bytes, offset, 0)));
      assert.ok(frames.every(([length]) => length <= 4096));
    }),
  );
});
