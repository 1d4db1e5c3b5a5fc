/**
 * Untrusted bytes that do not follow their format, or exceed a limit set here. This is the only error that the
 * parsers of `media` throw for bad input; a `RangeError` is a caller's mistake.
 */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}
