/** The RTP payload format of H.265 (RFC 7798): single units, aggregation packets and fragmentation units. */
import { BitReader } from '../bits.ts';
import { H265_NAL } from '../codec/h265.ts';
import { parseH265Sps } from '../codec/h265-sps.ts';
import type { NalDepacketizer, NalRules } from './nal-depacketizer.ts';
import type { RtpPacket } from './packet.ts';

const aggregation = 48;
const fragmentation = 49;
const headerBytes = 2;

/**
 * For `NalDepacketizer`.
 *
 * @param hasDecodingOrder payloads carry decoding order numbers: `sprop-max-don-diff` is above 0 (RFC 7798, 7.1)
 */
export function h265Rules(hasDecodingOrder: boolean): NalRules {
  const donBytes = hasDecodingOrder ? 2 : 0;
  return {
    typeAt: (bytes, at) => ((bytes[at] ?? 0) >>> 1) & 0x3f,
    isSlice: (type) => type <= H265_NAL.lastVcl,
    isKey: (type) => type >= H265_NAL.blaWLp && type <= H265_NAL.lastIrap,
    isFirstSlice: (bytes, at) => ((bytes[at + headerBytes] ?? 0) & 0x80) !== 0,
    isParameterSet: (type) => type >= H265_NAL.vps && type <= H265_NAL.pps,
    parameterSetId,
    isDropped: (type) =>
      type === H265_NAL.accessUnitDelimiter ||
      type === H265_NAL.endOfBitstream ||
      type === H265_NAL.filler ||
      type > H265_NAL.suffixSei,
    beginsPicture: (type) =>
      (type >= H265_NAL.vps && type <= H265_NAL.accessUnitDelimiter) || type === H265_NAL.prefixSei,
    unpack: (packet, target) => unpack(packet, target, donBytes),
  };
}

function parameterSetId(nal: Uint8Array, type: number): number {
  if (type === H265_NAL.vps) return (nal[headerBytes] ?? 0) >>> 4;
  if (type === H265_NAL.sps) return parseH265Sps(nal).id;
  return new BitReader(nal.subarray(headerBytes, 16)).ue();
}

function unpack(packet: RtpPacket, target: NalDepacketizer, donBytes: number): void {
  const { bytes, payloadStart: start, payloadEnd: end } = packet;
  if (end - start <= headerBytes + donBytes) {
    target.malformed();
    return;
  }
  const first = bytes[start] ?? 0;
  const second = bytes[start + 1] ?? 0;
  const type = (first >>> 1) & 0x3f;
  if (type === fragmentation) {
    const header = bytes[start + headerBytes] ?? 0;
    const isFirst = (header & 0x80) !== 0;
    const payload = start + headerBytes + 1 + (isFirst ? donBytes : 0);
    if (payload >= end) {
      target.malformed();
      return;
    }
    // The unit's own header is written before the payload, over bytes that have already been read (4.4.3).
    if (isFirst) {
      bytes[payload - 2] = (first & 0x81) | ((header & 0x3f) << 1);
      bytes[payload - 1] = second;
    }
    target.fragment(bytes, isFirst ? payload - headerBytes : payload, end, isFirst, (header & 0x40) !== 0);
  } else if (type === aggregation) {
    unpackAggregate(bytes, start + headerBytes, end, target, donBytes);
  } else if (type === 0 && first === 0 && second === 0) {
    // A start code where the unit should begin: the camera sends a byte stream.
    target.byteStream(bytes.subarray(start, end));
  } else if (type < aggregation) {
    if (donBytes > 0) {
      bytes[start + 3] = second;
      bytes[start + 2] = first;
    }
    target.single(bytes, start + donBytes, end);
  } else {
    target.malformed();
  }
}

/** Units, each after its 16-bit length, with an order number before it (4.4.2). */
function unpackAggregate(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: NalDepacketizer,
  donBytes: number,
): void {
  let at = start + donBytes;
  while (at + 2 < end) {
    const next = at + 2 + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
    if (next > end || next - at - 2 < headerBytes) {
      target.malformed();
      return;
    }
    target.single(bytes, at + 2, next);
    at = next + (donBytes > 0 ? 1 : 0);
  }
}
