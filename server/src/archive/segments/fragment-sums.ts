import { crc32 } from 'node:zlib';

/**
 * The checksums of a segment's fragments as bytes, kept in the catalog next to their index: the CRC-32 of moof
 * and mdat as they were written, four bytes each, lowest first; 0 means unknown (one in four billion is 0 by
 * chance and then counts as unknown). They are in the order of the fragments, so that one can be appended
 * without reading the others.
 */
const sumBytes = 4;

/** The checksum of a fragment, given as the slices in which it is written. */
export function checksumOf(slices: readonly Uint8Array[]): number {
  return slices.reduce((sum, slice) => crc32(slice, sum), 0);
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
