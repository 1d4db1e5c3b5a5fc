/**
 * H.265 as far as recording needs it: what a NAL unit is, and where decoding can start (ITU-T H.265 table 7-1).
 * Sequence parameter sets are in `h265-sps.ts`, the decoder's record in `hvcc.ts`.
 */

/** nal_unit_type values in use here. */
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

/** The unit carries a slice segment of a picture (types 0 to 31). */
export function isH265Slice(nal: Uint8Array): boolean {
  return h265NalType(nal) <= H265_NAL.lastVcl;
}

/** Among these units of one picture is an IRAP slice (IDR, CRA or BLA): a decoder can start here. */
export function isH265Key(nals: readonly Uint8Array[]): boolean {
  return nals.some((nal) => {
    const type = h265NalType(nal);
    return type >= H265_NAL.blaWLp && type <= H265_NAL.lastIrap;
  });
}

/**
 * The picture is a RASL: shown before the CRA it follows in decoding order and not decodable when decoding starts
 * at that CRA (clause 3.122), so a reader that begins there leaves it out.
 */
export function isH265Rasl(nals: readonly Uint8Array[]): boolean {
  return nals.some((nal) => {
    const type = h265NalType(nal);
    return type === H265_NAL.raslN || type === H265_NAL.raslR;
  });
}

/** The slice segment is the first of its picture (first_slice_segment_in_pic_flag). False for other units. */
export function isH265FirstSlice(nal: Uint8Array): boolean {
  return isH265Slice(nal) && ((nal[2] ?? 0) & 0x80) !== 0;
}
