import type { CatalogReads, SegmentRow } from '../catalog/catalog.ts';
import type { SegmentReader } from '../segments/segments.ts';

/** The catalog queries needed to find and play footage; may be backed by the catalogs of several nodes. */
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

/**
 * Opens the bytes of a segment returned by the queries. @throws Fault NotFound if they have been deleted,
 * FarArchiveUnavailable
 */
export type SegmentOpener = (segment: SegmentRow) => Promise<SegmentReader>;
