import type { CatalogReads } from '../catalog/catalog.ts';
import type { StreamCoverage } from './recording-coverage.ts';
import { CATALOG_TIMESCALE, catalogMs, catalogMsCeil } from '../segments/segments.ts';

/** From the oldest to the newest footage, ms since the epoch. */
export interface RecordedPeriod {
  readonly startTime: number;
  readonly endTime: number;
}

export interface RecordingStats {
  /** Of the oldest and the newest footage, ms since the epoch; null if there is none. */
  readonly startTime: number | null;
  readonly endTime: number | null;
  readonly durationMs: number;
  readonly bytes: number;
  /** The part of it in the bucket. */
  readonly farBytes: number;
  /** The part of it in files of other programs. Omitted if there are none. */
  readonly importedBytes?: number;
  readonly segments: number;
  /** Bits per second, averaged over the stored footage. */
  readonly bitrate: number;
  /** Null for a stream that this node is not assigned to record. */
  readonly recorded: StreamCoverage | null;
  /**
   * Nodes that do not respond: the footage they recorded is not in these figures. Omitted if there are none.
   */
  readonly withoutNodes?: readonly string[];
}

export function periodOf(reads: CatalogReads, uid: string): RecordedPeriod | undefined {
  const stream = reads.stream(uid);
  const first = stream && reads.firstSegment(stream.id);
  const newest = stream && reads.newestSegment(stream.id);
  return (
    first && newest && { startTime: catalogMs(first.startTicks), endTime: catalogMsCeil(newest.endTicks) }
  );
}

const nothing = { bytes: 0, farBytes: 0, segments: 0, durationTicks: 0 };

export function statsOf(reads: CatalogReads, uid: string): Omit<RecordingStats, 'recorded'> {
  const { bytes, farBytes, segments, durationTicks } = reads.stream(uid) ?? nothing;
  const period = periodOf(reads, uid);
  const durationMs = Math.round((durationTicks * 1000) / CATALOG_TIMESCALE);
  return {
    startTime: period?.startTime ?? null,
    endTime: period?.endTime ?? null,
    durationMs,
    bytes,
    farBytes,
    segments,
    bitrate: durationMs > 0 ? Math.round((bytes * 8000) / durationMs) : 0,
  };
}
