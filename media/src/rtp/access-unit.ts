/**
 * Puts the NAL units of one picture together from RTP payloads: what the H.264 and H.265 payload formats share.
 * Slices of pictures stay where they were received: the 4-byte length that a sample needs before each NAL unit is
 * written over the RTP header in front of it, which has been read by then.
 */

/** One coded picture as received, before its times are known. */
export interface AccessUnit {
  /** RTP time stamp, 32 bits. */
  readonly timestamp: number;
  readonly isKey: boolean;
  readonly isDamaged: boolean;
  /** As in `Sample.data`: NAL units, each after its 4-byte length. */
  readonly data: readonly Uint8Array[];
  /** Bytes. */
  readonly size: number;
  /** The beginning of the first slice's NAL unit: its header and as much as came in one packet. */
  readonly firstSlice: Uint8Array;
}

/** A picture larger than this is given up; an 8K key frame of the best quality stays below. */
export const maxUnitBytes = 24 * 1024 * 1024;

const prefixBytes = 4;

export class AccessUnitBuilder {
  #data: Uint8Array[] = [];
  #size = 0;
  #firstSlice: Uint8Array | undefined;
  /** The piece that begins with the length of the NAL unit being received. */
  #open: Uint8Array | undefined;
  #openAt = 0;
  #openBytes = 0;

  get hasSlice(): boolean {
    return this.#firstSlice !== undefined;
  }

  /** Bytes so far, the unit being received included. */
  get size(): number {
    return this.#size + this.#openBytes;
  }

  /**
   * Begins a NAL unit in place: it lies in `bytes` from `start`, and the 4 bytes before it may be overwritten.
   * Further pieces follow by `append`, then `close`.
   */
  open(bytes: Uint8Array, start: number, end: number, isSlice: boolean): void {
    this.abandon();
    this.#openAt = this.#data.length;
    this.#open = bytes.subarray(start - prefixBytes, end);
    this.#data.push(this.#open);
    this.#openBytes = end - start;
    if (isSlice) this.#firstSlice ??= bytes.subarray(start, end);
  }

  append(piece: Uint8Array): void {
    this.#data.push(piece);
    this.#openBytes += piece.length;
  }

  /** The NAL unit is whole. */
  close(): void {
    const head = this.#open;
    if (!head) return;
    writeLength(head, this.#openBytes);
    this.#size += prefixBytes + this.#openBytes;
    this.#open = undefined;
    this.#openBytes = 0;
  }

  /** Adds a whole NAL unit that has no room for a length before it. */
  add(nal: Uint8Array, isSlice: boolean): void {
    this.abandon();
    const prefix = new Uint8Array(prefixBytes);
    writeLength(prefix, nal.length);
    this.#data.push(prefix, nal);
    this.#size += prefixBytes + nal.length;
    if (isSlice) this.#firstSlice ??= nal;
  }

  /** Drops the NAL unit being received; true if there was one. */
  abandon(): boolean {
    if (!this.#open) return false;
    const first = this.#firstSlice;
    if (
      first &&
      first.buffer === this.#open.buffer &&
      first.byteOffset === this.#open.byteOffset + prefixBytes
    ) {
      this.#firstSlice = undefined;
    }
    this.#data.length = this.#openAt;
    this.#open = undefined;
    this.#openBytes = 0;
    return true;
  }

  /** Hands over the picture and begins the next one; undefined when it holds no slice. */
  take(timestamp: number, isKey: boolean, isDamaged: boolean): AccessUnit | undefined {
    const firstSlice = this.#firstSlice;
    const unit = firstSlice && {
      timestamp,
      isKey,
      isDamaged,
      data: this.#data,
      size: this.#size,
      firstSlice,
    };
    this.#data = [];
    this.#size = 0;
    this.#firstSlice = undefined;
    return unit;
  }
}

function writeLength(at: Uint8Array, length: number): void {
  at[0] = length >>> 24;
  at[1] = length >>> 16;
  at[2] = length >>> 8;
  at[3] = length;
}
