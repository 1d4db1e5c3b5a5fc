import type { ErrorCode } from '@vidette/contract/errors';

/**
 * How a child gets connections: it asks over Node's own channel between processes, which can carry a socket; the server
 * resolves, checks and dials, and hands over what is connected. The child has no network of its own.
 */
export interface DialRequest {
  readonly dial: number;
  readonly job: number;
  readonly host: string;
  readonly port: number;
}

/** With a socket beside it, or with the reason why there is none. */
export interface DialReply {
  readonly dialled: number;
  readonly failure?: { readonly code: ErrorCode; readonly message: string };
}
