/**
 * Deletes footage: by age, by quota, and for free space, the oldest first. A deletion removes the row and then the file. No
 * footage is deleted because of the wall clock alone, with the wrong disk mounted, or while earlier files can't be deleted; what is
 * deleted before its time is counted with its cause.
 */
export type { DatedSpan } from './footage-clock.ts';
export {
  Retention,
  type RetentionLoss,
  type RetentionRules,
  type RetentionStatus,
} from './footage-retention.ts';
export { FreeSpaceMonitor, type MeasureDisk, measureDisk } from './free-space-monitor.ts';
export { RetentionState } from './retention-state.ts';
export { SegmentDeleter } from './segment-deleter.ts';
export { Undeletable } from './undeletable.ts';
