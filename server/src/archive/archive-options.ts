import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MeasureDisk } from './free-space-monitor.ts';
import type { ObjectStorageOptions } from './object-storage.ts';
import type { ArchiveFiles } from './files.ts';
import type { ArchiveLimits } from './limits.ts';
import type { RetentionRules } from './retention.ts';

/** Options for opening an archive. */
export interface ArchiveOptions {
  /** The folder of segments. */
  readonly dir: string;
  /** The catalog's file, never inside `dir` (design/archive.md, "Where things are"); by default beside it. */
  readonly catalog?: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<ArchiveLimits>;
  readonly retention?: Partial<RetentionRules>;
  readonly remote?: ObjectStorageOptions;
  /** Replaced by tests. */
  readonly files?: ArchiveFiles;
  readonly measure?: MeasureDisk;
}
