import { Fault } from '../../base/fault.ts';
import type { SegmentReader } from '../segments/segments.ts';

/** Large enough for the header and key frame of most fragments. */
const windowFirstBytes = 262_144;
/** Upper limit of the read-ahead window. */
const windowMaxBytes = 2_097_152;

/**
 * The store returned bytes other than the recorded ones. Unlike with a file, nothing is marked: the next
 * request may return the right ones.
 */
export function corrupted(): Fault {
  return new Fault('NotFound', 'This part of the archive is damaged.');
}

/** Reads a complete byte range of an object. */
export type ReadSpan = (offset: number, length: number) => Promise<Uint8Array>;

/**
 * Random access to a segment in object storage: each request to the store reads a window, which grows while
 * reads are sequential. Holds one window at a time.
 */
export class ObjectReader implements SegmentReader {
  readonly #readSpan: ReadSpan;
  readonly #bytes: number;
  readonly #isAcceptable: (offset: number, bytes: Uint8Array) => boolean;
  #window: { readonly offset: number; readonly bytes: Uint8Array } = { offset: 0, bytes: new Uint8Array(0) };
  #nextWindowBytes = windowFirstBytes;

  /**
   * @param bytes the segment's length
   * @param isAcceptable called with each range read, in reading order; a rejected range is not served
   */
  constructor(
    readSpan: ReadSpan,
    bytes: number,
    isAcceptable: (offset: number, bytes: Uint8Array) => boolean = () => true,
  ) {
    this.#readSpan = readSpan;
    this.#isAcceptable = isAcceptable;
    this.#bytes = bytes;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (offset + length > this.#bytes) {
      throw new Fault('InternalServerError', 'A segment of the archive is shorter than requested.');
    }
    const known = this.#known(offset, length);
    if (known) return known;
    const windowEnd = this.#window.offset + this.#window.bytes.length;
    const followsOn = this.#window.bytes.length > 0 && offset >= this.#window.offset && offset <= windowEnd;
    this.#nextWindowBytes = followsOn
      ? Math.min(windowMaxBytes, this.#nextWindowBytes * 2)
      : windowFirstBytes;
    const spanBytes = Math.min(this.#bytes - offset, Math.max(length, this.#nextWindowBytes));
    const span = await this.#readSpan(offset, spanBytes);
    if (!this.#isAcceptable(offset, span)) throw corrupted();
    this.#window = { offset, bytes: span };
    return this.#window.bytes.subarray(0, length);
  }

  async close(): Promise<void> {
    this.#window = { offset: 0, bytes: new Uint8Array(0) };
  }

  #known(offset: number, length: number): Uint8Array | undefined {
    const from = offset - this.#window.offset;
    if (from < 0 || from + length > this.#window.bytes.length) return undefined;
    return this.#window.bytes.subarray(from, from + length);
  }
}
