import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BitWriter } from '../bits.ts';
import { LatmDepacketizer, parseStreamMuxConfig } from './latm.ts';
import { slicesOf } from '../placed-sample.ts';
import { auHeaderLayout, Mpeg4GenericDepacketizer, type AudioUnit } from './mpeg4-generic.ts';
import { RtpPacket } from './packet.ts';

function packetOf(payload: readonly number[], timestamp: number, isMarker = true): RtpPacket {
  const bytes = Uint8Array.from([0x80, (isMarker ? 0x80 : 0) | 97, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, ...payload]);
  new DataView(bytes.buffer).setUint32(4, timestamp);
  const packet = new RtpPacket();
  assert.ok(packet.read(bytes));
  return packet;
}

function shown(frames: readonly AudioUnit[]) {
  return frames.map(({ timestamp, isDamaged, bytes, size }) => [
    timestamp,
    isDamaged,
    ...slicesOf(bytes, size).flatMap((slice) => [...slice]),
  ]);
}

/** AU headers of `mode` for frames of these sizes. */
function headers(sizes: readonly number[], sizeBits: number, indexBits: number): number[] {
  const writer = new BitWriter();
  for (const size of sizes) {
    writer.bits(sizeBits, size);
    writer.bits(indexBits, 0);
  }
  const bits = sizes.length * (sizeBits + indexBits);
  return [bits >> 8, bits & 255, ...writer.finish()];
}

describe('mpeg4-generic (RFC 3640)', () => {
  for (const [mode, sizeBits, indexBits] of [
    ['AAC-hbr', 13, 3],
    ['AAC-lbr', 6, 2],
  ] as const) {
    const layout = auHeaderLayout(new Map([['mode', mode]]));

    test(`[R10.1] ${mode}: several frames per packet`, () => {
      const frames: AudioUnit[] = [];
      const depacketizer = new Mpeg4GenericDepacketizer(layout, 1024, (frame) => frames.push(frame));
      depacketizer.push(packetOf([...headers([2, 1, 3], sizeBits, indexBits), 1, 2, 3, 4, 5, 6], 1000), 0);
      assert.deepEqual(shown(frames), [
        [1000, false, 1, 2],
        [2024, false, 3],
        [3048, false, 4, 5, 6],
      ]);
    });

    test(`[R10.1] ${mode}: a frame in several packets, and a lost piece`, () => {
      const frames: AudioUnit[] = [];
      const depacketizer = new Mpeg4GenericDepacketizer(layout, 1024, (frame) => frames.push(frame));
      const head = headers([5], sizeBits, indexBits);
      depacketizer.push(packetOf([...head, 1, 2, 3], 7, false), 0);
      depacketizer.push(packetOf([...head, 4, 5], 7), 0);
      depacketizer.push(packetOf([...head, 1, 2, 3], 1031, false), 0);
      depacketizer.push(packetOf([...headers([2], sizeBits, indexBits), 8, 9], 2055), 1);
      assert.deepEqual(shown(frames), [
        [7, false, 1, 2, 3, 4, 5],
        [2055, true, 8, 9],
      ]);
    });
  }

  test('frames of constant size have no headers', () => {
    const frames: AudioUnit[] = [];
    const layout = auHeaderLayout(new Map([['constantsize', '2']]));
    new Mpeg4GenericDepacketizer(layout, 1024, (frame) => frames.push(frame)).push(
      packetOf([1, 2, 3, 4], 0),
      0,
    );
    assert.deepEqual(shown(frames), [
      [0, false, 1, 2],
      [1024, false, 3, 4],
    ]);
  });

  test('any payloads yield frames that are within them', () => {
    const payloads = fc.array(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 24 }), {
      maxLength: 20,
    });
    const parameters = fc.record({
      sizelength: fc.integer({ min: 0, max: 16 }).map(String),
      indexlength: fc.integer({ min: 0, max: 8 }).map(String),
      ctsdeltalength: fc.integer({ min: 0, max: 32 }).map(String),
      auxiliarydatasizelength: fc.integer({ min: 0, max: 8 }).map(String),
    });
    fc.assert(
      fc.property(payloads, parameters, (list, given) => {
        let bytes = 0;
        const layout = auHeaderLayout(new Map(Object.entries(given)));
        const depacketizer = new Mpeg4GenericDepacketizer(layout, 1024, (frame) => (bytes += frame.size));
        list.forEach((payload, index) => depacketizer.push(packetOf(payload, index * 1024), 0));
        assert.ok(bytes <= list.flat().length);
      }),
    );
  });
});

describe('MP4A-LATM (RFC 6416)', () => {
  // audioMuxVersion 0, same framing, one frame, one programme, one layer; AAC-LC, 44.1 kHz, stereo.
  const config = parseStreamMuxConfig(Uint8Array.from([0x40, 0x00, 0x24, 0x20, 0x3f, 0xc0]));

  test('the AudioSpecificConfig is extracted from the multiplex', () => {
    assert.equal(config.frames, 1);
    assert.deepEqual([...config.audioSpecificConfig], [0x12, 0x10]);
  });

  test('frames after their lengths, in one packet or several', () => {
    const frames: AudioUnit[] = [];
    const depacketizer = new LatmDepacketizer(1, 1024, (frame) => frames.push(frame));
    depacketizer.push(packetOf([2, 1, 2], 0), 0);
    depacketizer.push(packetOf([3, 1], 1024, false), 0);
    depacketizer.push(packetOf([2, 3], 1024), 0);
    depacketizer.push(packetOf([9, 1], 2048), 0);
    assert.deepEqual(shown(frames), [
      [0, false, 1, 2],
      [1024, false, 1, 2, 3],
    ]);
    assert.equal(depacketizer.malformedPayloads, 1);
  });
});

test('auxiliary data that extends beyond its packet is rejected, whatever the layout', () => {
  for (const parameters of [
    { mode: 'AAC-hbr', auxiliarydatasizelength: '16' },
    { constantsize: '10', auxiliarydatasizelength: '32' },
    { constantsize: '10', sizelength: '0', auxiliarydatasizelength: '8' },
  ]) {
    const layout = auHeaderLayout(new Map(Object.entries(parameters)));
    const frames: AudioUnit[] = [];
    const depacketizer = new Mpeg4GenericDepacketizer(layout, 1024, (frame) => frames.push(frame));
    const head = layout.sizeLength > 0 ? headers([4], 13, 3) : [];
    depacketizer.push(packetOf([...head, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4], 0), 0);
    assert.equal(depacketizer.malformedPayloads, 1);
    assert.deepEqual(frames, []);
  }
});

test('endlessly many empty pieces of a frame take no memory', () => {
  const frames: AudioUnit[] = [];
  const generic = new Mpeg4GenericDepacketizer(
    auHeaderLayout(new Map([['mode', 'AAC-hbr']])),
    1024,
    (frame) => frames.push(frame),
  );
  for (let count = 0; count < 1_000; count++) generic.push(packetOf(headers([5], 13, 3), 7, false), 0);
  assert.equal(generic.malformedPayloads, 1_000);
  const latm = new LatmDepacketizer(1, 1024, (frame) => frames.push(frame));
  for (let count = 0; count < 200; count++) latm.push(packetOf(Array<number>(1_000).fill(255), 7, false), 0);
  assert.ok(latm.malformedPayloads >= 3, 'data beyond the size of a frame is dropped');
  assert.deepEqual(frames, []);
});

test('any layout and any payloads yield frames that are within them', () => {
  const length = fc.nat(32).map(String);
  const layouts = fc.record(
    {
      mode: fc.constantFrom('AAC-hbr', 'AAC-lbr', 'generic'),
      constantsize: fc.nat(300).map(String),
      sizelength: length,
      indexlength: length,
      indexdeltalength: length,
      ctsdeltalength: length,
      dtsdeltalength: length,
      auxiliarydatasizelength: length,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      layouts,
      fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 12 }),
      (parameters, payloads) => {
        const sent = payloads.reduce((sum, payload) => sum + payload.length, 0);
        let got = 0;
        const depacketizer = new Mpeg4GenericDepacketizer(
          auHeaderLayout(new Map(Object.entries(parameters))),
          1024,
          ({ size }) => (got += size),
        );
        for (const payload of payloads) depacketizer.push(packetOf([...payload], 0), 0);
        assert.ok(got <= sent);
      },
    ),
    { numRuns: 500 },
  );
});
