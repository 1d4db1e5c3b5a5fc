import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameReader, frameMaxBytes } from '../base/frame-reader.ts';
import { decodeMessage, encodeMessage, type FromChild, type ToChild } from './protocol.ts';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const job = fc.nat(1_000_000);
const ticks = fc.double({ noNaN: true, noDefaultInfinity: true });
const plain = { noNullPrototype: true } as const;
const messages: fc.Arbitrary<ToChild | FromChild> = fc.oneof(
  fc.record({ type: fc.constant('close' as const), job }, plain),
  fc.constant({ type: 'ping' as const, job: 0 as const }),
  fc.record({ type: fc.constant('data' as const), job, ptsTicks: ticks, bytes }, plain),
  fc.record({ type: fc.constant('note' as const), job, message: fc.string({ maxLength: 50 }) }, plain),
  fc.record({ type: fc.constant('snapshot' as const), job, bytes }, plain),
  fc.record(
    {
      type: fc.constant('sample' as const),
      job,
      trackId: fc.nat(255),
      isKey: fc.boolean(),
      isDamaged: fc.boolean(),
      dts: ticks,
      pts: ticks,
      bytes,
    },
    plain,
  ),
);

test('messages survive the pipe however it splits them', () => {
  fc.assert(
    fc.property(
      fc.array(messages, { maxLength: 10 }),
      fc.array(fc.integer({ min: 1, max: 40 })),
      (sent, cuts) => {
        const stream = Buffer.concat(sent.map(encodeMessage));
        const received: (ToChild | FromChild)[] = [];
        const reader = new FrameReader((frame) => received.push(decodeMessage(frame)));
        let at = 0;
        for (const cut of cuts) {
          reader.push(stream.subarray(at, at + cut));
          at += cut;
        }
        if (at < stream.length) reader.push(stream.subarray(at));
        assert.deepEqual(received, sent);
      },
    ),
  );
});

test('tracks keep their parameters', () => {
  const track = {
    id: 2,
    kind: 'audio',
    codec: 'aac',
    timescale: 8000,
    codecString: 'mp4a.40.2',
    sampleRate: 8000,
    channels: 1,
    config: Uint8Array.of(0x15, 0x88),
  } as const;
  const message = { type: 'tracks', job: 3, tracks: [track], clock: 'source' } as const;
  let received: unknown;
  new FrameReader((frame) => (received = decodeMessage(frame))).push(encodeMessage(message));
  assert.deepEqual(received, message);
});

test('invalid data is rejected without allocating its claimed length', () => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(frameMaxBytes + 1);
  assert.throws(() => new FrameReader(() => {}).push(length), RangeError);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
      try {
        decodeMessage(Buffer.from(noise));
      } catch (error) {
        assert.ok(error instanceof RangeError || error instanceof TypeError);
      }
    }),
  );
});
