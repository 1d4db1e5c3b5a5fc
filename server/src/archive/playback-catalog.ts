import type { CatalogReads, SegmentRow } from './catalog-reads.ts';
import type { SegmentReader } from './file-bytes.ts';

/** What is asked of a catalog to find and play footage; it may be the catalogs of several nodes in one. */
export type PlaybackCatalog = Pick<
  CatalogReads,
  | 'snapshot'
  | 'stream'
  | 'segments'
  | 'segmentAtOrBefore'
  | 'segmentAfter'
  | 'firstSegment'
  | 'newestSegment'
  | 'init'
  | 'initLength'
  | 'fragments'
  | 'interruptions'
>;

/** Opens the bytes of a segment that the reads answered with. @throws Fault NotFound when they are gone, FarArchiveUnavailable */
export type SegmentOpener = (segment: SegmentRow) => Promise<SegmentReader>;
