/**
 * H.264 as far as recording needs it: the type of a NAL unit, and where decoding can start (ITU-T H.264 clause
 * 7.4.1). For sequence parameter sets see `h264-sps.ts`, for the decoder configuration record `avcc.ts`.
 */

/** nal_unit_type values used here: ITU-T H.264 table 7-1. */
export const H264_NAL = {
  slice: 1,
  partitionA: 2,
  idr: 5,
  sei: 6,
  sps: 7,
  pps: 8,
  accessUnitDelimiter: 9,
  endOfSequence: 10,
  endOfStream: 11,
  filler: 12,
} as const;

/** nal_unit_type of a unit; 0 (unspecified) for an empty one. */
export function h264NalType(nal: Uint8Array): number {
  return (nal[0] ?? 0) & 0x1f;
}

/** Whether the unit is a slice of a picture (types 1 to 5). */
export function isH264Slice(nal: Uint8Array): boolean {
  const type = h264NalType(nal);
  return type >= H264_NAL.slice && type <= H264_NAL.idr;
}

/** Whether these units of one picture include an IDR slice: a decoder can start here. */
export function isH264Key(nals: readonly Uint8Array[]): boolean {
  return nals.some((nal) => h264NalType(nal) === H264_NAL.idr);
}

/**
 * Whether the slice is the first of its picture: first_mb_in_slice is 0, whose exp-Golomb code is a single 1
 * bit. False for units that are not slices.
 */
export function isH264FirstSlice(nal: Uint8Array): boolean {
  return isH264Slice(nal) && ((nal[1] ?? 0) & 0x80) !== 0;
}
