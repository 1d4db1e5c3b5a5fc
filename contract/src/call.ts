import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call. `creator`: a signed-in user whose `maxStreamCreation` is not 0, or an administrator. What a
 * user may do with a particular object is declared separately (`stream`, `mosaic`).
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

/** One call: its input, its output, who may call it, and its errors besides those that any call may have. */
export interface Call {
  readonly summary: string;
  readonly who: Audience;
  readonly stream?: StreamRight;
  /**
   * Reads the archive: answers LicenseExpired while the license is missing or expired [R6.9]. The last of the
   * checks, so that a caller without the right learns nothing about the license.
   */
  readonly needsLicense?: true;
  /**
   * A part of the product that a valid license may leave out: answers LicenseExpired, or FeatureNotFound [R6.7].
   * Checked last, like `needsLicense`.
   */
  readonly needsFeature?: 'tunnel';
  /**
   * A part of the product that only enterprise licenses cover: answers EnterpriseOnly, or FeatureNotFound [R6.8].
   * An expired license still covers it. Checked last, like `needsLicense`.
   */
  readonly needsEnterprise?: 'cluster';
  /** Available while no administrator exists, when every other call answers 423. */
  readonly whileLocked?: true;
  /** Available to a user who must change the password first, to whom every other call answers Forbidden. */
  readonly whilePasswordDue?: true;
  /**
   * What an API token can't do, so that a leaked one never gives control of the account: `session` requires a
   * signed-in user, `password` one who has entered the password in this session recently
   * (design/permissions.md). `rights` requires that only of a session: an API token is accepted, because
   * provisioning uses tokens and has no user to enter a password.
   */
  readonly proof?: 'session' | 'password' | 'rights';
  /** A read call that the audit log records too; unsafe calls always are. */
  readonly audited?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The member of the body that names what the call is about, for the audit log; `uid` unless given. */
  readonly targetMember?: 'location';
  /** The body may have thousands of rows. */
  readonly takesLongLists?: true;
  readonly reply: z.ZodType | MediaReply;
  readonly errors: readonly ErrorCode[];
}

/**
 * Codes that any call may answer, so that the table of calls need not repeat them: even a public call refuses
 * an invalid token, a page of another site, and an object that was just deleted.
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
