import type { Download } from './download.ts';
import type { RecordedExtent } from './extent.ts';
import type { RecordingRun } from './gop.ts';
import type { RecordedRanges } from './intervals.ts';
import type { RecordedKeyFrame } from './key-frame.ts';
import type { RetentionLoss } from './retention.ts';
import type { RecordedDay, TimeZone } from './recorded-days.ts';
import type { SegmentBytes } from './segment-bytes.ts';
import type { RecordedPeriod, RecordingStats } from './stream-stats.ts';

/** An archive of this machine knows at once what several nodes have to be asked for. */
type MaybePromise<T> = T | Promise<T>;

/**
 * What is recorded of streams, to be read: the archive of this node, or those of all nodes of a cluster as one. A node
 * that is away is a gap with that cause, never an error.
 */
export interface ArchiveReader {
  /** The longest span of one download, ms. */
  readonly downloadMaxMs: number;
  /** From the oldest to the newest footage; undefined when there is none. */
  period(uid: string): MaybePromise<RecordedPeriod | undefined>;
  /** R7.13: what is recorded where, and why not elsewhere. @throws Fault TimeRangeIsTooLong, BadRequest */
  ranges(uid: string, startMs: number, endMs: number): MaybePromise<RecordedRanges>;
  /** R7.14. */
  stats(uid: string): MaybePromise<RecordingStats>;
  /** R7.15: days of the reader's calendar with anything recorded, and how much, oldest first. @throws Fault BadRequest */
  recordedDays(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]>;
  /** R7.17; an entry lasts at least `entryMs`. @throws Fault TimeRangeIsTooLong, BadRequest, NotFound */
  playlist(uid: string, startMs: number, endMs: number, entryMs?: number): Promise<string>;
  /** The file that a playlist calls `segment/<name>.mp4`. @throws Fault NotFound, Unavailable while its node is away */
  openSegment(uid: string, name: string): Promise<SegmentBytes>;
  /** How much lies in a span of at most a playlist's length, and what is missing. @throws Fault TimeRangeIsTooLong, BadRequest */
  extent(uid: string, startMs: number, endMs: number): MaybePromise<RecordedExtent>;
  /** What keeping a stream for so many hours deletes; without them what the lowered depth does that waits. */
  loss(uid: string, hours?: number): MaybePromise<RetentionLoss>;
  /**
   * Where a download may best be cut: the start of the file that holds `toMs`, or `toMs` itself when none does or it begins
   * before `fromMs`. Two downloads that meet at such a start share no picture.
   */
  splitPoint(uid: string, fromMs: number, toMs: number): MaybePromise<number>;
  /** R7.16. @throws Fault TimeRangeIsTooLong, BadRequest, NotFound when nothing is recorded there */
  download(uid: string, startMs: number, endMs: number): Promise<Download>;
  /** The newest recorded key frame at or before a moment, for frames and scrubbing. @throws Fault NotFound */
  frameAt(uid: string, atMs: number): Promise<RecordedKeyFrame>;
  /** What is recorded from the key frame at or before a moment to the next one. @throws Fault NotFound */
  gopAt(uid: string, atMs: number): Promise<readonly RecordingRun[]>;
}
