import type { AuditNote } from './audit-event.ts';

/** The note with which a call starts. */
export function newAuditNote(): AuditNote {
  return { login: null, target: null, targetName: null, details: {}, isSignedIn: true, isMachine: false };
}
