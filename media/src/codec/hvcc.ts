/** HEVCDecoderConfigurationRecord, "hvcC": ISO/IEC 14496-15 clause 8.3.3.1. */
import { ByteReader, ByteWriter } from '../bytes.ts';
import { MalformedError } from '../malformed.ts';
import type { VideoTrack } from '../track.ts';
import { H265_NAL } from './h265.ts';
import { parseH265Sps } from './h265-sps.ts';
import type { H265Profile } from './h265-sps.ts';

/** The timescale of every video track, ticks per second. */
const VIDEO_TIMESCALE = 90000;
const MAX_ARRAYS = 16;
const MAX_NALS_PER_ARRAY = 64;

export interface HevcConfig {
  readonly profile: H265Profile;
  readonly vps: readonly Uint8Array[];
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
}

/**
 * Builds the record from parameter set NAL units (headers included), with 4-byte NAL lengths.
 * @throws MalformedError if the first SPS cannot be read; RangeError for counts the record cannot hold
 */
export function buildHvcC(
  vps: readonly Uint8Array[],
  sps: readonly Uint8Array[],
  pps: readonly Uint8Array[],
): Uint8Array {
  const first = sps[0];
  const arrays = [
    [H265_NAL.vps, vps],
    [H265_NAL.sps, sps],
    [H265_NAL.pps, pps],
  ] as const;
  if (
    first === undefined ||
    arrays.some(([, nals]) => nals.length === 0 || nals.length > MAX_NALS_PER_ARRAY)
  ) {
    throw new RangeError(`hvcC of ${vps.length} VPS, ${sps.length} SPS and ${pps.length} PPS`);
  }
  const info = parseH265Sps(first);
  const { profile } = info;
  const out = new ByteWriter(128);
  out.u8(1);
  out.u8((profile.space << 6) | (profile.isHighTier ? 0x20 : 0) | profile.idc);
  out.u32(profile.compatibility);
  out.bytes(profile.constraints);
  out.u8(profile.levelIdc);
  // min_spatial_segmentation_idc, parallelismType, avgFrameRate and constantFrameRate: 0 means "unknown".
  out.u16(0xf000);
  out.u8(0xfc);
  out.u8(0xfc | info.chromaFormatIdc);
  out.u8(0xf8 | (info.bitDepthLuma - 8));
  out.u8(0xf8 | (info.bitDepthChroma - 8));
  out.u16(0);
  out.u8((info.maxSubLayers << 3) | (info.temporalIdNesting ? 4 : 0) | 3);
  out.u8(arrays.length);
  for (const [type, nals] of arrays) {
    // array_completeness is 1, as required by the sample entry 'hvc1' (clause 8.4.1.1).
    out.u8(0x80 | type);
    out.u16(nals.length);
    for (const nal of nals) {
      if (nal.length > 0xffff) throw new MalformedError(`parameter set of ${nal.length} bytes`);
      out.u16(nal.length);
      out.bytes(nal);
    }
  }
  return out.finish();
}

/**
 * A copy whose arrays are (not) complete: array_completeness 1 says that no other parameter sets are in the
 * samples, as required by the sample entry 'hvc1', 0 that there may be some, as allowed by 'hev1' (clause
 * 8.4.1.1).
 * @throws MalformedError if the record is truncated
 */
export function withArrayCompleteness(config: Uint8Array, isComplete: boolean): Uint8Array {
  const copy = new Uint8Array(config);
  const reader = new ByteReader(copy);
  reader.skip(22);
  const arrays = reader.u8();
  for (let i = 0; i < arrays; i++) {
    const at = reader.position;
    copy[at] = (reader.u8() & 0x7f) | (isComplete ? 0x80 : 0);
    const count = reader.u16();
    for (let j = 0; j < count; j++) reader.skip(reader.u16());
  }
  return copy;
}

/** Parses the record. @throws MalformedError also for NAL lengths other than 4 bytes, which are never stored */
export function parseHvcC(config: Uint8Array): HevcConfig {
  const reader = new ByteReader(config);
  const version = reader.u8();
  if (version !== 1) throw new MalformedError(`hvcC version ${version}`);
  const general = reader.u8();
  const profile: H265Profile = {
    space: general >>> 6,
    isHighTier: (general & 0x20) !== 0,
    idc: general & 0x1f,
    compatibility: reader.u32(),
    constraints: reader.bytes(6),
    levelIdc: reader.u8(),
  };
  reader.skip(8);
  const lengthSize = (reader.u8() & 3) + 1;
  if (lengthSize !== 4) throw new MalformedError(`NAL lengths of ${lengthSize} bytes`);
  const nals = new Map<number, Uint8Array[]>();
  const arrays = reader.u8();
  if (arrays > MAX_ARRAYS) throw new MalformedError(`hvcC of ${arrays} arrays`);
  for (let i = 0; i < arrays; i++) {
    const type = reader.u8() & 0x3f;
    const count = reader.u16();
    if (count > MAX_NALS_PER_ARRAY) throw new MalformedError(`hvcC array of ${count} units`);
    const list = nals.get(type) ?? [];
    for (let j = 0; j < count; j++) list.push(reader.bytes(reader.u16()));
    nals.set(type, list);
  }
  const sps = nals.get(H265_NAL.sps) ?? [];
  if (sps.length === 0) throw new MalformedError('hvcC without a sequence parameter set');
  return { profile, vps: nals.get(H265_NAL.vps) ?? [], sps, pps: nals.get(H265_NAL.pps) ?? [] };
}

/** `hvc1.1.6.L93.B0`: ISO/IEC 14496-15 annex E.3. */
export function hevcCodecString(config: Uint8Array): string {
  const { profile } = parseHvcC(config);
  const space = ['', 'A', 'B', 'C'][profile.space] ?? '';
  let reversed = 0;
  for (let i = 0; i < 32; i++) reversed = reversed * 2 + ((profile.compatibility >>> i) & 1);
  const constraints = [...profile.constraints];
  while (constraints.at(-1) === 0) constraints.pop();
  return [
    'hvc1',
    `${space}${profile.idc}`,
    hex(reversed),
    `${profile.isHighTier ? 'H' : 'L'}${profile.levelIdc}`,
    ...constraints.map(hex),
  ].join('.');
}

function hex(value: number): string {
  return value.toString(16).toUpperCase();
}

/**
 * The track that these parameter sets describe.
 * @throws MalformedError if the first SPS cannot be read
 */
export function h265Track(
  id: number,
  vps: readonly Uint8Array[],
  sps: readonly Uint8Array[],
  pps: readonly Uint8Array[],
): VideoTrack {
  return h265TrackOfConfig(id, buildHvcC(vps, sps, pps));
}

/** The track that an hvcC record describes. @throws MalformedError if it or its first SPS cannot be read */
export function h265TrackOfConfig(id: number, config: Uint8Array): VideoTrack {
  const [sps] = parseHvcC(config).sps;
  if (sps === undefined) throw new MalformedError('hvcC without a sequence parameter set');
  const { width, height } = parseH265Sps(sps);
  return {
    id,
    kind: 'video',
    codec: 'h265',
    timescale: VIDEO_TIMESCALE,
    codecString: hevcCodecString(config),
    width,
    height,
    config,
  };
}
