/** The RTP payload format of H.264 (RFC 6184): single units, STAP-A and FU-A, which packetization modes 0 and 1 use. */
import { BitReader } from '../bits.ts';
import { H264_NAL } from '../codec/h264.ts';
import type { NalDepacketizer, NalRules } from './nal-depacketizer.ts';
import type { RtpPacket } from './packet.ts';

const stapA = 24;
const fuA = 28;

/** For `NalDepacketizer`. */
export const h264Rules: NalRules = {
  typeAt: (bytes, at) => (bytes[at] ?? 0) & 0x1f,
  isSlice: (type) => type >= H264_NAL.slice && type <= H264_NAL.idr,
  isKey: (type) => type === H264_NAL.idr,
  // first_mb_in_slice is 0: one exp-Golomb bit.
  isFirstSlice: (bytes, at) => ((bytes[at + 1] ?? 0) & 0x80) !== 0,
  isParameterSet: (type) => type === H264_NAL.sps || type === H264_NAL.pps,
  parameterSetId(nal, type) {
    // An SPS starts with profile, flags and level (ITU-T H.264, 7.3.2.1.1).
    return new BitReader(nal.subarray(type === H264_NAL.sps ? 4 : 1, 16)).ue();
  },
  isDropped: (type) =>
    type === H264_NAL.accessUnitDelimiter || type >= H264_NAL.endOfStream || type < H264_NAL.slice,
  beginsPicture: (type) => type >= H264_NAL.sei && type <= H264_NAL.accessUnitDelimiter,
  unpack,
};

function unpack(packet: RtpPacket, target: NalDepacketizer): void {
  const { bytes, payloadStart: start, payloadEnd: end } = packet;
  const indicator = bytes[start] ?? 0;
  const type = indicator & 0x1f;
  if (type === fuA) {
    if (end - start < 3) {
      target.malformed();
      return;
    }
    const header = bytes[start + 1] ?? 0;
    const isFirst = (header & 0x80) !== 0;
    // The unit's own header is composed of both bytes and replaces the second (5.8).
    if (isFirst) bytes[start + 1] = (indicator & 0xe0) | (header & 0x1f);
    target.fragment(bytes, isFirst ? start + 1 : start + 2, end, isFirst, (header & 0x40) !== 0);
  } else if (type === stapA) {
    unpackAggregate(bytes, start + 1, end, target);
  } else if (type === 0 && indicator === 0) {
    // A start code where the unit should begin: the camera sends a byte stream.
    target.byteStream(bytes.subarray(start, end));
  } else if (type < stapA) {
    target.single(bytes, start, end);
  } else {
    target.malformed();
  }
}

/** Units, each after its 16-bit length (5.7.1). */
function unpackAggregate(bytes: Uint8Array, start: number, end: number, target: NalDepacketizer): void {
  let at = start;
  while (at + 2 < end) {
    const next = at + 2 + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
    if (next > end || next === at + 2) {
      target.malformed();
      return;
    }
    target.single(bytes, at + 2, next);
    at = next;
  }
}
