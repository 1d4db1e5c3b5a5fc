/** The start of an H.264 slice header: ITU-T H.264 clause 7.3.3, as far as pic_order_cnt_lsb. */
import { BitReader } from '../bits.ts';
import { MalformedError } from '../malformed.ts';
import { H264_NAL, h264NalType, isH264Slice } from './h264.ts';
import type { H264Sps } from './h264-sps.ts';
import { removeEmulationPrevention } from './nal.ts';

/** The fields read here take at most about 130 bits; emulation prevention may add a third. */
const HEADER_BYTES = 32;
const MAX_SLICE_TYPE = 9;

export interface H264PictureOrder {
  readonly isIdr: boolean;
  /** nal_ref_idc is not 0: later frames may reference this one. */
  readonly isReference: boolean;
  readonly frameNum: number;
  readonly picOrderCntLsb: number;
}

/**
 * Reads the picture order of a slice, for sequences with pic_order_cnt_type 0.
 * @throws MalformedError if the header is truncated, or this is not a slice
 */
export function parseH264PictureOrder(nal: Uint8Array, sps: H264Sps): H264PictureOrder {
  if (!isH264Slice(nal)) throw new MalformedError('not an H.264 slice');
  const isIdr = h264NalType(nal) === H264_NAL.idr;
  const isReference = ((nal[0] ?? 0) & 0x60) !== 0;
  const r = new BitReader(removeEmulationPrevention(nal, HEADER_BYTES));
  r.skip(8);
  r.ue();
  if (r.ue() > MAX_SLICE_TYPE) throw new MalformedError('slice_type above 9');
  r.ue();
  if (sps.separateColourPlanes) r.skip(2);
  const frameNum = r.bits(sps.log2MaxFrameNum);
  if (!sps.frameMbsOnly && r.flag()) r.skip(1);
  if (isIdr) r.ue();
  return { isIdr, isReference, frameNum, picOrderCntLsb: r.bits(sps.log2MaxPicOrderCntLsb) };
}
