import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call. `creator`: a signed-in user whose `maxStreamCreation` is not 0, or an administrator.
 * What a user may do with one particular object is declared beside it (`stream`, `mosaic`).
 */
type Audience = 'anyone' | 'user' | 'creator' | 'admin';

/** A right on the stream that the call's `uid` names. Callers without it get Forbidden. */
export type StreamRight = 'view' | 'archive' | 'share' | 'edit';

/** An answer that is not JSON. */
export interface MediaReply {
  readonly contentType: string;
  /** Other content types it may have, depending on the request. */
  readonly otherTypes?: readonly string[];
  /** Accepts `Range`: the response may be partial (206) or report an unsatisfiable range (416). */
  readonly isRanged?: true;
}

/** One call: its input, its output, who may call it, and its errors beside those that any call may have. */
export interface Call {
  readonly summary: string;
  readonly who: Audience;
  readonly stream?: StreamRight;
  /**
   * Reads the archive: answers LicenseExpired while the license is missing or expired [R6.9]. The last of the checks,
   * so that a caller without the right learns nothing of the license.
   */
  readonly needsLicense?: true;
  /** Answers while no administrator exists; every other call answers 423 then. */
  readonly whileLocked?: true;
  /** Answers a user who must change the password first; every other call answers Forbidden to them. */
  readonly whilePasswordDue?: true;
  /**
   * What an API token can't do, so that a leaked one never becomes the account: `session` takes a signed-in person,
   * `password` one who has entered the password in this session recently (design/permissions.md). `rights` asks
   * that of a session only: an API token passes, since provisioning uses tokens and has no person to enter a
   * password.
   */
  readonly proof?: 'session' | 'password' | 'rights';
  /** A read call that the audit log records too; unsafe calls always are. */
  readonly audited?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body may have thousands of rows. */
  readonly takesLongLists?: true;
  readonly reply: z.ZodType | MediaReply;
  readonly errors: readonly ErrorCode[];
}

/**
 * Codes that any call may answer, so that the table of calls need not repeat them: even a public call refuses
 * an invalid token, a page of another site, and an object that was just removed.
 */
export const universalErrors = [
  'AuthorizationRequired',
  'Forbidden',
  'ActionNotAcceptable',
  'ValidationError',
  'RequestDecodeError',
  'BadRequest',
  'TooManyRequests',
  'InternalServerError',
  'ResponseEncodeError',
  'Unavailable',
  'LifetimeCodeRequired',
] as const satisfies readonly ErrorCode[];
