import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call. `creator`: a signed-in user whose `maxStreamCreation` is not 0, or an administrator.
 * What a user may do with one particular object is declared beside it (`stream`, `mosaic`).
 */
type Audience = 'anyone' | 'user' | 'creator' | 'admin';

/** A right on the stream that the call's `uid` names. Whoever lacks it gets Forbidden. */
export type StreamRight = 'view' | 'archive' | 'share' | 'edit';

/** An answer that is not JSON. */
export interface MediaReply {
  readonly contentType: string;
  /** What else it may be, by what is asked for. */
  readonly otherTypes?: readonly string[];
  /** Takes `Range`: the answer may be a part (206) or say that there is no such part (416). */
  readonly isRanged?: true;
}

/** One call: what goes in, what comes out, who may, and what can go wrong beside what can always go wrong. */
export interface Call {
  readonly summary: string;
  readonly who: Audience;
  readonly stream?: StreamRight;
  /** Answers while no administrator exists; every other call answers 423 then. */
  readonly whileLocked?: true;
  /** Answers to somebody who must change the password first; every other call answers Forbidden to them. */
  readonly whilePasswordDue?: true;
  /**
   * What an API token can't do, so that a leaked one never becomes the account: `session` takes a signed-in person,
   * `password` one who has entered the password in this session lately (design/permissions.md). `rights` asks that of a
   * session only: an API token passes, since provisioning runs by tokens and by nobody who could enter a password.
   */
  readonly proof?: 'session' | 'password' | 'rights';
  /** A reading call that the audit log records too; unsafe calls always are. */
  readonly audited?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Its body may have thousands of rows. */
  readonly takesLongLists?: true;
  readonly reply: z.ZodType | MediaReply;
  readonly errors: readonly ErrorCode[];
}

/**
 * Codes that any call may answer, so that the table of calls need not repeat them: also one that is open to anyone
 * refuses a token that opens nothing and the page of another site, and what somebody removed a moment ago.
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
