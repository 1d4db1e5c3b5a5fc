import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogReads } from '../catalog/catalog.ts';
import { CATALOG_TIMESCALE, catalogMs } from '../segments/segments.ts';

/** What lists of many streams show of the footage of one. */
export interface FootageFigures {
  /** Of the oldest footage, ms since the epoch. */
  readonly oldestMs: number;
  readonly bytes: number;
  readonly durationMs: number;
}

/** Each needs one lookup in an index; a turn takes a millisecond or two. */
const streamsAtATime = 200;

/** Of every stream that has footage, by uid. Live media does not wait for ten thousand of them. */
export async function footageFiguresOf(reads: CatalogReads): Promise<Map<string, FootageFigures>> {
  const figures = new Map<string, FootageFigures>();
  for (const [index, { id, uid, bytes, durationTicks }] of reads.streams().entries()) {
    if (index % streamsAtATime === streamsAtATime - 1) await nextTurn();
    const first = reads.firstSegment(id);
    if (!first) continue;
    const durationMs = Math.round((durationTicks * 1000) / CATALOG_TIMESCALE);
    figures.set(uid, { oldestMs: catalogMs(first.startTicks), bytes, durationMs });
  }
  return figures;
}
