import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RtpPacket } from './packet.ts';
import { parseRtcp } from './rtcp.ts';
import { SequenceTracker } from './sequence.ts';

const anyBytes = fc.uint8Array({ maxLength: 80 });

test('header extension, contributing sources and padding are not part of the payload', () => {
  const packet = new RtpPacket();
  const bytes = [
    0xb1, 0xe0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9, 9, 9, 9, 0xbe, 0xde, 0, 1, 1, 1, 1, 1, 42, 43, 0, 2,
  ];
  assert.ok(packet.read(Uint8Array.from(bytes)));
  assert.deepEqual([packet.payloadStart, packet.payloadEnd], [24, 26]);
  assert.ok(packet.isMarker && packet.payloadType === 96 && packet.timestamp === 2);
});

test('any bytes are an RTP packet within its bounds, or none', () => {
  const packet = new RtpPacket();
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      if (packet.read(bytes))
        assert.ok(
          packet.payloadStart >= 12 &&
            packet.payloadStart <= packet.payloadEnd &&
            packet.payloadEnd <= bytes.length,
        );
    }),
  );
});

test('[R10.1] a sender report maps the RTP clock to the wall clock', () => {
  const bytes = new Uint8Array(36);
  const view = new DataView(bytes.buffer);
  bytes.set([0x80, 200, 0, 6]);
  view.setUint32(4, 77);
  view.setUint32(8, 2_208_988_800 + 1_700_000_000);
  view.setUint32(12, 2 ** 31);
  view.setUint32(16, 4_000_000_000);
  bytes.set([0x81, 203, 0, 1], 28);
  const { report, isGoodbye } = parseRtcp(bytes);
  assert.deepEqual(report, { ssrc: 77, ntpMs: 1_700_000_000_500, rtpTimestamp: 4_000_000_000 });
  assert.ok(isGoodbye);
  // NTP's seconds wrap in 2036.
  view.setUint32(8, 10);
  assert.equal(new Date(parseRtcp(bytes).report?.ntpMs ?? 0).getUTCFullYear(), 2036);
});

test('any bytes are RTCP or nothing', () => {
  fc.assert(fc.property(anyBytes, (bytes) => void parseRtcp(bytes)));
});

test('[R10.1] sequence gaps are counted across the wrap; late and duplicate packets are dropped', () => {
  const tracker = new SequenceTracker();
  const found = [65534, 65535, 0, 3, 3, 2, 4, 30_000, 5, 6].map((number) => tracker.next(number));
  assert.deepEqual(found, [0, 0, 0, 2, -1, -1, 0, 29_995, 1, 0]);
  assert.equal(tracker.late, 2);
});
