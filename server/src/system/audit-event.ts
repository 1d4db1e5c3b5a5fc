export interface AuditEvent {
  readonly login: string | null;
  readonly ip: string;
  /** Name of the call. */
  readonly action: string;
  readonly target: string | null;
  /** `ok` or an error code. */
  readonly outcome: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the audit log will record of a call while the call is running: services add what only they know. */
export interface AuditNote {
  login: string | null;
  target: string | null;
  details: Record<string, unknown>;
  /** The caller is signed in; anonymous calls are counted, not logged one by one. */
  isSignedIn: boolean;
}

/** An entry that is updated while the activity lasts, such as watching. */
export interface OpenEntry {
  /** Replaces the details; with `isOver` for the last time. */
  update(details: Readonly<Record<string, unknown>>, isOver?: boolean): void;
}
