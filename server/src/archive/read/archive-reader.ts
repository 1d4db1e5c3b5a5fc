import type { Readable } from 'node:stream';
import type { Download } from './download.ts';
import type { RecordedExtent } from './extent.ts';
import type { RecordingRun } from './gop.ts';
import type { RecordedRanges } from './intervals.ts';
import type { RecordedKeyFrame } from './key-frame.ts';
import type { RetentionLoss } from '../retention/retention.ts';
import type { RecordedDay, TimeZone } from './recorded-days.ts';
import type { RecordedPeriod, RecordingStats } from './stream-stats.ts';

/** A segment's readable bytes. */
export interface SegmentBytes {
  /** Committed length; bytes beyond it are never served. */
  readonly size: number;
  /** The file will grow: a response must not be cached for long. */
  readonly isGrowing: boolean;
  /**
   * Bytes from `start` to `endInclusive`, within the part that was wanted, if one was. Call it once, or call `close`.
   * @throws Fault if they cannot be read
   */
  stream(start: number, endInclusive: number): Promise<Readable>;
  close(): Promise<void>;
}

/** The part of a segment that is read, given its size; undefined: all of it. */
export type WantedBytes = (size: number) => { readonly start: number; readonly end: number } | undefined;

/** A local archive answers synchronously; a federated one has to query several nodes. */
type MaybePromise<T> = T | Promise<T>;

/**
 * Read access to recorded footage: the archive of this node, or the archives of all cluster nodes as one. A
 * node that is offline appears as a gap with that cause, never as an error.
 */
export interface ArchiveReader {
  /** The longest span of one download, ms. */
  readonly downloadMaxMs: number;
  /** From the oldest to the newest footage; undefined when there is none. */
  period(uid: string): MaybePromise<RecordedPeriod | undefined>;
  /** R7.13: recorded ranges, and gaps with their causes. @throws Fault TimeRangeIsTooLong, BadRequest */
  ranges(uid: string, startMs: number, endMs: number): MaybePromise<RecordedRanges>;
  /**
   * The same, where gaps of `resolutionSeconds` or less are part of the ranges around them, for spans of up to 31 days.
   * @throws Fault TimeRangeIsTooLong, BadRequest
   */
  coarseRanges(
    uid: string,
    startMs: number,
    endMs: number,
    resolutionSeconds: number,
  ): Promise<RecordedRanges>;
  /** R7.14. */
  stats(uid: string): MaybePromise<RecordingStats>;
  /** R7.15: days in the reader's calendar with footage, and how much, oldest first. @throws Fault BadRequest */
  recordedDays(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]>;
  /** R7.17; an entry lasts at least `entryMs`. @throws Fault TimeRangeIsTooLong, BadRequest, NotFound */
  playlist(uid: string, startMs: number, endMs: number, entryMs?: number): Promise<string>;
  /**
   * The file that a playlist references as `segment/<name>.mp4`. @throws Fault NotFound, Unavailable while its
   * node is offline
   * @param wanted the rest of the file is not checked for damage, and can't be read
   */
  openSegment(uid: string, name: string, wanted?: WantedBytes): Promise<SegmentBytes>;
  /**
   * How much footage a time span (at most a playlist's length) has, and what is missing. @throws Fault
   * TimeRangeIsTooLong, BadRequest
   */
  extent(uid: string, startMs: number, endMs: number): MaybePromise<RecordedExtent>;
  /**
   * What a retention of this many hours would delete; without hours, what the pending lowered retention will
   * delete.
   */
  loss(uid: string, hours?: number): MaybePromise<RetentionLoss>;
  /**
   * The best point to split a download: the start of the file that contains `toMs`, or `toMs` itself if there
   * is none or it starts before `fromMs`. Two downloads that meet at such a point share no frame.
   */
  splitPoint(uid: string, fromMs: number, toMs: number): MaybePromise<number>;
  /** R7.16. @throws Fault TimeRangeIsTooLong, BadRequest, NotFound if nothing is recorded there */
  download(uid: string, startMs: number, endMs: number): Promise<Download>;
  /** The newest recorded key frame at or before a time, for snapshots and scrubbing. @throws Fault NotFound */
  frameAt(uid: string, atMs: number): Promise<RecordedKeyFrame>;
  /** The recorded samples from the key frame at or before a time to the next one. @throws Fault NotFound */
  gopAt(uid: string, atMs: number): Promise<readonly RecordingRun[]>;
}
