/**
 * H.265 as far as recording needs it: the type of a NAL unit, and where decoding can start (ITU-T H.265 table
 * 7-1). For sequence parameter sets see `h265-sps.ts`, for the decoder configuration record `hvcc.ts`.
 */

/** nal_unit_type values used here. */
export const H265_NAL = {
  radlN: 6,
  raslN: 8,
  raslR: 9,
  blaWLp: 16,
  idrWRadl: 19,
  idrNLp: 20,
  cra: 21,
  lastIrap: 23,
  lastVcl: 31,
  vps: 32,
  sps: 33,
  pps: 34,
  accessUnitDelimiter: 35,
  endOfSequence: 36,
  endOfBitstream: 37,
  filler: 38,
  prefixSei: 39,
  suffixSei: 40,
} as const;

/** nal_unit_type of a unit; 63 (unspecified) for one that is too short for its header. */
export function h265NalType(nal: Uint8Array): number {
  const [first] = nal;
  return first === undefined || nal.length < 2 ? 63 : (first >>> 1) & 0x3f;
}

/** Whether the unit is a slice segment of a picture (types 0 to 31). */
export function isH265Slice(nal: Uint8Array): boolean {
  return h265NalType(nal) <= H265_NAL.lastVcl;
}

/** Whether these units of one picture include an IRAP slice (IDR, CRA or BLA): a decoder can start here. */
export function isH265Key(nals: readonly Uint8Array[]): boolean {
  return nals.some((nal) => {
    const type = h265NalType(nal);
    return type >= H265_NAL.blaWLp && type <= H265_NAL.lastIrap;
  });
}
