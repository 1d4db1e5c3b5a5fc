import type { AuditNote } from './audit-event.ts';

/** A note as a call starts with it. */
export function newAuditNote(): AuditNote {
  return { login: null, target: null, details: {}, isSignedIn: true };
}
