import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { TimelineReads } from '../catalog/catalog.ts';
import { catalogTicks } from '../segments/segments.ts';
import { joinSpans, type TickSpan } from './intervals.ts';

const dayTicks = catalogTicks(86_400_000);
/** A day is divided into hours; the rows of an hour are read. */
const partsOfDay = 24;
/** Longest uninterrupted computation: the event loop must stay free for live media. */
const turnBudgetMs = 5;

type Sums = Pick<TimelineReads, 'segmentAtOrBefore' | 'recordedContent' | 'recordedSpans'>;

/**
 * What is recorded between two times, where gaps up to a length don't count. Nearly every day of an archive has no
 * longer gap, which the sums of its rows prove: the rows themselves are read only for the hours for which they don't.
 * The result costs no more memory than it has entries, and the event loop is free after each day.
 */
export class CoarseSpans {
  readonly #reads: Sums;
  readonly #clock: Clock;

  constructor(reads: Sums, clock: Clock) {
    this.#reads = reads;
    this.#clock = clock;
  }

  /**
   * Those that overlap [fromTicks, toTicks), not clipped to it, oldest first; those `joinTicks` or less apart are one.
   * Footage that is recorded or deleted meanwhile may be missing or present.
   */
  async of(streamId: number, fromTicks: number, toTicks: number, joinTicks: number): Promise<TickSpan[]> {
    const spans: TickSpan[] = [];
    const before = this.#reads.segmentAtOrBefore(streamId, fromTicks - 1);
    if (before && before.endTicks > fromTicks) joinSpans(spans, [before], joinTicks);
    let turnMs = this.#clock.monotonicMs();
    for (let at = fromTicks; at < toTicks; at += dayTicks) {
      joinSpans(spans, this.#within(streamId, at, Math.min(at + dayTicks, toTicks), joinTicks, 1), joinTicks);
      if (this.#clock.monotonicMs() - turnMs < turnBudgetMs) continue;
      await nextTurn();
      turnMs = this.#clock.monotonicMs();
    }
    return spans;
  }

  /** Of the segments that begin in [fromTicks, toTicks). @param levels how often the span may be divided */
  #within(
    streamId: number,
    fromTicks: number,
    toTicks: number,
    joinTicks: number,
    levels: number,
  ): readonly TickSpan[] {
    const content = this.#reads.recordedContent(streamId, fromTicks, toTicks);
    if (!content) return [];
    const { startTicks, endTicks, ticks } = content;
    // All gaps together are no longer than one that doesn't count.
    if (endTicks - startTicks - ticks <= joinTicks) return [content];
    if (levels === 0) return this.#reads.recordedSpans(streamId, fromTicks, toTicks);
    const partTicks = Math.ceil(dayTicks / partsOfDay);
    const spans: TickSpan[] = [];
    for (let at = fromTicks; at < toTicks; at += partTicks) {
      const part = this.#within(streamId, at, Math.min(at + partTicks, toTicks), joinTicks, levels - 1);
      joinSpans(spans, part, joinTicks);
    }
    return spans;
  }
}
