/** Sender reports, which map a sender's RTP clock to its wall clock (RFC 3550, 6.4.1). */
import { readU32 } from './packet.ts';

export interface SenderReport {
  readonly ssrc: number;
  /** The sender's wall clock in milliseconds since 1970, with fractions. */
  readonly ntpMs: number;
  /** The same time on the RTP clock, 32 bits. */
  readonly rtpTimestamp: number;
}

const senderReport = 200;
const goodbye = 203;
/** Seconds from 1900-01-01, the NTP epoch, to 1970-01-01. */
const ntpToUnixSeconds = 2_208_988_800;
/** The NTP seconds wrap in 2036; lower values belong to the next era (RFC 4330, 3). */
const eraPivotSeconds = 2 ** 31;

export interface RtcpContent {
  readonly report: SenderReport | undefined;
  /** The sender announces its end (BYE). */
  readonly isGoodbye: boolean;
}

/** Parses a compound packet; truncated or unused parts are skipped. */
export function parseRtcp(bytes: Uint8Array): RtcpContent {
  let report: SenderReport | undefined;
  let isGoodbye = false;
  for (let at = 0; at + 4 <= bytes.length;) {
    if ((bytes[at] ?? 0) >>> 6 !== 2) break;
    const type = bytes[at + 1];
    const next = at + 4 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) * 4;
    if (next > bytes.length) break;
    if (type === senderReport && next - at >= 28) report = readReport(bytes, at);
    else if (type === goodbye) isGoodbye = true;
    at = next;
  }
  return { report, isGoodbye };
}

/**
 * Builds a key frame request: an empty receiver report, with which every compound packet begins, and a picture
 * loss indication (RFC 4585, 6.3.1) or a full intra request (RFC 5104, 4.3.1).
 * @param count how many full intra requests were sent before: a repeated number is not a new request
 */
export function keyFrameRequest(
  kind: 'pli' | 'fir',
  ourSsrc: number,
  senderSsrc: number,
  count: number,
): Uint8Array {
  const isPli = kind === 'pli';
  const bytes = new Uint8Array(isPli ? 20 : 28);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x80c9_0001);
  view.setUint32(4, ourSsrc);
  view.setUint32(8, isPli ? 0x81ce_0002 : 0x84ce_0004);
  view.setUint32(12, ourSsrc);
  view.setUint32(16, isPli ? senderSsrc : 0);
  if (!isPli) {
    view.setUint32(20, senderSsrc);
    view.setUint8(24, count & 0xff);
  }
  return bytes;
}

function readReport(bytes: Uint8Array, at: number): SenderReport | undefined {
  const seconds = readU32(bytes, at + 8);
  const fraction = readU32(bytes, at + 12);
  // Both zero: the sender has no wall clock (6.4.1).
  if (seconds === 0 && fraction === 0) return undefined;
  const sinceEra = seconds < eraPivotSeconds ? seconds + 2 ** 32 : seconds;
  return {
    ssrc: readU32(bytes, at + 4),
    ntpMs: (sinceEra - ntpToUnixSeconds) * 1000 + (fraction / 2 ** 32) * 1000,
    rtpTimestamp: readU32(bytes, at + 16),
  };
}
