import type { RecorderLimits } from './recorder.ts';

/** What holds for all recorders of a disk. */
export interface RecordingLimits extends RecorderLimits {
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
  retryMs: 5_000,
  groupMs: 100,
  reserveBytes: 64 * 1024 * 1024,
};
