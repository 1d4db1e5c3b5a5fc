import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumOf, decodeSums, encodeSums } from './fragment-sums.ts';

test('a checksum depends on the bytes only, not on how they are split into slices', () => {
  // The check value of CRC-32 in catalogues of CRC algorithms.
  assert.equal(checksumOf([Buffer.from('123456789')]), 0xcb_f4_39_26);
  assert.equal(checksumOf([Buffer.from('1234'), new Uint8Array(0), Buffer.from('56789')]), 0xcb_f4_39_26);
});

test('appended checksums are read in order; unknown ones stay unknown', () => {
  const stored = Buffer.concat([
    encodeSums([{ checksum: 1 }, { checksum: 0xff_ff_ff_ff }]),
    encodeSums([{}, { checksum: 7 }]),
  ]);
  assert.deepEqual(decodeSums(stored, 4), [1, 0xff_ff_ff_ff, undefined, 7]);
});

test('a segment begun by an earlier version has no checksums', () => {
  assert.deepEqual(decodeSums(encodeSums([{ checksum: 7 }]), 3), [undefined, undefined, undefined]);
});
