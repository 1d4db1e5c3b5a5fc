import type { TimelineReads, CatalogStreamRow, RecordedGapCause } from '../catalog/catalog.ts';
import { catalogTicks } from '../segments/segments.ts';

/** How much of a window should have been recorded, and how much was. Catalog ticks. */
export interface Continuity {
  readonly expectedTicks: number;
  readonly recordedTicks: number;
}

const hourTicks = catalogTicks(3_600_000);
/** Hours in the cache: slightly more than the longest window, which begins in the middle of an hour. */
const hoursKept = 30 * 24 + 2;

/** Intended interruptions: time not recorded for these reasons does not count as missing. */
const wanted: ReadonlySet<RecordedGapCause> = new Set<RecordedGapCause>([
  'paused',
  'idle',
  'recording-off',
  'moved',
  'removed',
]);

/**
 * How much of a stream was recorded, without reading a month of rows each time: the footage that begins in each
 * past hour is added up once and cached, four bytes per hour; only the ends of a window and the last two hours
 * are queried again.
 */
export class ContinuityHours {
  /** Total ticks of the segments that begin in an hour, at the index hour modulo length. */
  readonly #ticks = new Uint32Array(hoursKept);
  #fromHour = 0;
  #toHour = 0;

  /**
   * The window of this many ticks before `toTicks`, which is the present or the end of the newest segment. Time
   * before the stream's first entry, and footage deleted by age, do not count.
   */
  window(reads: TimelineReads, stream: CatalogStreamRow, windowTicks: number, toTicks: number): Continuity {
    const firstTicks = firstSign(reads, stream.id) ?? toTicks;
    const fromTicks = Math.min(
      toTicks,
      Math.max(toTicks - windowTicks, firstTicks, stream.removedUntilTicks),
    );
    return {
      expectedTicks: toTicks - fromTicks - wantedTicks(reads, stream.id, fromTicks, toTicks),
      recordedTicks: this.#recorded(reads, stream.id, fromTicks, toTicks),
    };
  }

  /** Rows were deleted by a user or lost: the cache may be wrong. */
  forget(): void {
    this.#fromHour = 0;
    this.#toHour = 0;
  }

  #recorded(reads: TimelineReads, streamId: number, fromTicks: number, toTicks: number): number {
    const fromHour = Math.ceil(fromTicks / hourTicks);
    // The segment that began in the previous hour may still be growing.
    const toHour = Math.max(fromHour, Math.floor(toTicks / hourTicks) - 1);
    this.#remember(reads, streamId, fromHour, toHour);
    const before = reads.segmentAtOrBefore(streamId, fromTicks - 1);
    let sum = before ? Math.max(0, Math.min(before.endTicks, toTicks) - fromTicks) : 0;
    sum += reads.recordedTicks(streamId, fromTicks, Math.min(fromHour * hourTicks, toTicks), toTicks);
    for (let hour = fromHour; hour < toHour; hour++) sum += this.#ticks[hour % hoursKept] ?? 0;
    return sum + reads.recordedTicks(streamId, toHour * hourTicks, toTicks, toTicks);
  }

  #remember(reads: TimelineReads, streamId: number, fromHour: number, toHour: number): void {
    if (fromHour >= toHour) return;
    if (fromHour < this.#fromHour || fromHour > this.#toHour) {
      this.#fromHour = fromHour;
      this.#toHour = fromHour;
    }
    if (toHour <= this.#toHour) return;
    for (let hour = this.#toHour; hour < toHour; hour++) this.#ticks[hour % hoursKept] = 0;
    for (const { hour, ticks } of reads.recordedHours(
      streamId,
      this.#toHour * hourTicks,
      toHour * hourTicks,
      hourTicks,
    ))
      this.#ticks[hour % hoursKept] = ticks;
    this.#toHour = toHour;
    this.#fromHour = Math.max(this.#fromHour, toHour - hoursKept);
  }
}

/**
 * The same for any time span, without the cache: for one of a node's assignments to a stream. `isFirst`: no
 * node had it before, so time before the stream's first entry does not count.
 */
export function continuityOf(
  reads: TimelineReads,
  stream: CatalogStreamRow,
  span: { fromTicks: number; toTicks: number; isFirst: boolean },
): Continuity {
  const { toTicks, isFirst } = span;
  const firstTicks = isFirst ? (firstSign(reads, stream.id) ?? toTicks) : span.fromTicks;
  const fromTicks = Math.min(toTicks, Math.max(span.fromTicks, firstTicks, stream.removedUntilTicks));
  const before = reads.segmentAtOrBefore(stream.id, fromTicks - 1);
  const reaching = before ? Math.max(0, Math.min(before.endTicks, toTicks) - fromTicks) : 0;
  return {
    expectedTicks: toTicks - fromTicks - wantedTicks(reads, stream.id, fromTicks, toTicks),
    recordedTicks: reaching + reads.recordedTicks(stream.id, fromTicks, toTicks, toTicks),
  };
}

/** When recording was first requested; undefined if it never was. */
export function firstSign(reads: TimelineReads, streamId: number): number | undefined {
  const signs = [reads.firstSegment(streamId)?.startTicks, reads.firstInterruption(streamId)].filter(
    (ticks) => ticks !== undefined,
  );
  return signs.length > 0 ? Math.min(...signs) : undefined;
}

/** Time that is intentionally not recorded, from its interruption to the next one or to the next footage. */
function wantedTicks(reads: TimelineReads, streamId: number, fromTicks: number, toTicks: number): number {
  const interruptions = reads.interruptions(streamId, fromTicks, toTicks);
  let sum = 0;
  for (const [index, { atTicks, cause }] of interruptions.entries()) {
    if (!wanted.has(cause)) continue;
    const endTicks = Math.min(
      interruptions[index + 1]?.atTicks ?? toTicks,
      reads.segmentAfter(streamId, atTicks)?.startTicks ?? toTicks,
      toTicks,
    );
    sum += Math.max(0, endTicks - Math.max(atTicks, fromTicks));
  }
  return sum;
}
