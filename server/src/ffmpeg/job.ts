import type { JobRequest } from './protocol.ts';

/**
 * Children do one kind of work each, so that a snapshot of a broken stream never costs a recording its input.
 * Inputs are of three kinds, by their access: connections dialled by the server, datagrams, and files of this
 * machine (tests only).
 */
export type WorkerRole = JobRequest['kind'] | 'datagrams' | 'file';

/** A job as seen by its owner. */
export interface FfmpegJob {
  /** Passes bytes to a transcoding job. False when they were dropped. */
  data(bytes: Uint8Array, ptsTicks: number): boolean;
  /** Resolves when the child has read its queue, or has exited. */
  drained(): Promise<void>;
  /** Ends the job; its listener gets no more events. Idempotent. */
  close(): void;
  /** Kills the process of the job, for a hanging one. */
  kill(cause: string): void;
}
