/** AVCDecoderConfigurationRecord, "avcC": ISO/IEC 14496-15 clause 5.3.3.1. */
import { ByteReader, ByteWriter } from '../bytes.ts';
import { MalformedError } from '../malformed.ts';
import type { VideoTrack } from '../track.ts';
import { parseH264Sps } from './h264-sps.ts';

/**
 * Baseline, Main and Extended: the only profiles whose record does not end with chroma format and bit depths.
 */
const SHORT_PROFILES = new Set([66, 77, 88]);
/** The timescale of every video track, ticks per second. */
const VIDEO_TIMESCALE = 90000;

export interface AvcConfig {
  readonly profileIdc: number;
  readonly constraintFlags: number;
  readonly levelIdc: number;
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
}

/**
 * Builds the record from parameter set NAL units (headers included), with 4-byte NAL lengths.
 * @throws MalformedError if the first SPS cannot be read; RangeError for counts the record cannot hold
 */
export function buildAvcC(sps: readonly Uint8Array[], pps: readonly Uint8Array[]): Uint8Array {
  const first = sps[0];
  if (first === undefined || sps.length > 31 || pps.length === 0 || pps.length > 255) {
    throw new RangeError(`avcC of ${sps.length} SPS and ${pps.length} PPS`);
  }
  const info = parseH264Sps(first);
  const out = new ByteWriter(64);
  out.u8(1);
  out.u8(info.profileIdc);
  out.u8(info.constraintFlags);
  out.u8(info.levelIdc);
  out.u8(0b111111_00 | 3);
  out.u8(0b111_00000 | sps.length);
  for (const nal of sps) writeNal(out, nal);
  out.u8(pps.length);
  for (const nal of pps) writeNal(out, nal);
  if (!SHORT_PROFILES.has(info.profileIdc)) {
    out.u8(0b111111_00 | info.chromaFormatIdc);
    out.u8(0b11111_000 | (info.bitDepthLuma - 8));
    out.u8(0b11111_000 | (info.bitDepthChroma - 8));
    out.u8(0);
  }
  return out.finish();
}

function writeNal(out: ByteWriter, nal: Uint8Array): void {
  if (nal.length > 0xffff) throw new MalformedError(`parameter set of ${nal.length} bytes`);
  out.u16(nal.length);
  out.bytes(nal);
}

/** Parses the record. @throws MalformedError also for NAL lengths other than 4 bytes, which are never stored */
export function parseAvcC(config: Uint8Array): AvcConfig {
  const reader = new ByteReader(config);
  const version = reader.u8();
  if (version !== 1) throw new MalformedError(`avcC version ${version}`);
  const profileIdc = reader.u8();
  const constraintFlags = reader.u8();
  const levelIdc = reader.u8();
  const lengthSize = (reader.u8() & 3) + 1;
  if (lengthSize !== 4) throw new MalformedError(`NAL lengths of ${lengthSize} bytes`);
  const sps = readNals(reader, reader.u8() & 0x1f);
  const pps = readNals(reader, reader.u8());
  if (sps.length === 0) throw new MalformedError('avcC without a sequence parameter set');
  return { profileIdc, constraintFlags, levelIdc, sps, pps };
}

function readNals(reader: ByteReader, count: number): Uint8Array[] {
  const nals: Uint8Array[] = [];
  for (let i = 0; i < count; i++) nals.push(reader.bytes(reader.u16()));
  return nals;
}

/** `avc1.PPCCLL`: RFC 6381 section 3.3. */
export function avcCodecString(config: Uint8Array): string {
  const { profileIdc, constraintFlags, levelIdc } = parseAvcC(config);
  return `avc1.${[profileIdc, constraintFlags, levelIdc].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The track that these parameter sets describe.
 * @throws MalformedError if the first SPS cannot be read
 */
export function h264Track(id: number, sps: readonly Uint8Array[], pps: readonly Uint8Array[]): VideoTrack {
  return h264TrackOfConfig(id, buildAvcC(sps, pps));
}

/** The track that an avcC record describes. @throws MalformedError if it or its first SPS cannot be read */
export function h264TrackOfConfig(id: number, config: Uint8Array): VideoTrack {
  const [sps] = parseAvcC(config).sps;
  if (sps === undefined) throw new MalformedError('avcC without a sequence parameter set');
  const { width, height } = parseH264Sps(sps);
  return {
    id,
    kind: 'video',
    codec: 'h264',
    timescale: VIDEO_TIMESCALE,
    codecString: avcCodecString(config),
    width,
    height,
    config,
  };
}
