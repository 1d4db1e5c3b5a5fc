import { archiveDefaults } from '@vidette/contract/constants';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MeasureDisk, RetentionRules } from './retention/retention.ts';
import type { ObjectStorageOptions } from './object-storage/object-storage.ts';
import type { ArchiveFiles } from './segments/segments.ts';
import type { ReadLimits } from './read/read.ts';
import type { RecorderLimits } from './record/record.ts';

export interface ArchiveLimits extends RecorderLimits, ReadLimits {
  /** Catalog commits of all streams are grouped over this interval. */
  readonly groupMs: number;
  /** Bytes of the disk that recording leaves free for the catalog. */
  readonly reserveBytes: number;
}

/** For the reasons see design/archive.md. */
export const defaultArchiveLimits: ArchiveLimits = {
  fragmentMs: 1_000,
  fragmentMaxBytes: 16 * 1024 * 1024,
  segmentMs: 60_000,
  segmentMaxBytes: 1024 * 1024 * 1024,
  queueMaxBytes: 16 * 1024 * 1024,
  retryMs: 5_000,
  rangesMaxMs: archiveDefaults.rangesMaxSeconds * 1000,
  playlistMaxMs: archiveDefaults.playlistMaxSeconds * 1000,
  downloadMaxMs: archiveDefaults.downloadMaxSeconds * 1000,
  groupMs: 100,
  reserveBytes: 64 * 1024 * 1024,
};

/** Options for opening an archive. */
export interface ArchiveOptions {
  /** The folder of segments. */
  readonly dir: string;
  /** The catalog's file, never inside `dir` (design/archive.md, "Where things are"); by default next to it. */
  readonly catalog?: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<ArchiveLimits>;
  readonly retention?: Partial<RetentionRules>;
  readonly remote?: ObjectStorageOptions;
  /** Injected by tests. */
  readonly files?: ArchiveFiles;
  readonly measure?: MeasureDisk;
}
