/**
 * Deletes footage by age, by quota, and for free space, the oldest first. The row is deleted first, then the
 * file. No footage is deleted because of the wall clock alone, with the wrong disk mounted, or while earlier
 * files cannot be deleted; footage deleted early is counted with the cause.
 */
export type { DatedSpan } from './footage-clock.ts';
export {
  Retention,
  type RetentionLoss,
  type RetentionRules,
  type RetentionStatus,
} from './footage-retention.ts';
export { FreeSpaceMonitor, type MeasureDisk, measureDisk } from './free-space-monitor.ts';
export { type FootageHold, HeldFootage } from './held-footage.ts';
export { KeptFootage } from './kept-footage.ts';
export { RetentionState } from './retention-state.ts';
export { SegmentDeleter } from './segment-deleter.ts';
export { Undeletable } from './undeletable.ts';
