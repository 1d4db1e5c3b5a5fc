import type { ErrorCode } from '@vidette/contract/errors';

/**
 * The one error class of the server: a code of the catalogue, a message for the user, and the cause. Foreign
 * errors are mapped once, where they enter; the HTTP status is looked up in the catalogue at the edge.
 */
export class Fault extends Error {
  readonly code: ErrorCode;
  /**
   * Extra members of the response, e.g. `fields` for ValidationError or `retryAfterSeconds` for
   * TooManyRequests.
   */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.details = options.details ?? {};
  }
}
