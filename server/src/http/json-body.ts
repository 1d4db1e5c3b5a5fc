import { limits } from '@vidette/contract/constants';
import { Fault } from '../base/fault.ts';

/** Maximum depth; more than any call needs. Code that reads a value recursively must not overflow the stack. */
const depthMax = 32;
/** Maximum number of members of one object. */
const membersMax = 1_000;
/**
 * Maximum number of items of one array; one more than any call accepts, so that the schema names an array that
 * is too long.
 */
const elementsMax = limits.permissionRowsMax + 1;
/** Maximum number of values in the whole body. */
const valuesMax = 100_000;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The value of a JSON body. Its shape is measured before it is parsed, in one pass over the bytes: a megabyte
 * of brackets or of names costs the parser and all later steps a hundred times as much as a megabyte of valid
 * calls.
 * @throws Fault RequestDecodeError for invalid JSON, BadRequest for a body that is deeper or has more members
 * than any call accepts
 */
export function readJson(bytes: Uint8Array): unknown {
  requireModestShape(bytes);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new Fault('RequestDecodeError', 'The body is not JSON.', { cause });
  }
}

/** For invalid JSON the result is arbitrary; the parser rejects it later. */
function requireModestShape(bytes: Uint8Array): void {
  /** Commas seen so far in each open object or array, by depth. */
  const commas = new Int32Array(depthMax + 1);
  const mostCommas = new Int32Array(depthMax + 1);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at + 1);
    else if (byte === comma) {
      commas[depth] = (commas[depth] ?? 0) + 1;
      values++;
      if ((commas[depth] ?? 0) > (mostCommas[depth] ?? 0) && depth > 0) throw immodest();
    } else if (byte === openObject || byte === openArray) {
      depth++;
      values++;
      if (depth > depthMax) throw immodest();
      commas[depth] = 0;
      mostCommas[depth] = (byte === openObject ? membersMax : elementsMax) - 1;
    } else if ((byte === closeObject || byte === closeArray) && depth > 0) depth--;
    if (values > valuesMax) throw immodest();
  }
}

/** Position of the quote that ends a string. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

function immodest(): Fault {
  return new Fault('BadRequest', 'The body is deeper or has more members than any call accepts.');
}
