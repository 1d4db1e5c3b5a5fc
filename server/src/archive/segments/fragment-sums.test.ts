import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumOf, decodeSums, encodeSums } from './fragment-sums.ts';

test('a checksum is that of the bytes, however they are cut into slices', () => {
  // The check value of CRC-32 in the CRC catalogues.
  assert.equal(checksumOf([Buffer.from('123456789')]), 0xcb_f4_39_26);
  assert.equal(checksumOf([Buffer.from('1234'), new Uint8Array(0), Buffer.from('56789')]), 0xcb_f4_39_26);
});

test('checksums that were appended are read in order; those that were not known are not known', () => {
  const stored = Buffer.concat([
    encodeSums([{ checksum: 1 }, { checksum: 0xff_ff_ff_ff }]),
    encodeSums([{}, { checksum: 7 }]),
  ]);
  assert.deepEqual(decodeSums(stored, 4), [1, 0xff_ff_ff_ff, undefined, 7]);
});

test('of a segment that a version before began no checksum is known', () => {
  assert.deepEqual(decodeSums(encodeSums([{ checksum: 7 }]), 3), [undefined, undefined, undefined]);
});
