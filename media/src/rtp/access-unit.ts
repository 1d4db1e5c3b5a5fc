/**
 * Assembles the NAL units of one picture from RTP payloads: what the H.264 and H.265 payload formats have in
 * common. Payloads are copied one after the other, each NAL unit after its 4-byte length, so that a picture is
 * one memory slice, or two if a memory block ends inside it.
 */
import type { FrameBytes } from '../placed-sample.ts';
import type { SampleBlock } from '../sample-block.ts';
import { ByteArena, receivedBlocks } from './byte-arena.ts';

/** One coded frame as received, before its times are known. */
export interface AccessUnit {
  /** RTP timestamp, 32 bits. */
  readonly timestamp: number;
  readonly isKey: boolean;
  readonly isDamaged: boolean;
  /** NAL units, each after its 4-byte length. */
  readonly bytes: FrameBytes;
  readonly size: number;
  /** The first slice, as far as it arrived in one packet. */
  readonly firstSlice: SliceHead;
}

/** Where a slice's NAL unit begins, with its header. */
interface SliceHead {
  readonly memory: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** The beginning of the first slice's NAL unit: its header and as much as arrived in one packet. */
export function firstSliceOf({
  firstSlice: { memory, from, to },
}: Pick<AccessUnit, 'firstSlice'>): Uint8Array {
  return memory.subarray(from, to);
}

/** Bytes of a picture in one piece of memory. */
interface Part {
  readonly memory: Uint8Array;
  /** Undefined: not of the pool. */
  readonly pooled: SampleBlock | undefined;
  readonly from: number;
  readonly to: number;
}

/** A larger picture is dropped; an 8K key frame of the best quality is smaller. */
export const maxUnitBytes = 24 * 1024 * 1024;

const prefixBytes = 4;

export class AccessUnitBuilder {
  readonly #arena: ByteArena;
  /** The picture's bytes in full blocks. */
  #parts: Part[] = [];
  /** Where its bytes begin in the block being filled. */
  #from = 0;
  /** Bytes of complete NAL units, lengths included. */
  #size = 0;
  #firstSlice: SliceHead | undefined;
  /** The NAL unit being received: its block and the position of its length there. */
  #openBlock: Uint8Array | undefined;
  #openAt = 0;
  /** How many full blocks the picture had, and where it began in the open one, when this NAL unit began. */
  #partsBefore = 0;
  #fromBefore = 0;
  #openBytes = 0;
  #opensFirstSlice = false;
  /** The blocks that were full since the last picture. */
  #fullBlocks: SampleBlock[] = [];

  constructor(pool = receivedBlocks) {
    this.#arena = new ByteArena(pool);
  }

  get hasSlice(): boolean {
    return this.#firstSlice !== undefined;
  }

  /** A NAL unit is being received. */
  get isOpen(): boolean {
    return this.#openBlock !== undefined;
  }

  /** Bytes so far, including the unit being received. */
  get size(): number {
    return this.#size + this.#openBytes;
  }

  /** Begins a NAL unit with its first piece, `bytes` from `start` to `end`; `append` and then `close` follow. */
  open(bytes: Uint8Array, start: number, end: number, isSlice: boolean): void {
    this.abandon();
    const arena = this.#arena;
    // In one piece: the length, and as much of the slice's header as arrived.
    this.#reserve(prefixBytes + end - start);
    this.#partsBefore = this.#parts.length;
    this.#fromBefore = this.#from;
    this.#openBlock = arena.block;
    this.#openAt = arena.filled;
    this.#openBytes = end - start;
    arena.filled += prefixBytes;
    arena.fill(bytes, start, end);
    this.#opensFirstSlice = isSlice && this.#firstSlice === undefined;
    if (this.#opensFirstSlice) {
      this.#firstSlice = { memory: arena.block, from: this.#openAt + prefixBytes, to: arena.filled };
    }
  }

  /** Appends another piece of the NAL unit. */
  append(bytes: Uint8Array, start: number, end: number): void {
    this.#openBytes += end - start;
    for (let at = start; at < end;) {
      this.#reserve(1);
      at = this.#arena.fill(bytes, at, end);
    }
  }

  /** The NAL unit is complete. */
  close(): void {
    const block = this.#openBlock;
    if (!block) return;
    const length = this.#openBytes;
    block[this.#openAt] = length >>> 24;
    block[this.#openAt + 1] = length >>> 16;
    block[this.#openAt + 2] = length >>> 8;
    block[this.#openAt + 3] = length;
    this.#size += prefixBytes + length;
    this.#openBlock = undefined;
    this.#openBytes = 0;
  }

  /** Adds a complete NAL unit. */
  add(bytes: Uint8Array, start: number, end: number, isSlice: boolean): void {
    this.open(bytes, start, end, isSlice);
    this.close();
  }

  /** Drops the NAL unit being received, if there is one. */
  abandon(): void {
    const block = this.#openBlock;
    if (!block) return;
    if (this.#opensFirstSlice) this.#firstSlice = undefined;
    this.#parts.length = this.#partsBefore;
    if (block === this.#arena.block) {
      this.#from = this.#fromBefore;
      this.#arena.filled = this.#openAt;
    } else {
      const pooled = this.#fullBlocks.find(({ bytes }) => bytes === block);
      this.#addPart({ memory: block, pooled, from: this.#fromBefore, to: this.#openAt });
      this.#from = this.#arena.filled;
    }
    this.#openBlock = undefined;
    this.#openBytes = 0;
  }

  /** Returns the picture and begins the next one; undefined if it has no slice. */
  take(timestamp: number, isKey: boolean, isDamaged: boolean): AccessUnit | undefined {
    this.abandon();
    const firstSlice = this.#firstSlice;
    const bytes = this.#takeBytes(firstSlice !== undefined);
    const unit = firstSlice && { timestamp, isKey, isDamaged, bytes, size: this.#size, firstSlice };
    for (const block of this.#fullBlocks) block.release();
    if (this.#fullBlocks.length > 0) this.#fullBlocks = [];
    this.#size = 0;
    this.#firstSlice = undefined;
    return unit;
  }

  #reserve(bytes: number): void {
    const { block, filled, pooled } = this.#arena;
    this.#arena.reserve(bytes);
    if (block === this.#arena.block) return;
    if (pooled) this.#fullBlocks.push(pooled);
    this.#addPart({ memory: block, pooled, from: this.#from, to: filled });
    this.#from = 0;
  }

  #addPart(part: Part): void {
    if (part.to > part.from) this.#parts.push(part);
  }

  /** The picture's bytes, the last of which are in the block being filled. */
  #takeBytes(isHeld: boolean): FrameBytes {
    const { block, filled, pooled } = this.#arena;
    const from = this.#from;
    this.#from = filled;
    if (this.#parts.length === 0 && pooled) {
      if (isHeld) pooled.hold();
      return { block: pooled, from };
    }
    this.#addPart({ memory: block, pooled, from, to: filled });
    const parts = this.#parts;
    this.#parts = [];
    const blocks: SampleBlock[] = [];
    for (const part of parts) {
      if (!part.pooled || blocks.at(-1) === part.pooled) continue;
      blocks.push(part.pooled);
      if (isHeld) part.pooled.hold();
    }
    if (isRun(parts)) return { run: blocks, from: parts[0]?.from ?? 0 };
    return { data: parts.map(({ memory, from: start, to }) => memory.subarray(start, to)), blocks };
  }
}

/** They fill blocks of the pool one after the other. */
function isRun(parts: readonly Part[]): boolean {
  const last = parts.length - 1;
  return (
    last > 0 &&
    parts.every(
      ({ memory, pooled, from, to }, index) =>
        pooled !== undefined && (index === 0 || from === 0) && (index === last || to === memory.length),
    )
  );
}
