import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeIndex, encodeEntry } from './fragment-index.ts';

const entry = fc.record({
  durationTicks: fc.integer({ min: 1, max: 2 ** 40 }),
  bytes: fc.integer({ min: 1, max: 2 ** 32 }),
  startsWithKey: fc.boolean(),
});

test('a decoded index returns its entries, with starts and offsets added up', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 200 }),
      fc.integer({ min: 0, max: 2 ** 48 }),
      (entries, startTicks) => {
        const decoded = decodeIndex(Buffer.concat(entries.map(encodeEntry)), startTicks, 1200);
        let at = startTicks;
        let offset = 1200;
        assert.equal(decoded.length, entries.length);
        entries.forEach((expected, index) => {
          assert.deepEqual(decoded[index], { ...expected, startTicks: at, offset });
          at += expected.durationTicks;
          offset += expected.bytes;
        });
      },
    ),
  );
});

test('any bytes either decode or are rejected', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      try {
        decodeIndex(bytes, 0, 0);
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }),
  );
});

test('a GOP of a second at four megabits takes six bytes', () => {
  assert.equal(encodeEntry({ durationTicks: 90_000, bytes: 500_000, startsWithKey: true }).length, 6);
});
