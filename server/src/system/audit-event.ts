export interface AuditEvent {
  readonly login: string | null;
  readonly ip: string;
  /** Name of the call. */
  readonly action: string;
  readonly target: string | null;
  /** What the object is called, unless it is a stream that still exists, or the target itself is a name. */
  readonly targetName?: string | null;
  /** `ok` or an error code. */
  readonly outcome: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** A program did it, as with an API token. */
  readonly isMachine?: boolean;
}

/** The audit entry of a running call, to which services add details. */
export interface AuditNote {
  login: string | null;
  target: string | null;
  /** What the target is called when its call ends, where the target is no name itself. */
  targetName: string | null;
  details: Record<string, unknown>;
  /** The caller is a program: it uses an API token. */
  isMachine: boolean;
  /** The caller is signed in; anonymous calls are counted, not logged individually. */
  isSignedIn: boolean;
}

/** An entry that is updated while an activity, such as watching, lasts. */
export interface OpenEntry {
  /** Replaces the details; with `isOver` for the last time. */
  update(details: Readonly<Record<string, unknown>>, isOver?: boolean): void;
}
