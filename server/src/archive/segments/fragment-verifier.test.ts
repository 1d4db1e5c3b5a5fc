import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { FragmentVerifier, type SummedFragment } from './fragment-verifier.ts';

const file = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 7) & 255));
const sizes = [100, 250, 50, 300];
const headBytes = 40;

function fragmentsOf(bytes: Uint8Array): SummedFragment[] {
  let at = headBytes;
  return sizes.map((size) => {
    const offset = at;
    at += size;
    return { offset, bytes: size, checksum: crc32(bytes.subarray(offset, at)) };
  });
}

function spoilt(at: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

/** Reads from an offset in chunks of a size; returns the offset after the chunk that was rejected. */
function refusedAt(bytes: Buffer, piece: number, from = 0): number | undefined {
  const verifier = new FragmentVerifier(fragmentsOf(file));
  for (let at = from; at < bytes.length; at += piece) {
    if (!verifier.accepts(at, bytes.subarray(at, at + piece))) return Math.min(bytes.length, at + piece);
  }
  return undefined;
}

test('[R7.16] a changed byte in any fragment is detected with the last chunk of that fragment, whatever the chunk size', () => {
  for (const piece of [1, 7, 60, 333, 5_000]) {
    assert.equal(refusedAt(file, piece), undefined, `chunks of ${piece}`);
    for (const { offset, bytes } of fragmentsOf(file)) {
      for (const at of [offset, offset + bytes - 1]) {
        const seen = refusedAt(spoilt(at), piece) ?? 0;
        assert.ok(
          seen >= offset + bytes && seen < offset + bytes + piece + (piece > 1_000 ? 1_000 : 0),
          `${at}`,
        );
      }
    }
  }
});

test('incomplete fragments are not compared: the header, a read that begins inside, an unknown checksum', () => {
  assert.equal(refusedAt(spoilt(headBytes - 1), 60), undefined);
  assert.equal(refusedAt(spoilt(headBytes), 60, headBytes + 1), undefined);
  // The next fragment is compared.
  assert.ok(refusedAt(spoilt(headBytes + 120), 60, headBytes + 1));
  const unknown = new FragmentVerifier([{ offset: 0, bytes: 10, checksum: undefined }]);
  assert.equal(unknown.accepts(0, spoilt(3).subarray(0, 20)), true);
});

test('reads may overlap, skip, and go back', () => {
  const verifier = new FragmentVerifier(fragmentsOf(file));
  const read = (bytes: Buffer, from: number, to: number) => verifier.accepts(from, bytes.subarray(from, to));
  assert.equal(read(file, 0, 100), true);
  assert.equal(read(file, 80, 200), true);
  assert.equal(read(file, 390, 740), true);
  assert.equal(read(file, 0, 400), true);
  assert.equal(read(spoilt(395), 390, 440), false);
  assert.equal(read(file, 140, 390), true);
  assert.equal(read(spoilt(141), 140, 390), false);
});
