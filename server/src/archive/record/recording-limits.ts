import { backlogMaxBytes } from './recording-backlog.ts';
import type { RecorderLimits } from './recorder.ts';

/** What holds for all recorders of a disk. */
export interface RecordingLimits extends RecorderLimits {
  /** Of what waits in one process to be written, of all streams together. */
  readonly backlogMaxBytes: number;
  /**
   * Writes of all streams that Node's pool of threads is given together. A place becomes free only when the event loop
   * turns, so that fewer places than writes in two turns would limit how much is written, however fast the disk is.
   */
  readonly writesAtATime: number;
  /** Catalog commits of all streams are grouped over this interval. */
  readonly groupMs: number;
  /** Bytes of the disk that recording leaves free for the catalog. */
  readonly reserveBytes: number;
}

/** For the reasons see design/archive.md. */
export const defaultRecordingLimits: RecordingLimits = {
  fragmentMs: 1_000,
  fragmentMaxBytes: 16 * 1024 * 1024,
  segmentMs: 60_000,
  segmentMaxBytes: 1024 * 1024 * 1024,
  queueMaxBytes: 16 * 1024 * 1024,
  backlogMaxBytes: backlogMaxBytes(),
  retryMs: 5_000,
  // Everything else that needs a thread waits for four writes at most: the pool has sixteen.
  writesAtATime: 64,
  groupMs: 100,
  reserveBytes: 64 * 1024 * 1024,
};
