import type { ErrorCode } from '@vidette/contract/errors';

/**
 * How a child gets connections: it sends a request over Node's IPC channel, which can transfer a socket; the
 * server resolves, checks and dials, and passes on the connected socket. The child has no network access of its
 * own.
 */
export interface DialRequest {
  readonly dial: number;
  readonly job: number;
  readonly host: string;
  readonly port: number;
}

/** Accompanied by a socket, or with the reason why there is none. */
export interface DialReply {
  readonly dialled: number;
  readonly failure?: { readonly code: ErrorCode; readonly message: string };
}
