/**
 * Big-endian cursors over bytes: every format read and written here (ISOBMFF, configuration records) is
 * big-endian. For bits within a byte see `bits.ts`.
 */
import { MalformedError } from './malformed.ts';

const TWO_32 = 2 ** 32;

/** Reads forwards through a view; every read past the end throws a `MalformedError`. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes consumed so far. */
  get position(): number {
    return this.#position;
  }

  /** Bytes remaining. */
  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  #advance(length: number): number {
    if (length < 0 || length > this.remaining) {
      throw new MalformedError(`needs ${length} bytes at ${this.#position}, has ${this.remaining}`);
    }
    const at = this.#position;
    this.#position = at + length;
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u24(): number {
    const at = this.#advance(3);
    return this.#view.getUint16(at) * 256 + this.#view.getUint8(at + 2);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  i16(): number {
    return this.#view.getInt16(this.#advance(2));
  }

  i32(): number {
    return this.#view.getInt32(this.#advance(4));
  }

  /** A 64-bit unsigned integer as a number; throws above 2^53 - 1. */
  u64(): number {
    const at = this.#advance(8);
    const value = this.#view.getUint32(at) * TWO_32 + this.#view.getUint32(at + 4);
    if (!Number.isSafeInteger(value)) throw new MalformedError(`64-bit value at ${at} exceeds 2^53`);
    return value;
  }

  /** `length` bytes as a view, not a copy. */
  bytes(length: number): Uint8Array {
    const at = this.#advance(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** `length` bytes as Latin-1 text: box types and brands. */
  ascii(length: number): string {
    return String.fromCharCode(...this.bytes(length));
  }

  skip(length: number): void {
    this.#advance(length);
  }
}

/** Writes forwards into one buffer, which grows if the initial capacity is too small. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #position = 0;

  constructor(capacityBytes = 256) {
    this.#bytes = new Uint8Array(capacityBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes written so far. */
  get position(): number {
    return this.#position;
  }

  /** May replace the view, so call it before the view is read. */
  #advance(length: number): number {
    const at = this.#position;
    const end = at + length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#position = end;
    return at;
  }

  u8(value: number): void {
    const at = this.#advance(1);
    this.#view.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.#advance(2);
    this.#view.setUint16(at, value);
  }

  u24(value: number): void {
    const at = this.#advance(3);
    this.#view.setUint16(at, value >>> 8);
    this.#view.setUint8(at + 2, value);
  }

  u32(value: number): void {
    const at = this.#advance(4);
    this.#view.setUint32(at, value);
  }

  i16(value: number): void {
    const at = this.#advance(2);
    this.#view.setInt16(at, value);
  }

  i32(value: number): void {
    const at = this.#advance(4);
    this.#view.setInt32(at, value);
  }

  /** An integer from 0 to 2^53 - 1 as 64 bits; anything else is a `RangeError`. */
  u64(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a 64-bit count: ${value}`);
    const at = this.#advance(8);
    this.#view.setUint32(at, Math.floor(value / TWO_32));
    this.#view.setUint32(at + 4, value % TWO_32);
  }

  bytes(value: Uint8Array): void {
    const at = this.#advance(value.length);
    this.#bytes.set(value, at);
  }

  /** Characters up to U+00FF, one byte each. */
  ascii(value: string): void {
    const at = this.#advance(value.length);
    for (let i = 0; i < value.length; i++) this.#bytes[at + i] = value.charCodeAt(i);
  }

  zeros(length: number): void {
    this.#advance(length);
  }

  /** Overwrites four bytes written before, for sizes and offsets known only afterwards. */
  patchU32(at: number, value: number): void {
    this.#view.setUint32(at, value);
  }

  /** The bytes written, as a view of the writer's buffer. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#position);
  }
}
