import type { CatalogReads } from '../catalog/catalog.ts';

/** Where a segment may begin, and how far it may extend. Catalog ticks. */
export interface FreeSlot {
  readonly startTicks: number;
  /** The start of the next recorded footage, or infinity. */
  readonly limitTicks: number;
}

/**
 * The earliest time at or after `wantedTicks` that is not recorded yet and leaves room for `lengthTicks`. It is
 * `wantedTicks` itself unless the clock was set back or a run reaches footage recorded while the clock was
 * ahead (design/archive.md, "Time"): such a run is recorded after the existing footage, never over it.
 */
export function nextFreeSlot(
  reads: CatalogReads,
  uid: string,
  wantedTicks: number,
  lengthTicks: number,
): FreeSlot {
  const stream = reads.stream(uid);
  if (!stream) return { startTicks: wantedTicks, limitTicks: Number.POSITIVE_INFINITY };
  const before = reads.segmentAtOrBefore(stream.id, wantedTicks);
  let startTicks = Math.max(wantedTicks, before?.endTicks ?? 0);
  for (const segment of reads.eachSegment(stream.id, startTicks, Number.MAX_SAFE_INTEGER)) {
    if (segment.startTicks >= startTicks + lengthTicks) return { startTicks, limitTicks: segment.startTicks };
    startTicks = segment.endTicks;
  }
  return { startTicks, limitTicks: Number.POSITIVE_INFINITY };
}
