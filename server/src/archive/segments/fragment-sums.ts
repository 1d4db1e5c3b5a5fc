import { crc32 } from 'node:zlib';

/**
 * The checksums of a segment's fragments as bytes, kept in the catalog next to their index: the CRC-32 of moof
 * and mdat as they were written, four bytes each, lowest first; 0 means unknown (one in four billion is 0 by
 * chance and then counts as unknown). They are in the order of the fragments, so that one can be appended
 * without reading the others.
 */
const sumBytes = 4;

/** The checksum of a fragment, given as the slices in which it is written, or of what follows bytes with that checksum. */
export function checksumOf(slices: readonly Uint8Array[], before = 0): number {
  let sum = before;
  for (const slice of slices) sum = crc32(slice, sum);
  return sum;
}

/** CRC-32 (RFC 1952, 8) as a remainder of polynomials over GF(2): the highest bit is the coefficient of x^0. */
const divisor = 0xedb8_8320;
const one = 0x8000_0000;

/** The remainder of the product of two remainders. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if (a & bit) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ divisor : shifted >>> 1;
  }
  return sum;
}

/** The remainders of x^8, x^16, x^32, and so on, for lengths below 4 GiB. */
const powers: number[] = [one >>> 8];
for (let last = one >>> 8; powers.length < 32; powers.push(last)) last = product(last, last);

/** The checksum of two pieces of data together, from those of each and the second one's length. */
export function joinedChecksum(first: number, second: number, secondBytes: number): number {
  let shifted = first;
  let length = secondBytes;
  for (const power of powers) {
    if (length === 0) break;
    if (length & 1) shifted = product(power, shifted);
    length >>>= 1;
  }
  return (shifted ^ second) >>> 0;
}

export function encodeSums(fragments: readonly { readonly checksum?: number | undefined }[]): Uint8Array {
  const bytes = Buffer.alloc(fragments.length * sumBytes);
  fragments.forEach(({ checksum = 0 }, index) => bytes.writeUInt32LE(checksum, index * sumBytes));
  return bytes;
}

/**
 * Undefined for each unknown checksum; all are unknown if some fragments were written by a version without
 * checksums.
 */
export function decodeSums(sums: Uint8Array, count: number): (number | undefined)[] {
  if (sums.length !== count * sumBytes) return Array.from({ length: count }, () => undefined);
  const view = new DataView(sums.buffer, sums.byteOffset, sums.byteLength);
  return Array.from({ length: count }, (_, index) => view.getUint32(index * sumBytes, true) || undefined);
}
