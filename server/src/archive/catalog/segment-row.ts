/** One segment as stored in the catalog: all of its bytes are flushed. */
export interface SegmentRow {
  readonly streamId: number;
  readonly startTicks: number;
  readonly endTicks: number;
  /** Readable length of the file. */
  readonly bytes: number;
  readonly initId: number;
  readonly indexId: number;
  readonly isOpen: boolean;
  /** Its bytes are stored as an object in the bucket, not as a file. */
  readonly isRemote: boolean;
}

/** A segment and the stream it belongs to. */
export type OwnedSegment = SegmentRow & { readonly uid: string };

/** What the file name and the object key of a segment are derived from. */
export interface SegmentName {
  readonly uid: string;
  readonly startTicks: number;
}

/** A row as SQLite returns it. */
export type CatalogRow = Record<string, unknown>;

/** The columns that `segmentRow` needs. */
export const columns =
  'stream_id, start_ticks, end_ticks, segment.bytes AS bytes, init_id, index_id, is_open, is_far';

export function segmentRow(row: CatalogRow): SegmentRow {
  return {
    streamId: row['stream_id'] as number,
    startTicks: row['start_ticks'] as number,
    endTicks: row['end_ticks'] as number,
    bytes: row['bytes'] as number,
    initId: row['init_id'] as number,
    indexId: row['index_id'] as number,
    isOpen: row['is_open'] === 1,
    isRemote: row['is_far'] === 1,
  };
}

export function ownedSegment(row: CatalogRow): OwnedSegment {
  return { ...segmentRow(row), uid: row['uid'] as string };
}

export function segmentName(row: CatalogRow): SegmentName {
  return { uid: row['uid'] as string, startTicks: row['start_ticks'] as number };
}
