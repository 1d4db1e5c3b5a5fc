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

/** An entry that is updated while the activity lasts, such as watching. */
export interface OpenEntry {
  /** Replaces the details; with `isOver` for the last time. */
  update(details: Readonly<Record<string, unknown>>, isOver?: boolean): void;
}
