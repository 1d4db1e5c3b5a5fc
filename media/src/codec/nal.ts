/**
 * NAL units as common to H.264 and H.265: start codes, length prefixes and emulation prevention (ITU-T H.264
 * clause 7.3.1 and annex B, ISO/IEC 14496-15 clause 4.3). For the meaning of a unit see `h264.ts` and
 * `h265.ts`.
 */
import { MalformedError } from '../malformed.ts';

/** More NAL units than any picture of a camera contains (8K with 600 slices is below). */
export const MAX_NAL_UNITS = 4096;

/**
 * The raw payload of a NAL unit: each 0x03 after two zero bytes is dropped (H.264 clause 7.4.1).
 * `limitBytes` stops early, for callers that read only a header.
 */
export function removeEmulationPrevention(nal: Uint8Array, limitBytes = nal.length): Uint8Array {
  const input = nal.subarray(0, limitBytes);
  const output = new Uint8Array(input.length);
  let length = 0;
  let zeros = 0;
  for (const byte of input) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    output[length++] = byte;
  }
  return output.subarray(0, length);
}

/**
 * The NAL units of a byte stream with start codes of three or four bytes, as views; bytes before the first
 * start code are ignored, empty units are skipped. Returns no units if there is no start code.
 * @throws MalformedError above `MAX_NAL_UNITS`
 */
export function annexBToNals(bytes: Uint8Array): Uint8Array[] {
  const nals: Uint8Array[] = [];
  let start = -1;
  for (let at = bytes.indexOf(1, 2); at !== -1; at = bytes.indexOf(1, at + 1)) {
    if (bytes[at - 1] !== 0 || bytes[at - 2] !== 0) continue;
    if (start !== -1) pushTrimmed(nals, bytes.subarray(start, at - 2));
    start = at + 1;
  }
  if (start !== -1) pushTrimmed(nals, bytes.subarray(start));
  return nals;
}

/** Zero bytes before the next start code belong to it, not to the unit (trailing_zero_8bits, annex B.1.1). */
function pushTrimmed(nals: Uint8Array[], nal: Uint8Array): void {
  let end = nal.length;
  while (end > 0 && nal[end - 1] === 0) end--;
  if (end === 0) return;
  if (nals.length === MAX_NAL_UNITS) throw new MalformedError(`more than ${MAX_NAL_UNITS} NAL units`);
  nals.push(nal.subarray(0, end));
}

/**
 * The NAL units of a sample's `data`, as views if a unit is contained in one slice.
 * @throws MalformedError if a length exceeds the remaining bytes, or above `MAX_NAL_UNITS`
 */
export function sampleNals(data: readonly Uint8Array[]): Uint8Array[] {
  const nals: Uint8Array[] = [];
  // The usual layout, prefix and unit in turn, is read without joining anything.
  let at = 0;
  for (; at + 1 < data.length; at += 2) {
    const prefix = data[at];
    const nal = data[at + 1];
    if (prefix?.length !== 4 || nal === undefined || readU32(prefix, 0) !== nal.length) break;
    push(nals, nal);
  }
  if (at === data.length) return nals;
  const rest = join(data.slice(at));
  let offset = 0;
  while (offset < rest.length) {
    if (offset + 4 > rest.length) throw new MalformedError('NAL length truncated');
    const length = readU32(rest, offset);
    offset += 4;
    if (length > rest.length - offset) throw new MalformedError(`NAL unit of ${length} bytes truncated`);
    push(nals, rest.subarray(offset, offset + length));
    offset += length;
  }
  return nals;
}

function push(nals: Uint8Array[], nal: Uint8Array): void {
  if (nals.length === MAX_NAL_UNITS) throw new MalformedError(`more than ${MAX_NAL_UNITS} NAL units`);
  if (nal.length > 0) nals.push(nal);
}

function readU32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0);
}

function join(slices: readonly Uint8Array[]): Uint8Array {
  const only = slices[0];
  if (slices.length === 1 && only !== undefined) return only;
  const joined = new Uint8Array(slices.reduce((sum, slice) => sum + slice.length, 0));
  let at = 0;
  for (const slice of slices) {
    joined.set(slice, at);
    at += slice.length;
  }
  return joined;
}
