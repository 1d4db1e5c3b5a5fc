/**
 * Boxes of ISO/IEC 14496-12, clause 4.2: how a box is framed, written and read; not the contents of any of
 * them.
 */
import { ByteReader } from '../bytes.ts';
import type { ByteWriter } from '../bytes.ts';
import { MalformedError } from '../malformed.ts';

/** Box, clause 4.2: size (32), filled in afterwards, and type (32), around what `body` writes. */
export function writeBox(out: ByteWriter, type: string, body: () => void): void {
  const start = out.position;
  out.u32(0);
  out.ascii(type);
  body();
  out.patchU32(start, out.position - start);
}

/** FullBox, clause 4.2: a box whose body begins with version (8) and flags (24). */
export function writeFullBox(
  out: ByteWriter,
  type: string,
  version: number,
  flags: number,
  body: () => void,
): void {
  writeBox(out, type, () => {
    out.u8(version);
    out.u24(flags);
    body();
  });
}

export interface BoxHeader {
  readonly type: string;
  /**
   * Bytes of the complete box, including the header; `undefined` if it extends to the end of the file (size 0).
   */
  readonly size: number | undefined;
  /** Bytes before the body: 8, or 16 with a 64-bit size. */
  readonly headerSize: number;
}

/** The maximum number of bytes that `readBoxHeader` needs. */
export const BOX_HEADER_MAX_BYTES = 16;

/**
 * The header at the start of `bytes`. Returns `undefined` if `bytes` ends inside the header.
 * @throws MalformedError if the size is smaller than the header or above 2^53
 */
export function readBoxHeader(bytes: Uint8Array): BoxHeader | undefined {
  if (bytes.length < 8) return undefined;
  const reader = new ByteReader(bytes);
  const size32 = reader.u32();
  const type = reader.ascii(4);
  if (size32 === 0) return { type, size: undefined, headerSize: 8 };
  if (size32 !== 1) {
    if (size32 < 8) throw new MalformedError(`box ${printable(type)} of ${size32} bytes`);
    return { type, size: size32, headerSize: 8 };
  }
  if (bytes.length < 16) return undefined;
  const size = reader.u64();
  if (size < 16) throw new MalformedError(`box ${printable(type)} of ${size} bytes with a 64-bit size`);
  return { type, size, headerSize: 16 };
}

export interface Box {
  readonly type: string;
  /** Offset of the box in the parsed bytes. */
  readonly offset: number;
  readonly size: number;
  readonly body: Uint8Array;
}

/**
 * The boxes that fill `bytes` from `offset` on, in order.
 * @throws MalformedError if one is truncated or does not end where its parent does
 */
export function* walkBoxes(bytes: Uint8Array, offset = 0): Generator<Box, void, undefined> {
  let at = offset;
  while (at < bytes.length) {
    const rest = bytes.subarray(at);
    const header = readBoxHeader(rest);
    if (header === undefined) throw new MalformedError(`box header truncated at ${at}`);
    const size = header.size ?? rest.length;
    if (size > rest.length) {
      throw new MalformedError(
        `box ${printable(header.type)} of ${size} bytes where ${rest.length} are left`,
      );
    }
    yield { type: header.type, offset: at, size, body: rest.subarray(header.headerSize, size) };
    at += size;
  }
}

/** The first child of this type, or `undefined`. */
export function findBox(bytes: Uint8Array, type: string): Box | undefined {
  for (const box of walkBoxes(bytes)) if (box.type === type) return box;
  return undefined;
}

/** The body of the first child of this type. @throws MalformedError if there is none */
export function requireBox(bytes: Uint8Array, type: string): Uint8Array {
  const box = findBox(bytes, type);
  if (box === undefined) throw new MalformedError(`box ${type} is missing`);
  return box.body;
}

/** A box type for a message: characters other than printable ASCII become dots. */
export function printable(type: string): string {
  return type.replace(/[^\x20-\x7e]/g, '.');
}
