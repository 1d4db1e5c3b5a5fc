import type { CatalogStreamRow } from '../catalog/catalog.ts';
import type { PlaybackCatalog } from './playback-catalog.ts';
import { gapsOf, intervalsOf, type RecordingGap } from './intervals.ts';
import { CATALOG_TIMESCALE, catalogMs, catalogMsCeil, catalogTicks } from '../segments/segments.ts';

/** The contents of a time span, from the catalog alone; ms since the epoch. */
export interface RecordedExtent {
  /** Times of the first and the last footage in the time span; null if there is none. */
  readonly startTime: number | null;
  readonly endTime: number | null;
  readonly durationMs: number;
  /** Segments that extend past the ends count in proportion. */
  readonly bytes: number;
  readonly gaps: readonly RecordingGap[];
}

/** `stream`: undefined if the catalog has no such stream. */
export function extentOf(
  reads: PlaybackCatalog,
  stream: CatalogStreamRow | undefined,
  startMs: number,
  endMs: number,
  isLive: boolean,
): RecordedExtent {
  if (!stream || startMs === endMs) {
    return { startTime: null, endTime: null, durationMs: 0, bytes: 0, gaps: [] };
  }
  const fromTicks = catalogTicks(startMs);
  const toTicks = catalogTicks(endMs);
  let ticks = 0;
  let bytes = 0;
  let first: number | undefined;
  let last = 0;
  for (const segment of reads.segments(stream.id, fromTicks, toTicks, Number.MAX_SAFE_INTEGER)) {
    const start = Math.max(segment.startTicks, fromTicks);
    const end = Math.min(segment.endTicks, toTicks);
    if (end <= start) continue;
    first ??= start;
    last = end;
    ticks += end - start;
    bytes += (segment.bytes * (end - start)) / (segment.endTicks - segment.startTicks);
  }
  return {
    startTime: first === undefined ? null : catalogMs(first),
    endTime: first === undefined ? null : catalogMsCeil(last),
    durationMs: Math.round((ticks * 1000) / CATALOG_TIMESCALE),
    bytes: Math.round(bytes),
    gaps: gapsOf(intervalsOf(reads, stream, startMs, endMs, isLive)),
  };
}

/**
 * The start of the segment that contains `toMs`; `toMs` itself if there is none or it begins before `fromMs`.
 * Ms since the epoch.
 */
export function splitPointOf(
  reads: Pick<PlaybackCatalog, 'segmentAtOrBefore'>,
  stream: Pick<CatalogStreamRow, 'id'>,
  fromMs: number,
  toMs: number,
): number {
  const segment = reads.segmentAtOrBefore(stream.id, catalogTicks(toMs));
  if (!segment || segment.endTicks <= catalogTicks(toMs)) return toMs;
  const startMs = catalogMs(segment.startTicks);
  return startMs > fromMs ? startMs : toMs;
}
