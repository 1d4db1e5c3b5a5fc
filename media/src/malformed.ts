/**
 * Bytes from outside that do not follow their format, or exceed a limit set here.
 * The only error that the parsers of `media` throw on bad input; a `RangeError` is a caller's mistake.
 */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}
