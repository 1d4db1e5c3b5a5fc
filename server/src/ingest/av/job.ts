import type { JobRequest } from './protocol.ts';

/**
 * Children do one kind of work each, so that a picture of a broken stream never costs a recording its input. Inputs are of
 * three kinds, by what they may reach: what the server dials, datagrams, and files of this machine (tests only).
 */
export type AvRole = JobRequest['kind'] | 'datagrams' | 'file';

/** A job as its owner holds it. */
export interface AvJob {
  /** Hands bytes to a job that converts. False when they were dropped. */
  data(bytes: Uint8Array, ptsTicks: number): boolean;
  /** Resolves when the child has taken what waits for it, or is gone. */
  drained(): Promise<void>;
  /** Ends the job; its listener hears nothing more. Idempotent. */
  close(): void;
  /** Ends the whole process that holds the job, for one that hangs. */
  kill(cause: string): void;
}
