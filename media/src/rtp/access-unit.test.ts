import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { slicesOf } from '../placed-sample.ts';
import { BlockPool } from '../sample-block.ts';
import { AccessUnitBuilder, firstSliceOf } from './access-unit.ts';

/** Simulates the connection's read buffer: the data passed on is valid for the duration of one call. */
const readBuffer = new Uint8Array(80 * 1024);

function pass(bytes: Uint8Array, take: (buffer: Uint8Array, start: number, end: number) => void): void {
  readBuffer.fill(0xee);
  readBuffer.set(bytes, 7);
  take(readBuffer, 7, 7 + bytes.length);
  readBuffer.fill(0xdd);
}

interface Unit {
  pieces: Uint8Array[];
  /** Its last piece never arrives. */
  isAbandoned: boolean;
  isSlice: boolean;
}

function prefixed({ pieces }: Unit): Uint8Array {
  const body = Buffer.concat(pieces);
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(body.length);
  return Buffer.concat([prefix, body]);
}

const unit: fc.Arbitrary<Unit> = fc.record({
  pieces: fc.array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 70_000 }).map((length) => new Uint8Array(length).fill(length & 0xff)),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  isAbandoned: fc.boolean(),
  isSlice: fc.boolean(),
});

test('[R10.1] frames contain their complete NAL units in order, wherever blocks end and although the read buffer is reused', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(unit, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
      (frames) => {
        const builder = new AccessUnitBuilder();
        const seen = frames.map((units, index) => {
          for (const { pieces, isAbandoned, isSlice } of units) {
            pieces.forEach((piece, at) =>
              pass(piece, (buffer, start, end) =>
                at === 0 ? builder.open(buffer, start, end, isSlice) : builder.append(buffer, start, end),
              ),
            );
            if (isAbandoned) builder.abandon();
            else builder.close();
          }
          return builder.take(index, false, false);
        });
        // Compared at the end: later data must not change what was passed on.
        frames.forEach((units, index) => {
          const whole = units.filter(({ isAbandoned }) => !isAbandoned);
          const slice = whole.find(({ isSlice }) => isSlice);
          const found = seen[index];
          if (!slice) {
            assert.equal(found, undefined);
            return;
          }
          assert.ok(found);
          const expected = Buffer.concat(whole.map(prefixed));
          assert.equal(Buffer.compare(Buffer.concat(slicesOf(found.bytes, found.size)), expected), 0);
          assert.equal(found.size, expected.length);
          assert.deepEqual(Buffer.from(firstSliceOf(found)), Buffer.from(slice.pieces[0] ?? []));
        });
      },
    ),
    { numRuns: 60 },
  );
});

test('a frame of many packets is one slice, not one per packet', () => {
  const builder = new AccessUnitBuilder();
  builder.open(new Uint8Array(1400), 0, 1400, true);
  for (let packet = 0; packet < 20; packet++) builder.append(new Uint8Array(1400), 0, 1400);
  builder.close();
  const unit = builder.take(0, true, false);
  assert.equal(unit && slicesOf(unit.bytes, unit.size).length, 1);
});

test('a frame that fills one block and goes on in the next says so, and makes no views', () => {
  const builder = new AccessUnitBuilder(new BlockPool(2_000, 0));
  builder.add(new Uint8Array(1_000), 0, 1_000, true);
  builder.take(0, true, false);
  const body = Uint8Array.from({ length: 3_000 }, (_, index) => index);
  builder.open(body, 0, 500, true);
  builder.append(body, 500, 3_000);
  builder.close();
  const unit = builder.take(1, true, false);
  assert.ok(unit && 'run' in unit.bytes);
  assert.equal(unit.bytes.from, 1_004);
  assert.deepEqual(
    slicesOf(unit.bytes, unit.size).map(({ length }) => length),
    [996, 2_000, 8],
  );
  assert.deepEqual(Buffer.concat(slicesOf(unit.bytes, unit.size)).subarray(4), Buffer.from(body));
});
