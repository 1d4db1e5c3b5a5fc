/** The length (u32 LE) before each frame. */
export const lengthBytes = 4;
/** The shortest frame, after its length: five bytes in the protocol of the FFmpeg workers and in live video between nodes. */
const frameMinBytes = 5;
/** Bytes of one frame after its length; the largest coded frame (16 MiB, as everywhere) and its header fit. */
export const frameMaxBytes = 17 * 1024 * 1024;

/**
 * Splits a byte stream into frames. A frame contained in one chunk is a slice of it; one that spans chunks is
 * copied once into a buffer of its exact length.
 */
export class FrameReader {
  readonly #onFrame: (frame: Buffer) => void;
  readonly #length = Buffer.alloc(lengthBytes);
  #lengthFilled = 0;
  #frame: Buffer | undefined;
  #frameFilled = 0;

  constructor(onFrame: (frame: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** @throws RangeError if a length exceeds the limit; the pipe is unusable after that */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#frame) {
        at += this.#fillFrame(chunk, at);
      } else {
        at += this.#fillLength(chunk, at);
        if (this.#lengthFilled === lengthBytes) at += this.#begin(chunk, at);
      }
    }
  }

  #fillLength(chunk: Buffer, at: number): number {
    const count = Math.min(lengthBytes - this.#lengthFilled, chunk.length - at);
    chunk.copy(this.#length, this.#lengthFilled, at, at + count);
    this.#lengthFilled += count;
    return count;
  }

  /** Starts the frame whose length is known; passes it on immediately if the chunk contains all of it. */
  #begin(chunk: Buffer, at: number): number {
    const length = this.#length.readUInt32LE(0);
    if (length < frameMinBytes || length > frameMaxBytes)
      throw new RangeError(`Invalid frame length: ${length} bytes.`);
    this.#lengthFilled = 0;
    if (chunk.length - at >= length) {
      this.#onFrame(chunk.subarray(at, at + length));
      return length;
    }
    this.#frame = Buffer.allocUnsafe(length);
    this.#frameFilled = 0;
    return 0;
  }

  #fillFrame(chunk: Buffer, at: number): number {
    const frame = this.#frame;
    if (!frame) return 0;
    const count = Math.min(frame.length - this.#frameFilled, chunk.length - at);
    chunk.copy(frame, this.#frameFilled, at, at + count);
    this.#frameFilled += count;
    if (this.#frameFilled === frame.length) {
      this.#frame = undefined;
      this.#onFrame(frame);
    }
    return count;
  }
}
