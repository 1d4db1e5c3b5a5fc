/** Bits, most significant first: parameter sets, slice headers and audio configurations. */
import { MalformedError } from './malformed.ts';

/** Reads bits forwards; every read past the end throws a `MalformedError`. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Bits consumed so far. */
  get position(): number {
    return this.#position;
  }

  /** Bits remaining. */
  get remaining(): number {
    return this.#bytes.length * 8 - this.#position;
  }

  /** An unsigned integer of 0 to 32 bits: `u(n)` in the standards. */
  bits(count: number): number {
    if (count > this.remaining) throw new MalformedError(`needs ${count} bits, has ${this.remaining}`);
    let value = 0;
    let left = count;
    while (left > 0) {
      const byte = this.#bytes[this.#position >>> 3] ?? 0;
      const available = 8 - (this.#position & 7);
      const taken = Math.min(available, left);
      const chunk = (byte >>> (available - taken)) & ((1 << taken) - 1);
      value = value * 2 ** taken + chunk;
      this.#position += taken;
      left -= taken;
    }
    return value;
  }

  /** One bit as a boolean. */
  flag(): boolean {
    return this.bits(1) === 1;
  }

  skip(count: number): void {
    if (count > this.remaining) throw new MalformedError(`skips ${count} bits, has ${this.remaining}`);
    this.#position += count;
  }

  /** Unsigned exp-Golomb, `ue(v)`: ITU-T H.264 clause 9.1; at most 32 leading zeros. */
  ue(): number {
    let zeros = 0;
    while (this.bits(1) === 0) {
      zeros++;
      if (zeros > 32) throw new MalformedError('exp-Golomb code longer than 65 bits');
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** Signed exp-Golomb, `se(v)`: ITU-T H.264 clause 9.1.1. */
  se(): number {
    const code = this.ue();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2 || 0;
  }
}

/** Writes bits into bytes; the last byte is padded with zeros. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #free = 0;

  /** The low `count` (0 to 32) bits of `value`. */
  bits(count: number, value: number): void {
    for (let i = count - 1; i >= 0; i--) {
      if (this.#free === 0) {
        this.#bytes.push(0);
        this.#free = 8;
      }
      this.#free--;
      const last = this.#bytes.length - 1;
      const bit = Math.floor(value / 2 ** i) % 2;
      this.#bytes[last] = (this.#bytes[last] ?? 0) | (bit << this.#free);
    }
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
