import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MalformedError } from '../malformed.ts';
import { annexBToNals, MAX_NAL_UNITS, removeEmulationPrevention, sampleNals } from './nal.ts';

/** What an encoder does to a payload: clause 7.4.1, the inverse of `removeEmulationPrevention`. */
function addEmulationPrevention(payload: Uint8Array): Uint8Array {
  const out: number[] = [];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(out);
}

/** Bytes with frequent runs of zeros, like start codes and their emulation. */
const zeroHeavy = fc
  .array(fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 255), { minLength: 1, maxLength: 60 })
  .map((bytes) => Uint8Array.from(bytes));
/** A NAL unit never ends with a zero byte: clause 7.4.1. */
const nalUnit = zeroHeavy.map((payload) =>
  Uint8Array.from([0x65, ...addEmulationPrevention(Uint8Array.from([...payload, 0x80]))]),
);

test('emulation prevention is removed', () => {
  fc.assert(
    fc.property(zeroHeavy, (payload) => {
      assert.deepEqual(removeEmulationPrevention(addEmulationPrevention(payload)), payload);
    }),
  );
});

test('units are read from a byte stream with start codes of both lengths', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(nalUnit, fc.constantFrom(2, 3)), { maxLength: 8 }), (units) => {
      const stream = units.flatMap(([nal, zeros]) => [...Array<number>(zeros).fill(0), 1, ...nal]);
      assert.deepEqual(
        annexBToNals(Uint8Array.from(stream)),
        units.map(([nal]) => nal),
      );
    }),
  );
  assert.deepEqual(annexBToNals(Uint8Array.of(1, 2, 3)), []);
});

test('units are read from a sample, however its bytes are sliced', () => {
  fc.assert(
    fc.property(fc.array(nalUnit, { maxLength: 6 }), fc.integer({ min: 1, max: 9 }), (nals, sliceBytes) => {
      const slices = nals.flatMap((nal) => [Uint8Array.of(0, 0, 0, nal.length), nal]);
      assert.deepEqual(sampleNals(slices), nals);
      const joined = Uint8Array.from(slices.flatMap((slice) => [...slice]));
      const cut: Uint8Array[] = [];
      for (let at = 0; at < joined.length; at += sliceBytes) cut.push(joined.subarray(at, at + sliceBytes));
      assert.deepEqual(sampleNals(cut), nals);
    }),
  );
});

test('wrong lengths and endless units are malformed', () => {
  assert.throws(() => sampleNals([Uint8Array.of(0, 0, 0, 9, 1)]), MalformedError);
  assert.throws(() => sampleNals([Uint8Array.of(0, 0)]), MalformedError);
  const stream = new Uint8Array((MAX_NAL_UNITS + 1) * 4);
  for (let at = 0; at < stream.length; at += 4) stream.set([0, 0, 1, 9], at);
  assert.throws(() => annexBToNals(stream), MalformedError);
});
