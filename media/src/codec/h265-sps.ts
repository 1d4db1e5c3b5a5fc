/** The sequence parameter set of H.265: ITU-T H.265 clauses 7.3.2.2, 7.3.3, 7.3.7 and E.2.1. */
import { BitReader } from '../bits.ts';
import { MalformedError } from '../malformed.ts';
import { H265_NAL, h265NalType } from './h265.ts';
import { removeEmulationPrevention } from './nal.ts';
import { sampleAspectRatio } from './sar.ts';
import type { AspectRatio } from './sar.ts';

/** A parameter set with all scaling lists is much shorter. */
const MAX_SPS_BYTES = 8192;
/** Level 6.2: a side has at most sqrt(8 * 35651584) luma samples. */
const MAX_SIDE_PIXELS = 16888;
/** num_short_term_ref_pic_sets: clause 7.4.3.2.1. */
const MAX_SHORT_TERM_SETS = 64;
/** sps_max_dec_pic_buffering: clause A.4. */
const MAX_DPB = 16;

/** general_* fields of profile_tier_level, as repeated in hvcC and the codecs parameter. */
export interface H265Profile {
  readonly space: number;
  readonly isHighTier: boolean;
  readonly idc: number;
  /** general_profile_compatibility_flag[0] is the most significant bit. */
  readonly compatibility: number;
  /** The six bytes of general constraint indicator flags. */
  readonly constraints: Uint8Array;
  readonly levelIdc: number;
}

export interface H265Sps {
  readonly id: number;
  readonly maxSubLayers: number;
  readonly temporalIdNesting: boolean;
  readonly profile: H265Profile;
  readonly chromaFormatIdc: number;
  readonly bitDepthLuma: number;
  readonly bitDepthChroma: number;
  /** Pixels, after the conformance window. */
  readonly width: number;
  readonly height: number;
  readonly log2MaxPicOrderCntLsb: number;
  /** sps_max_num_reorder_pics of the highest sub-layer. */
  readonly maxNumReorderPictures: number;
  readonly sar: AspectRatio;
  /** Seconds per picture according to the VUI, if specified. */
  readonly frameSeconds: number | undefined;
}

/**
 * Parses a sequence parameter set NAL unit, including its two header bytes.
 * @throws MalformedError if it is truncated, out of range or not a sequence parameter set
 */
export function parseH265Sps(nal: Uint8Array): H265Sps {
  if (h265NalType(nal) !== H265_NAL.sps) throw new MalformedError('not an H.265 sequence parameter set');
  if (nal.length > MAX_SPS_BYTES) throw new MalformedError(`parameter set of ${nal.length} bytes`);
  const r = new BitReader(removeEmulationPrevention(nal));
  r.skip(16 + 4);
  const maxSubLayers = r.bits(3) + 1;
  if (maxSubLayers > 7) throw new MalformedError('sps_max_sub_layers above 7');
  const temporalIdNesting = r.flag();
  const profile = readProfile(r, maxSubLayers);
  const id = r.ue();
  if (id > 15) throw new MalformedError(`sps_seq_parameter_set_id ${id}`);
  const chromaFormatIdc = r.ue();
  if (chromaFormatIdc > 3) throw new MalformedError(`chroma_format_idc ${chromaFormatIdc}`);
  const separateColourPlanes = chromaFormatIdc === 3 && r.flag();
  let width = r.ue();
  let height = r.ue();
  if (r.flag()) {
    const subWidth = !separateColourPlanes && (chromaFormatIdc === 1 || chromaFormatIdc === 2) ? 2 : 1;
    const subHeight = !separateColourPlanes && chromaFormatIdc === 1 ? 2 : 1;
    width -= (r.ue() + r.ue()) * subWidth;
    height -= (r.ue() + r.ue()) * subHeight;
  }
  if (width < 1 || height < 1 || width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS) {
    throw new MalformedError(`picture of ${width}x${height}`);
  }
  const bitDepthLuma = 8 + r.ue();
  const bitDepthChroma = 8 + r.ue();
  if (bitDepthLuma > 16 || bitDepthChroma > 16) throw new MalformedError('bit depth above 16');
  const log2MaxPicOrderCntLsb = 4 + r.ue();
  if (log2MaxPicOrderCntLsb > 16) throw new MalformedError('log2_max_pic_order_cnt_lsb above 16');
  const layers = r.flag() ? maxSubLayers : 1;
  let maxNumReorderPictures = 0;
  for (let i = 0; i < layers; i++) {
    r.ue();
    maxNumReorderPictures = r.ue();
    r.ue();
  }
  if (maxNumReorderPictures > MAX_DPB)
    throw new MalformedError(`sps_max_num_reorder_pics ${maxNumReorderPictures}`);
  const vui = parseVui(r, log2MaxPicOrderCntLsb);
  return {
    id,
    maxSubLayers,
    temporalIdNesting,
    profile,
    chromaFormatIdc,
    bitDepthLuma,
    bitDepthChroma,
    width,
    height,
    log2MaxPicOrderCntLsb,
    maxNumReorderPictures,
    sar: vui.sar ?? { horizontal: 1, vertical: 1 },
    frameSeconds: vui.frameSeconds,
  };
}

/** profile_tier_level(1, sps_max_sub_layers_minus1): clause 7.3.3. */
function readProfile(r: BitReader, maxSubLayers: number): H265Profile {
  const space = r.bits(2);
  const isHighTier = r.flag();
  const idc = r.bits(5);
  const compatibility = r.bits(32);
  const constraints = Uint8Array.from({ length: 6 }, () => r.bits(8));
  const levelIdc = r.bits(8);
  const present: [profile: boolean, level: boolean][] = [];
  for (let i = 0; i < maxSubLayers - 1; i++) present.push([r.flag(), r.flag()]);
  if (maxSubLayers > 1) r.skip(2 * (9 - maxSubLayers));
  for (const [profile, level] of present) r.skip((profile ? 88 : 0) + (level ? 8 : 0));
  return { space, isHighTier, idc, compatibility, constraints, levelIdc };
}

interface H265Vui {
  sar?: AspectRatio;
  frameSeconds?: number;
}

/**
 * The fields after the picture size are read only for the aspect ratio and the frame rate; if a set ends early
 * or has an unknown extension, the fields read before are kept, because the picture still decodes.
 */
function parseVui(r: BitReader, log2MaxPicOrderCntLsb: number): H265Vui {
  const vui: H265Vui = {};
  try {
    skipCodingTools(r, log2MaxPicOrderCntLsb);
    if (r.flag()) readVui(r, vui);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
  }
  return vui;
}

/** From log2_min_luma_coding_block_size_minus3 to strong_intra_smoothing_enabled_flag: clause 7.3.2.2.1. */
function skipCodingTools(r: BitReader, log2MaxPicOrderCntLsb: number): void {
  for (let i = 0; i < 6; i++) r.ue();
  if (r.flag() && r.flag()) skipScalingLists(r);
  r.skip(2);
  if (r.flag()) {
    r.skip(8);
    r.ue();
    r.ue();
    r.skip(1);
  }
  skipShortTermSets(r);
  if (r.flag()) {
    const count = r.ue();
    if (count > 32) throw new MalformedError(`num_long_term_ref_pics_sps ${count}`);
    r.skip(count * (log2MaxPicOrderCntLsb + 1));
  }
  r.skip(2);
}

/** Clause 7.3.4. */
function skipScalingLists(r: BitReader): void {
  for (let sizeId = 0; sizeId < 4; sizeId++) {
    // Chroma lists of 32x32 are derived, whatever the chroma format: only every third list is sent.
    const step = sizeId === 3 ? 3 : 1;
    for (let matrixId = 0; matrixId < 6; matrixId += step) {
      if (!r.flag()) {
        r.ue();
        continue;
      }
      const coefficients = Math.min(64, 1 << (4 + (sizeId << 1)));
      if (sizeId > 1) r.se();
      for (let i = 0; i < coefficients; i++) r.se();
    }
  }
}

/**
 * st_ref_pic_set(i) for all sets of the sequence: clause 7.3.7; only the number of frames in each set is kept.
 */
function skipShortTermSets(r: BitReader): void {
  const sets = r.ue();
  if (sets > MAX_SHORT_TERM_SETS) throw new MalformedError(`num_short_term_ref_pic_sets ${sets}`);
  let previousCount = 0;
  for (let i = 0; i < sets; i++) {
    let count = 0;
    if (i > 0 && r.flag()) {
      r.skip(1);
      r.ue();
      for (let j = 0; j <= previousCount; j++) {
        const usedByCurrent = r.flag();
        const useDelta = usedByCurrent || r.flag();
        if (useDelta) count++;
      }
    } else {
      const negative = r.ue();
      const positive = r.ue();
      count = negative + positive;
      if (count > MAX_DPB) throw new MalformedError(`reference set of ${count} pictures`);
      for (let j = 0; j < count; j++) {
        r.ue();
        r.skip(1);
      }
    }
    previousCount = count;
  }
}

/** Clause E.2.1, as far as the frame rate. */
function readVui(r: BitReader, vui: H265Vui): void {
  if (r.flag()) vui.sar = sampleAspectRatio(r);
  if (r.flag()) r.skip(1);
  if (r.flag()) {
    r.skip(4);
    if (r.flag()) r.skip(24);
  }
  if (r.flag()) {
    r.ue();
    r.ue();
  }
  r.skip(3);
  if (r.flag()) for (let i = 0; i < 4; i++) r.ue();
  if (r.flag()) {
    const unitsInTick = r.bits(32);
    const timeScale = r.bits(32);
    if (unitsInTick > 0 && timeScale > 0) vui.frameSeconds = unitsInTick / timeScale;
  }
}
