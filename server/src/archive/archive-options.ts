import { archiveDefaults } from '@vidette/contract/constants';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MeasureDisk, RetentionRules } from './retention/retention.ts';
import type { ObjectStorageOptions } from './object-storage/object-storage.ts';
import type { ArchiveFiles } from './segments/segments.ts';
import type { ReadLimits } from './read/read.ts';
import { defaultRecordingLimits, type RecorderView, type RecordingLimits } from './record/record.ts';

export type ArchiveLimits = RecordingLimits & ReadLimits;

export const defaultArchiveLimits: ArchiveLimits = {
  ...defaultRecordingLimits,
  rangesMaxMs: archiveDefaults.rangesMaxSeconds * 1000,
  playlistMaxMs: archiveDefaults.playlistMaxSeconds * 1000,
  downloadMaxMs: archiveDefaults.downloadMaxSeconds * 1000,
};

/** Other processes record for this node. */
export interface RecordedElsewhere {
  /** As they last reported. */
  readonly recorders: RecorderView;
  /** Whether a process that runs already writes files of the stream: recovery leaves them alone. */
  isRunning(uid: string): boolean;
  /** The disk is the right one and its files are in order, or not (any more). Called often. */
  noteDisk(isInOrder: boolean): void;
  /** The files that these processes hold locked for as long as they may write. */
  readonly locks: readonly string[];
  /** Whether all of them have ended in order. */
  areStopped(): boolean;
  /** Ends those that record now, which others replace: the catalog that they write to is about to be replaced. */
  readonly end: () => Promise<void>;
}

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
  /** Undefined where this process records. */
  readonly recordedElsewhere?: RecordedElsewhere | undefined;
  /** Injected by tests. */
  readonly files?: ArchiveFiles;
  readonly measure?: MeasureDisk;
}
