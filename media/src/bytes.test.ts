import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteReader, ByteWriter } from './bytes.ts';
import { MalformedError } from './malformed.ts';

test('every width is read back, across the growth of the buffer', () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      fc.integer({ min: 0, max: 0xffffffff }),
      fc.integer({ min: -0x80000000, max: 0x7fffffff }),
      fc.integer({ min: 0, max: 0xffffff }),
      fc.uint8Array({ maxLength: 20 }),
      (u64, u32, i32, u24, bytes) => {
        const writer = new ByteWriter(1);
        writer.u64(u64);
        writer.u32(u32);
        writer.i32(i32);
        writer.u24(u24);
        writer.u16(u32 & 0xffff);
        writer.i16(-2);
        writer.u8(u24 & 0xff);
        writer.bytes(bytes);
        writer.ascii('moov');
        const reader = new ByteReader(writer.finish());
        assert.equal(reader.u64(), u64);
        assert.equal(reader.u32(), u32);
        assert.equal(reader.i32(), i32);
        assert.equal(reader.u24(), u24);
        assert.equal(reader.u16(), u32 & 0xffff);
        assert.equal(reader.i16(), -2);
        assert.equal(reader.u8(), u24 & 0xff);
        assert.deepEqual(reader.bytes(bytes.length), bytes);
        assert.equal(reader.ascii(4), 'moov');
        assert.equal(reader.remaining, 0);
      },
    ),
  );
});

test('reads outside the bytes and values out of range are rejected', () => {
  const reader = new ByteReader(new Uint8Array(8).fill(0xff));
  assert.throws(() => reader.u64(), MalformedError);
  assert.throws(() => new ByteReader(new Uint8Array(3)).u32(), MalformedError);
  assert.throws(() => new ByteReader(new Uint8Array(3)).bytes(4), MalformedError);
  assert.throws(() => new ByteReader(new Uint8Array(3)).skip(-1), MalformedError);
  assert.throws(() => new ByteWriter().u64(2 ** 53), RangeError);
  assert.throws(() => new ByteWriter().u64(-1), RangeError);
  assert.throws(() => new ByteWriter().u64(0.5), RangeError);
});
