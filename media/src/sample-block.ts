/**
 * Memory of received frames that is used again. A block is free once all its holders have released it, and only if no reader
 * keeps it; a reader that neither holds nor releases leaves it to the garbage collector, which costs time and is always
 * right. Why, and what it saves: design/ingest-cost.md.
 */

/** A sample, as far as its memory is concerned. */
interface InBlocks {
  readonly blocks?: readonly SampleBlock[];
}

/** One use of a piece of memory, by the samples that lie in it. */
export class SampleBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** This block, as the list that is shared by all samples in it. */
  readonly alone: readonly SampleBlock[] = [this];
  readonly #pool: BlockPool;
  #holds = 1;
  #isKept = false;

  /** Held by the arena that fills it. */
  constructor(bytes: Uint8Array<ArrayBuffer>, pool: BlockPool) {
    this.bytes = bytes;
    this.#pool = pool;
  }

  /** A part of it. */
  view(from: number, size: number): Uint8Array {
    return this.bytes.subarray(from, from + size);
  }

  hold(): void {
    this.#holds++;
  }

  /** Exactly once for each hold; nothing in it may be read afterwards. */
  release(): void {
    this.#holds--;
    if (this.#holds === 0 && !this.#isKept) this.#pool.take(this.bytes);
  }

  /** Is never used again: someone who doesn't release may read it at any time. */
  keep(): void {
    this.#isKept = true;
  }
}

/** Free memory is looked at after so many blocks: what was not needed meanwhile is given back. */
const lookEvery = 512;

/** Blocks of one size that wait to be used again, the last one used first: it is the most likely to be in the CPU's cache. */
export class BlockPool {
  readonly blockBytes: number;
  readonly #maxBlocks: number;
  #free: Uint8Array<ArrayBuffer>[] = [];
  /** The fewest that were free since the last look. */
  #leastFree = 0;
  #untilLook = lookEvery;

  constructor(blockBytes: number, maxFreeBytes: number) {
    this.blockBytes = blockBytes;
    this.#maxBlocks = Math.floor(maxFreeBytes / blockBytes);
  }

  /** Bytes that wait. */
  get freeBytes(): number {
    return this.#free.length * this.blockBytes;
  }

  /** A block for a new use; its contents are arbitrary. */
  give(): SampleBlock {
    const bytes = this.#free.pop() ?? new Uint8Array(this.blockBytes);
    this.#leastFree = Math.min(this.#leastFree, this.#free.length);
    if (--this.#untilLook <= 0) this.#giveBack();
    return new SampleBlock(bytes, this);
  }

  /** For `SampleBlock`. */
  take(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#free.length < this.#maxBlocks) this.#free.push(bytes);
  }

  #giveBack(): void {
    this.#free.splice(0, this.#leastFree);
    this.#leastFree = this.#free.length;
    this.#untilLook = lookEvery;
  }
}

/**
 * The pieces of bytes that begin at `from` of the first block, fill each block to its end, and end in the last.
 * @param give called with each piece: it has `size` bytes from `from` of the block
 */
export function eachPiece(
  blocks: readonly SampleBlock[],
  from: number,
  size: number,
  give: (block: SampleBlock, from: number, size: number) => void,
): void {
  for (const block of blocks) {
    const piece = Math.min(size, block.bytes.length - from);
    give(block, from, piece);
    size -= piece;
    from = 0;
  }
}

/** The sample is needed until `releaseSample`. */
export function holdSample({ blocks }: InBlocks): void {
  if (blocks) for (const block of blocks) block.hold();
}

/** Exactly once for each `holdSample`; its data may not be read afterwards. */
export function releaseSample({ blocks }: InBlocks): void {
  if (blocks) for (const block of blocks) block.release();
}

/** The sample may be read at any time, by someone who doesn't say when they have finished. */
export function keepSample({ blocks }: InBlocks): void {
  if (blocks) for (const block of blocks) block.keep();
}
