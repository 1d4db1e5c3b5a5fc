import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sampleNals } from '../codec/nal.ts';
import { slicesOf } from '../placed-sample.ts';
import { firstSliceOf, type AccessUnit } from './access-unit.ts';
import { h264Rules } from './h264.ts';
import { h265Rules } from './h265.ts';
import { NalDepacketizer, type NalRules } from './nal-depacketizer.ts';
import { RtpPacket } from './packet.ts';
import { SequenceTracker } from './sequence.ts';

interface SentPacket {
  payload: number[];
  timestamp?: number;
  isMarker?: boolean;
  /** The packet's position in the list unless given. */
  sequence?: number;
}

/** Sends payloads with RTP headers, because the memory before a payload matters here. */
function receive(
  rules: NalRules,
  packets: readonly SentPacket[],
): { units: AccessUnit[]; depacketizer: NalDepacketizer } {
  const units: AccessUnit[] = [];
  const depacketizer = new NalDepacketizer(rules, (unit) => units.push(unit));
  const packet = new RtpPacket();
  const sequence = new SequenceTracker();
  packets.forEach(({ payload, timestamp = 0, isMarker = false, sequence: number }, index) => {
    const head = [0x24, 0, 0, 0, 0x80, (isMarker ? 0x80 : 0) | 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    const bytes = Uint8Array.from([...head, ...payload]);
    new DataView(bytes.buffer).setUint32(8, timestamp);
    assert.ok(packet.read(bytes, 4, bytes.length));
    const lost = sequence.next(number ?? index);
    if (lost >= 0) depacketizer.push(packet, lost);
  });
  return { units, depacketizer };
}

function nalsOf(unit: AccessUnit | undefined): number[][] {
  assert.ok(unit);
  const data = slicesOf(unit.bytes, unit.size);
  assert.equal(
    unit.size,
    data.reduce((sum, slice) => sum + slice.length, 0),
  );
  return sampleNals(data).map((nal) => [...nal]);
}

const sps = [0x67, 0x42, 0xc0, 0x0c, 0xda, 0x05];
const pps = [0x68, 0xce, 0x3c, 0x80];
const idr = [0x65, 0x88, 1, 2, 3, 4, 5, 6];
const slice = [0x41, 0x9a, 7, 8, 9];
const laterSlice = [0x41, 0x1a, 7, 8, 9];
const sei = [0x06, 5, 1, 0xaa, 0x80];
const delimiter = [0x09, 0xf0];
const filler = [0x0c, 0xff, 0x80];

function stapA(...nals: number[][]): number[] {
  return [0x78, ...nals.flatMap((nal) => [nal.length >> 8, nal.length & 255, ...nal])];
}

function fuA(nal: number[], from: number, to: number): number[] {
  const [head = 0, ...rest] = nal;
  const flags = (from === 0 ? 0x80 : 0) | (to >= rest.length ? 0x40 : 0);
  return [(head & 0xe0) | 28, flags | (head & 0x1f), ...rest.slice(from, to)];
}

describe('H.264 (RFC 6184)', () => {
  test('[R10.1] single units, STAP-A and FU-A produce the same frame', () => {
    const expected = [sei, idr];
    for (const payloads of [
      [sps, pps, sei, idr],
      [stapA(sps, pps, sei), idr],
      [stapA(delimiter, sps, pps, sei, idr), filler],
      [stapA(sps, pps, sei), fuA(idr, 0, 2), fuA(idr, 2, 5), fuA(idr, 5, 9)],
    ]) {
      const packets = payloads.map((payload, index) => ({
        payload,
        isMarker: index === payloads.length - 1,
      }));
      const { units, depacketizer } = receive(h264Rules, packets);
      assert.equal(units.length, 1);
      assert.deepEqual(nalsOf(units[0]), expected);
      assert.ok(units[0]?.isKey && !units[0].isDamaged);
      assert.deepEqual([...(units[0] ? firstSliceOf(units[0]).subarray(0, 2) : [])], idr.slice(0, 2));
      assert.deepEqual(
        depacketizer.parameters.ofKind(7).map((nal) => [...nal]),
        [sps],
      );
      assert.deepEqual(
        depacketizer.parameters.ofKind(8).map((nal) => [...nal]),
        [pps],
      );
    }
  });

  test('[R10.1] a frame ends at the marker, the next timestamp, or the next first slice', () => {
    const marked = receive(h264Rules, [
      { payload: idr, isMarker: true },
      { payload: slice, timestamp: 9, isMarker: true },
    ]);
    assert.equal(marked.units.length, 2);
    const stamped = receive(h264Rules, [
      { payload: idr },
      { payload: laterSlice },
      { payload: slice, timestamp: 9 },
    ]);
    assert.deepEqual(
      stamped.units.map((unit) => nalsOf(unit).length),
      [2],
    );
    const sameTime = receive(h264Rules, [
      { payload: idr },
      { payload: slice },
      { payload: laterSlice, isMarker: true },
    ]);
    assert.deepEqual(
      sameTime.units.map((unit) => nalsOf(unit).length),
      [1, 2],
    );
  });

  test('[R10.1] after a lost fragment its unit is dropped and the frame is marked', () => {
    const packets = [
      { payload: fuA(idr, 0, 2), sequence: 10 },
      { payload: fuA(idr, 5, 9), sequence: 12, isMarker: true },
      { payload: slice, sequence: 13, timestamp: 9, isMarker: true },
    ];
    const { units } = receive(h264Rules, packets);
    assert.deepEqual(
      units.map(({ isDamaged, isKey }) => [isDamaged, isKey]),
      [[true, false]],
    );
    assert.deepEqual(nalsOf(units[0]), [slice]);
  });

  test('several units in one, separated by start codes (Annex B)', () => {
    const startCode = [0, 0, 0, 1];
    for (const payload of [
      [...sps, ...startCode, ...pps, ...startCode, ...idr],
      [...startCode, ...sps, ...startCode, ...pps, 0, 0, 1, ...idr],
    ]) {
      const { units, depacketizer } = receive(h264Rules, [{ payload, isMarker: true }]);
      assert.deepEqual(units.map(nalsOf), [[idr]]);
      assert.deepEqual([...(depacketizer.parameters.ofKind(7)[0] ?? [])], sps);
    }
  });

  test('parameter sets count as new only if they differ', () => {
    const { depacketizer } = receive(h264Rules, [
      { payload: stapA(sps, pps) },
      { payload: stapA(sps, pps), timestamp: 1 },
    ]);
    assert.equal(depacketizer.parameters.version, 2);
  });
});

describe('H.265 (RFC 7798)', () => {
  const rules = h265Rules(false);
  const hevcIdr = [19 << 1, 1, 0x88, 2, 3, 4, 5, 6];
  const prefixSei = [39 << 1, 1, 5, 1, 0xaa];
  const fragment = (from: number, to: number): number[] => {
    const rest = hevcIdr.slice(2);
    const flags = (from === 0 ? 0x80 : 0) | (to >= rest.length ? 0x40 : 0);
    return [49 << 1, 1, flags | 19, ...rest.slice(from, to)];
  };
  const aggregate = (...nals: number[][]) => [48 << 1, 1, ...nals.flatMap((nal) => [0, nal.length, ...nal])];

  test('[R10.1] single units, aggregation packets and fragmentation units produce the same frame', () => {
    for (const payloads of [
      [prefixSei, hevcIdr],
      [aggregate(prefixSei, hevcIdr)],
      [prefixSei, fragment(0, 2), fragment(2, 4), fragment(4, 8)],
    ]) {
      const packets = payloads.map((payload, index) => ({
        payload,
        isMarker: index === payloads.length - 1,
      }));
      const { units } = receive(rules, packets);
      assert.deepEqual(units.map(nalsOf), [[prefixSei, hevcIdr]]);
      assert.ok(units[0]?.isKey);
    }
  });

  test('decoding order numbers are removed', () => {
    const withNumbers = h265Rules(true);
    const single = [...hevcIdr.slice(0, 2), 0, 7, ...hevcIdr.slice(2)];
    assert.deepEqual(receive(withNumbers, [{ payload: single, isMarker: true }]).units.map(nalsOf), [
      [hevcIdr],
    ]);
  });
});

test('any payloads produce well-formed samples', () => {
  const payload = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 30 }),
    fc.constantFrom(
      idr,
      slice,
      laterSlice,
      sps,
      pps,
      stapA(sps, idr),
      fuA(idr, 0, 3),
      fuA(idr, 3, 5),
      fuA(idr, 5, 9),
    ),
  );
  const packets = fc.array(
    fc.record({
      payload,
      timestamp: fc.integer({ min: 0, max: 2 }),
      isMarker: fc.boolean(),
      sequence: fc.integer({ min: 1, max: 40 }),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(packets, fc.constantFrom(h264Rules, h265Rules(false), h265Rules(true)), (sent, rules) => {
      for (const unit of receive(rules, sent).units) {
        nalsOf(unit);
        assert.ok(firstSliceOf(unit).length > 0);
      }
    }),
    { numRuns: 500 },
  );
});

test('a fragmented unit that never ends is dropped, and the following units are received', () => {
  const fuA = (header: number, bytes: number) => [0x7c, header, ...Array<number>(bytes).fill(7)];
  for (const [rules, first, more, next] of [
    [h264Rules, fuA(0x86, 1_000), fuA(0x06, 1_000), idr],
    [
      h265Rules(false),
      [0x62, 1, 0xa7, ...fuA(0, 1_000)],
      [0x62, 1, 0x27, ...fuA(0, 1_000)],
      [0x26, 1, 0xaf, 1, 2, 3],
    ],
  ] as const) {
    let kept = 0;
    const packets = Array.from({ length: 2_000 }, (_, index) => ({
      payload: [...(index === 0 ? first : more)],
    }));
    const { units, depacketizer } = receive(rules, [
      ...packets,
      { payload: [...next], timestamp: 3_000, isMarker: true },
    ]);
    for (const unit of units) kept += unit.size;
    assert.equal(units.length, 1);
    assert.ok(kept < 100, `${kept} bytes`);
    assert.ok(depacketizer.malformedPayloads >= 1);
  }
});

test('any payloads, split and mixed arbitrarily, yield units of bounded size or none', () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => [...bytes]),
    fc.constantFrom(
      idr,
      slice,
      laterSlice,
      sei,
      sps,
      pps,
      stapA(sps, pps, idr),
      [0x7c, 0x85, 1],
      [0x7c, 0x45],
    ),
  );
  const sent = fc.record({
    payload: payload.map((bytes) => [...bytes]),
    timestamp: fc.constantFrom(0, 1, 2),
    isMarker: fc.boolean(),
    sequence: fc.nat(65_535),
  });
  fc.assert(
    fc.property(
      fc.array(sent, { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      (packets, isH265, hasOrder) => {
        const { units } = receive(isH265 ? h265Rules(hasOrder) : h264Rules, packets);
        const bytes = packets.reduce((sum, one) => sum + one.payload.length + 4 * 40, 0);
        for (const unit of units) {
          assert.ok(unit.size <= bytes);
          assert.ok(slicesOf(unit.bytes, unit.size).every((piece) => piece.length > 0));
        }
      },
    ),
    { numRuns: 300 },
  );
});
