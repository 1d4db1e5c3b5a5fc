/**
 * Follows the output order of an H.264 stream by its picture order counts, for streams whose parameter set does
 * not specify max_num_reorder_frames: a picture whose count is ahead shows, before any timestamp does, that
 * pictures to be shown before it are still to come.
 */
import { MalformedError } from '../malformed.ts';
import type { H264Sps } from './h264-sps.ts';
import { isH264FirstSlice, isH264Slice } from './h264.ts';
import { parseH264PictureOrder } from './h264-slice.ts';

/** MaxDpbFrames is at most 16 (clause A.3.1): a picture that waits for more than these waits for a lost one. */
const MAX_WAITING = 16;

interface WaitingFrame {
  readonly position: number;
  readonly pts: number;
}

export class OutputOrder {
  readonly #sps: H264Sps;
  /** PicOrderCnt of the previous reference picture: clause 8.2.1.1. */
  #referenceOrder = 0;
  #referenceFrameNum = 0;
  /** Difference of the counts of consecutive frames: 2 nearly everywhere, 1 with some encoders. */
  #unit = 2;
  /**
   * Output position, from the last IDR, up to which every picture has arrived; `undefined` while out of step.
   */
  #complete: number | undefined;
  #completePts = 0;
  #waiting: WaitingFrame[] = [];
  #isTrusted = true;
  #depth = 0;

  constructor(sps: H264Sps) {
    this.#sps = sps;
  }

  /**
   * The maximum number of frames seen so far that preceded another in decoding order and follow it in output
   * order.
   */
  get depth(): number {
    return this.#depth;
  }

  /**
   * Adds the next picture in decoding order. Returns the presentation time that no decode time may exceed by
   * more than a little, because frames shown right after it are still to come; `undefined` if none is missing
   * or nothing is known.
   */
  next(pts: number, nals: readonly Uint8Array[]): number | undefined {
    const order = this.#isTrusted ? this.#orderOf(nals) : undefined;
    if (order === undefined) {
      this.#complete = undefined;
      return undefined;
    }
    if (order.isIdr) {
      this.#complete = 0;
      this.#completePts = pts;
      this.#waiting = [];
      return undefined;
    }
    if (this.#complete === undefined) return undefined;
    if (order.count % this.#unit !== 0) this.#useUnitOne(this.#complete);
    this.#place(order.count / this.#unit, pts);
    return this.#waiting.length > 0 ? this.#completePts : undefined;
  }

  #orderOf(nals: readonly Uint8Array[]): { isIdr: boolean; count: number } | undefined {
    const slice = nals.find(isH264FirstSlice) ?? nals.find(isH264Slice);
    if (slice === undefined) return undefined;
    try {
      const { isIdr, isReference, frameNum, picOrderCntLsb } = parseH264PictureOrder(slice, this.#sps);
      const frames = 2 ** this.#sps.log2MaxFrameNum;
      const ahead = (frameNum - this.#referenceFrameNum + frames) % frames;
      if (isReference) this.#referenceFrameNum = frameNum;
      // A reference picture was lost (clause 7.4.3, frame_num), so missing counts are not counts to come.
      if (!isIdr && ahead > 1) return undefined;
      const range = 2 ** this.#sps.log2MaxPicOrderCntLsb;
      // The value with these low bits that is nearest to the previous reference: clause 8.2.1.1.
      const turns = isIdr ? 0 : Math.round((this.#referenceOrder - picOrderCntLsb) / range);
      const count = turns * range + picOrderCntLsb;
      if (isReference) this.#referenceOrder = count;
      return { isIdr, count };
    } catch (error) {
      // A broken slice header counts as a lost picture: its successors are out of step until the next IDR.
      if (error instanceof MalformedError) return undefined;
      throw error;
    }
  }

  /** An odd count shows that counts are 1 per frame. */
  #useUnitOne(complete: number): void {
    this.#complete = complete * this.#unit;
    this.#waiting = this.#waiting.map(({ position, pts }) => ({ position: position * this.#unit, pts }));
    this.#unit = 1;
  }

  #place(position: number, pts: number): void {
    const later = this.#waiting.filter((frame) => frame.position > position).length;
    this.#depth = Math.max(this.#depth, later);
    this.#waiting.push({ position, pts });
    this.#waiting.sort((a, b) => a.position - b.position);
    let complete = this.#complete ?? 0;
    for (
      let next = this.#waiting[0];
      next !== undefined && next.position <= complete + 1;
      next = this.#waiting[0]
    ) {
      complete = Math.max(complete, next.position);
      this.#completePts = next.pts;
      this.#waiting.shift();
    }
    this.#complete = complete;
    if (this.#waiting.length <= MAX_WAITING) return;
    // If no reordering has ever been seen, the counts of this encoder increase in steps that mean nothing here.
    if (this.#depth === 0) this.#isTrusted = false;
    this.#complete = undefined;
    this.#waiting = [];
  }
}
