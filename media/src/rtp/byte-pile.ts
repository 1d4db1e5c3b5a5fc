/** Joins bytes that arrive in pieces, up to a limit. However small the pieces are, each byte is kept once. */
export class BytePile {
  readonly #maxBytes: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds a copy of `source` from `start` to `end`; false, with nothing added, if the limit would be exceeded.
   */
  add(source: Uint8Array, start: number, end: number): boolean {
    const size = this.#size + end - start;
    if (size > this.#maxBytes) return false;
    if (size > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#maxBytes, Math.max(size, 2 * this.#bytes.length)));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#bytes.set(source.subarray(start, end), this.#size);
    this.#size = size;
    return true;
  }

  /** A copy of the bytes added; the pile is empty afterwards. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#size);
    this.#bytes = new Uint8Array(0);
    this.#size = 0;
    return taken;
  }
}
