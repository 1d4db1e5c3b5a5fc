/**
 * The fixed header of RTP (RFC 3550, 5.1). One object is reused for every packet, so that reading a packet
 * allocates nothing. `bytes` is the connection's read buffer: callers copy what they keep.
 */
export class RtpPacket {
  bytes: Uint8Array = new Uint8Array(0);
  payloadType = 0;
  isMarker = false;
  /** 16 bits. */
  sequence = 0;
  /** 32 bits, unsigned, in ticks of the payload type's clock. */
  timestamp = 0;
  ssrc = 0;
  /** The payload is `bytes` from here... */
  payloadStart = 0;
  /** ...to here, without padding. */
  payloadEnd = 0;

  /** Parses `bytes` from `start` to `end`; false if this is not an RTP packet of version 2. */
  read(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
    if (end - start < 12) return false;
    const first = bytes[start] ?? 0;
    if (first >>> 6 !== 2) return false;
    let payloadStart = start + 12 + (first & 0x0f) * 4;
    if ((first & 0x10) !== 0) {
      if (payloadStart + 4 > end) return false;
      payloadStart += 4 + (((bytes[payloadStart + 2] ?? 0) << 8) | (bytes[payloadStart + 3] ?? 0)) * 4;
    }
    const padding = (first & 0x20) === 0 ? 0 : (bytes[end - 1] ?? 0);
    const payloadEnd = end - padding;
    if (payloadStart > payloadEnd) return false;
    const second = bytes[start + 1] ?? 0;
    this.bytes = bytes;
    this.isMarker = second >= 0x80;
    this.payloadType = second & 0x7f;
    this.sequence = ((bytes[start + 2] ?? 0) << 8) | (bytes[start + 3] ?? 0);
    this.timestamp = readU32(bytes, start + 4);
    this.ssrc = readU32(bytes, start + 8);
    this.payloadStart = payloadStart;
    this.payloadEnd = payloadEnd;
    return true;
  }
}

/** Four bytes as an unsigned number; bytes past the end count as 0. */
export function readU32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) |
      ((bytes[at + 1] ?? 0) << 16) |
      ((bytes[at + 2] ?? 0) << 8) |
      (bytes[at + 3] ?? 0)) >>>
    0
  );
}
