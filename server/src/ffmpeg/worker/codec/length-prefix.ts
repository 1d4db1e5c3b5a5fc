/** NAL units joined into one buffer, each preceded by its 4-byte length (ISO/IEC 14496-15, 5.3.2). */
export function joinWithLengths(nals: readonly Uint8Array[]): Uint8Array {
  const joined = Buffer.allocUnsafe(nals.reduce((sum, nal) => sum + 4 + nal.length, 0));
  let at = 0;
  for (const nal of nals) {
    joined.writeUInt32BE(nal.length, at);
    joined.set(nal, at + 4);
    at += 4 + nal.length;
  }
  return joined;
}
