/** Sample aspect ratios, with the same numbering in H.264 and H.265: ITU-T H.264 table E-1, H.265 table E.1. */
import type { BitReader } from '../bits.ts';

/** Width to height of one sample; 1:1 when unknown. */
export interface AspectRatio {
  readonly horizontal: number;
  readonly vertical: number;
}

/** By aspect_ratio_idc; 0 is unspecified. */
const RATIOS: readonly (readonly [number, number])[] = [
  [1, 1],
  [1, 1],
  [12, 11],
  [10, 11],
  [16, 11],
  [40, 33],
  [24, 11],
  [20, 11],
  [32, 11],
  [80, 33],
  [18, 11],
  [15, 11],
  [64, 33],
  [160, 99],
  [4, 3],
  [3, 2],
  [2, 1],
];
const EXTENDED_SAR = 255;

/** Reads aspect_ratio_idc and, if signalled, the ratio itself; an unknown or zero ratio counts as square. */
export function sampleAspectRatio(r: BitReader): AspectRatio {
  const idc = r.bits(8);
  const [horizontal, vertical] = idc === EXTENDED_SAR ? [r.bits(16), r.bits(16)] : (RATIOS[idc] ?? [1, 1]);
  return horizontal > 0 && vertical > 0 ? { horizontal, vertical } : { horizontal: 1, vertical: 1 };
}
