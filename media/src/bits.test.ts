import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitReader, BitWriter } from './bits.ts';
import { MalformedError } from './malformed.ts';

test('bits are read as they were written, whatever their widths', () => {
  const field = fc
    .integer({ min: 0, max: 32 })
    .chain((count) => fc.tuple(fc.constant(count), fc.integer({ min: 0, max: 2 ** count - 1 })));
  fc.assert(
    fc.property(fc.array(field, { maxLength: 40 }), (fields) => {
      const writer = new BitWriter();
      for (const [count, value] of fields) writer.bits(count, value);
      const reader = new BitReader(writer.finish());
      for (const [count, value] of fields) assert.equal(reader.bits(count), value);
      assert.ok(reader.remaining < 8);
    }),
  );
});

/** ue(v) according to the table of clause 9.1: n zeros, a one, n bits. */
function writeUe(writer: BitWriter, value: number): void {
  const zeros = Math.floor(Math.log2(value + 1));
  writer.bits(zeros, 0);
  writer.bits(1, 1);
  writer.bits(zeros, value + 1 - 2 ** zeros);
}

test('unsigned and signed exp-Golomb codes are read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 2 }), (value) => {
      const writer = new BitWriter();
      writeUe(writer, value);
      assert.equal(new BitReader(writer.finish()).ue(), value);
    }),
  );
  const signed = [0, 1, -1, 2, -2, 3].map((expected, code) => {
    const writer = new BitWriter();
    writeUe(writer, code);
    return [new BitReader(writer.finish()).se(), expected];
  });
  for (const [actual, expected] of signed) assert.equal(actual, expected);
});

test('reading past the end and endless codes are malformed', () => {
  assert.throws(() => new BitReader(new Uint8Array(1)).bits(9), MalformedError);
  assert.throws(() => new BitReader(new Uint8Array(1)).skip(9), MalformedError);
  assert.throws(() => new BitReader(new Uint8Array(2)).ue(), MalformedError);
  assert.throws(() => new BitReader(new Uint8Array(64)).ue(), MalformedError);
});
