/**
 * Reads recorded footage: ranges, days, statistics, playlists, segments, downloads, single frames; from this
 * node's catalog and files, or from the catalogs of several nodes as one. It never returns bytes that were not
 * committed, leaves out footage whose file is damaged, and needs memory for one fragment, whatever the length
 * of the response.
 */
export type { ArchiveReader, SegmentBytes, WantedBytes } from './archive-reader.ts';
export {
  type CatalogSlice,
  coarseSliceOf,
  entriesLength,
  sliceOf,
  type SliceSpan,
  wholeSlice,
} from './catalog-slice.ts';
export { CoarseSpans } from './coarse-spans.ts';
export { ContinuityHours } from './continuity.ts';
export { Damage } from './damage.ts';
export { type Download, planDownload } from './download.ts';
export { extentOf, type RecordedExtent, splitPointOf } from './extent.ts';
export { FederatedCatalog, type NodeCatalog, overlap } from './federated-catalog.ts';
export { type FootageFigures, footageFiguresOf } from './footage-figures.ts';
export { gopAt, type RecordingRun } from './gop.ts';
export {
  assertCoarseSpan,
  assertSpan,
  intervalsOf,
  joinTicksAt,
  nothingRecorded,
  rangesAnswerOf,
  type RecordedInterval,
  type RecordedRanges,
  type RecordingGap,
} from './intervals.ts';
export { keyFrameAt, type RecordedKeyFrame } from './key-frame.ts';
export { LocalReader, type ReadLimits } from './local-reader.ts';
export { PastChanges } from './past-changes.ts';
export type { SegmentOpener } from './playback-catalog.ts';
export { vodPlaylistOf } from './playlist.ts';
export { type RecordedDay, RecordedDayReader, type TimeZone } from './recorded-days.ts';
export {
  type CoverageWindows,
  RecordingCoverage,
  type RecordingSpan,
  type StreamCoverage,
  sumOfParts,
} from './recording-coverage.ts';
export { StoredSegments, streamOf } from './stored-segments.ts';
export { type RecordedPeriod, type RecordingStats, statsOf } from './stream-stats.ts';
export { WholeReads } from './whole-reads.ts';
