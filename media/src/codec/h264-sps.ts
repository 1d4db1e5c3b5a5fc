/** The sequence parameter set of H.264: ITU-T H.264 clauses 7.3.2.1.1 and E.1.1. */
import { BitReader } from '../bits.ts';
import { MalformedError } from '../malformed.ts';
import { H264_NAL, h264NalType } from './h264.ts';
import { removeEmulationPrevention } from './nal.ts';
import { sampleAspectRatio } from './sar.ts';
import type { AspectRatio } from './sar.ts';

/** A parameter set with all scaling lists is much shorter. */
const MAX_SPS_BYTES = 4096;
/** Level 6.2 allows 139264 macroblocks per frame; a side has at most sqrt(8 * that) macroblocks. */
const MAX_SIDE_PIXELS = 16888;

export interface H264Sps {
  readonly id: number;
  readonly profileIdc: number;
  /** The byte between profile and level: constraint_set0_flag is its most significant bit. */
  readonly constraintFlags: number;
  readonly levelIdc: number;
  /** 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4. */
  readonly chromaFormatIdc: number;
  readonly separateColourPlanes: boolean;
  readonly bitDepthLuma: number;
  readonly bitDepthChroma: number;
  readonly log2MaxFrameNum: number;
  readonly picOrderCntType: number;
  /** 0 unless `picOrderCntType` is 0. */
  readonly log2MaxPicOrderCntLsb: number;
  readonly maxNumRefFrames: number;
  readonly frameMbsOnly: boolean;
  /** Pixels, after cropping. */
  readonly width: number;
  readonly height: number;
  readonly sar: AspectRatio;
  /** Seconds per frame according to the VUI, if specified. */
  readonly frameSeconds: number | undefined;
  /** max_num_reorder_frames, if specified or certain from the profile; otherwise `undefined`. */
  readonly maxNumReorderFrames: number | undefined;
}

/** Profiles whose parameter set contains the chroma format: clause 7.3.2.1.1. */
const CHROMA_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
/** With constraint_set3_flag intra-only, so nothing is reordered: clause E.2.1, max_num_reorder_frames. */
const INTRA_PROFILES = new Set([44, 86, 100, 110, 122, 244]);

/**
 * Parses a sequence parameter set NAL unit, including its header byte.
 * @throws MalformedError if it is truncated, out of range or not a sequence parameter set
 */
export function parseH264Sps(nal: Uint8Array): H264Sps {
  if (h264NalType(nal) !== H264_NAL.sps) throw new MalformedError('not an H.264 sequence parameter set');
  if (nal.length > MAX_SPS_BYTES) throw new MalformedError(`parameter set of ${nal.length} bytes`);
  const r = new BitReader(removeEmulationPrevention(nal));
  r.skip(8);
  const profileIdc = r.bits(8);
  const constraintFlags = r.bits(8);
  const levelIdc = r.bits(8);
  const id = r.ue();
  if (id > 31) throw new MalformedError(`seq_parameter_set_id ${id}`);
  let chromaFormatIdc = 1;
  let separateColourPlanes = false;
  let bitDepthLuma = 8;
  let bitDepthChroma = 8;
  if (CHROMA_PROFILES.has(profileIdc)) {
    chromaFormatIdc = r.ue();
    if (chromaFormatIdc > 3) throw new MalformedError(`chroma_format_idc ${chromaFormatIdc}`);
    if (chromaFormatIdc === 3) separateColourPlanes = r.flag();
    bitDepthLuma = 8 + r.ue();
    bitDepthChroma = 8 + r.ue();
    if (bitDepthLuma > 14 || bitDepthChroma > 14) throw new MalformedError('bit depth above 14');
    r.skip(1);
    if (r.flag()) {
      const lists = chromaFormatIdc === 3 ? 12 : 8;
      for (let i = 0; i < lists; i++) if (r.flag()) skipScalingList(r, i < 6 ? 16 : 64);
    }
  }
  const log2MaxFrameNum = 4 + r.ue();
  if (log2MaxFrameNum > 16) throw new MalformedError('log2_max_frame_num above 16');
  const picOrderCntType = r.ue();
  let log2MaxPicOrderCntLsb = 0;
  if (picOrderCntType === 0) {
    log2MaxPicOrderCntLsb = 4 + r.ue();
    if (log2MaxPicOrderCntLsb > 16) throw new MalformedError('log2_max_pic_order_cnt_lsb above 16');
  } else if (picOrderCntType === 1) {
    r.skip(1);
    r.se();
    r.se();
    const cycle = r.ue();
    if (cycle > 255) throw new MalformedError('pic_order_cnt cycle above 255');
    for (let i = 0; i < cycle; i++) r.se();
  } else if (picOrderCntType !== 2) {
    throw new MalformedError(`pic_order_cnt_type ${picOrderCntType}`);
  }
  const maxNumRefFrames = r.ue();
  r.skip(1);
  const widthMbs = r.ue() + 1;
  const heightMapUnits = r.ue() + 1;
  const frameMbsOnly = r.flag();
  if (!frameMbsOnly) r.skip(1);
  r.skip(1);
  const chromaArrayType = separateColourPlanes ? 0 : chromaFormatIdc;
  const cropUnitX = chromaArrayType === 1 || chromaArrayType === 2 ? 2 : 1;
  const cropUnitY = (chromaArrayType === 1 ? 2 : 1) * (frameMbsOnly ? 1 : 2);
  let width = widthMbs * 16;
  let height = heightMapUnits * (frameMbsOnly ? 16 : 32);
  if (r.flag()) {
    width -= (r.ue() + r.ue()) * cropUnitX;
    height -= (r.ue() + r.ue()) * cropUnitY;
  }
  if (width < 1 || height < 1 || width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS) {
    throw new MalformedError(`picture of ${width}x${height}`);
  }
  const vui = r.flag() ? parseVui(r) : {};
  const intraOnly = (constraintFlags & 0x10) !== 0 && INTRA_PROFILES.has(profileIdc);
  // Type 2 means output order equals decoding order (clause 8.2.1.3).
  const neverReorders = intraOnly || picOrderCntType === 2;
  return {
    id,
    profileIdc,
    constraintFlags,
    levelIdc,
    chromaFormatIdc,
    separateColourPlanes,
    bitDepthLuma,
    bitDepthChroma,
    log2MaxFrameNum,
    picOrderCntType,
    log2MaxPicOrderCntLsb,
    maxNumRefFrames,
    frameMbsOnly,
    width,
    height,
    sar: vui.sar ?? { horizontal: 1, vertical: 1 },
    frameSeconds: vui.frameSeconds,
    maxNumReorderFrames: neverReorders ? 0 : vui.maxNumReorderFrames,
  };
}

/** Clause 7.3.2.1.1.1. */
function skipScalingList(r: BitReader, size: number): void {
  let last = 8;
  let next = 8;
  for (let i = 0; i < size; i++) {
    if (next !== 0) next = (((last + r.se()) % 256) + 256) % 256;
    if (next !== 0) last = next;
  }
}

interface H264Vui {
  sar?: AspectRatio;
  frameSeconds?: number;
  maxNumReorderFrames?: number;
}

/**
 * Clause E.1.1. Some cameras truncate the VUI; fields read before the end are kept, because the picture still
 * decodes.
 */
function parseVui(r: BitReader): H264Vui {
  const vui: H264Vui = {};
  try {
    readVui(r, vui);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
  }
  return vui;
}

function readVui(r: BitReader, vui: H264Vui): void {
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
  if (r.flag()) {
    const unitsInTick = r.bits(32);
    const timeScale = r.bits(32);
    r.skip(1);
    // Two ticks per frame: one for each field (clause E.2.1, num_units_in_tick).
    if (unitsInTick > 0 && timeScale > 0) vui.frameSeconds = (2 * unitsInTick) / timeScale;
  }
  const nalHrd = r.flag();
  if (nalHrd) skipHrd(r);
  const vclHrd = r.flag();
  if (vclHrd) skipHrd(r);
  if (nalHrd || vclHrd) r.skip(1);
  r.skip(1);
  if (r.flag()) {
    r.skip(1);
    r.ue();
    r.ue();
    r.ue();
    r.ue();
    const reorder = r.ue();
    const buffering = r.ue();
    if (reorder <= 16 && reorder <= buffering) vui.maxNumReorderFrames = reorder;
  }
}

/** Clause E.1.2. */
function skipHrd(r: BitReader): void {
  const count = r.ue() + 1;
  if (count > 32) throw new MalformedError(`cpb_cnt ${count}`);
  r.skip(8);
  for (let i = 0; i < count; i++) {
    r.ue();
    r.ue();
    r.skip(1);
  }
  r.skip(20);
}
