/**
 * Memory for the payloads of one track: blocks that are filled one after the other. Bytes are copied out of the
 * connection's read buffer once, without an object per packet, and a block is freed with the last sample in it.
 * Measured against views of the received chunks in design/ingest-cost.md.
 */
import { copyBytes } from '../copy-bytes.ts';
import type { FrameBytes } from '../placed-sample.ts';
import { BlockPool, type SampleBlock } from '../sample-block.ts';

/**
 * Large enough that a 4 Mbit/s track takes eight per second. With the 16 bytes that the C library adds it fills whole
 * pages, as engines have it mapped (design/engines.md, "Memory").
 */
const videoBlockBytes = 17 * 4096 - 16;

/** A second of 128 kbit/s. */
const audioBlockBytes = 16_000;

/** What many cameras that send key frames at the same time release simultaneously. */
const maxFreeBytes = { video: 32 * 1024 * 1024, audio: 1024 * 1024 };

/** The memory of received video, of all connections of this process. */
export const receivedBlocks = new BlockPool(videoBlockBytes, maxFreeBytes.video);

/** The same of audio, so that a block doesn't hold many seconds of it. */
export const receivedAudioBlocks = new BlockPool(audioBlockBytes, maxFreeBytes.audio);

export class ByteArena {
  /** The block being filled. */
  block: Uint8Array = new Uint8Array(0);
  /** Bytes of it that are used. */
  filled = 0;
  /** The block being filled, held by this arena's owner, if it is one that is used again. */
  pooled: SampleBlock | undefined;
  readonly #pool: BlockPool;

  /** What doesn't fit into a block of the pool gets memory of its own. */
  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** Starts a new block unless this many bytes still fit into the current one. */
  reserve(bytes: number): void {
    if (this.block.length - this.filled >= bytes) return;
    this.pooled = bytes <= this.#pool.blockBytes ? this.#pool.give() : undefined;
    this.block = this.pooled?.bytes ?? new Uint8Array(bytes);
    this.filled = 0;
  }

  /** Appends as much of `source` from `start` to `end` as fits; returns where it stopped. */
  fill(source: Uint8Array, start: number, end: number): number {
    const stop = Math.min(end, start + this.block.length - this.filled);
    copyBytes(source, start, stop, this.block, this.filled);
    this.filled += stop - start;
    return stop;
  }

  /** A copy of `source` from `start` to `end`, in one piece, held for the caller. */
  keep(source: Uint8Array, start: number, end: number): FrameBytes {
    const { pooled } = this;
    this.reserve(end - start);
    if (pooled !== this.pooled) pooled?.release();
    const at = this.filled;
    this.fill(source, start, end);
    if (!this.pooled) return { data: [this.block.subarray(at, this.filled)] };
    this.pooled.hold();
    return { block: this.pooled, from: at };
  }
}
