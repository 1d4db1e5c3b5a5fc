import type { JobRequest } from './protocol.ts';

/**
 * Each child does one kind of work, so that a snapshot of a broken stream never costs a recording its input.
 * There are three kinds of inputs, by their access: connections opened by the server, datagrams, and files of
 * this machine (tests only).
 */
export type WorkerRole = JobRequest['kind'] | 'datagrams' | 'file';

/** A job as seen by its owner. */
export interface FfmpegJob {
  /** Passes bytes to a transcoding job. False if they were dropped. */
  data(bytes: Uint8Array, ptsTicks: number): boolean;
  /**
   * The same for media that must not be dropped: waits until the child has room. False if the job has ended, or its
   * child is about to exit: the listener is told why.
   */
  send(bytes: Uint8Array, ptsTicks: number): Promise<boolean>;
  /** Ends the job; its listener receives no more events. Idempotent. */
  close(): void;
  /** Kills the process of a hanging job. */
  kill(cause: string): void;
}
