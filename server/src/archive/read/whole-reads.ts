import type { DatabaseSync } from 'node:sqlite';
import {
  type DamageMark,
  type InterruptionRow,
  type RecordedContent,
  type SegmentRow,
  TimelineReads,
} from '../catalog/catalog.ts';
import type { Damage } from './damage.ts';
import { decodeIndex, encodeEntry, type IndexedPosition } from '../segments/segments.ts';

/**
 * The catalog as it can be played: a damaged segment ends before the damage, followed by a gap with that cause.
 * Code that writes, moves, deletes or checks footage reads the rows themselves.
 */
export class WholeReads extends TimelineReads {
  readonly #damage: Damage;

  constructor(database: DatabaseSync, damage: Damage) {
    super(database);
    this.#damage = damage;
  }

  override segments(streamId: number, fromTicks: number, toTicks: number, limit: number): SegmentRow[] {
    const found: SegmentRow[] = [];
    let at = fromTicks;
    for (;;) {
      const wanted = limit - found.length;
      const rows = super.segments(streamId, at, toTicks, wanted);
      for (const row of rows) {
        const whole = this.#wholeOf(row);
        if (whole && whole.endTicks > fromTicks && whole.startTicks > (found.at(-1)?.startTicks ?? -1)) {
          found.push(whole);
        }
      }
      const last = rows.at(-1);
      const isEnd = !last || rows.length < wanted || last.startTicks < at;
      if (isEnd || found.length >= limit) return found.slice(0, limit);
      at = last.startTicks + 1;
    }
  }

  override segmentAtOrBefore(streamId: number, atTicks: number): SegmentRow | undefined {
    for (let at = atTicks; ;) {
      const row = super.segmentAtOrBefore(streamId, at);
      const whole = row && this.#wholeOf(row);
      if (!row || whole) return whole;
      at = row.startTicks - 1;
    }
  }

  override segmentAfter(streamId: number, atTicks: number): SegmentRow | undefined {
    for (let at = atTicks; ;) {
      const row = super.segmentAfter(streamId, at);
      const whole = row && this.#wholeOf(row);
      if (!row || whole) return whole;
      at = row.startTicks;
    }
  }

  override segment(streamId: number, startTicks: number): SegmentRow | undefined {
    const row = super.segment(streamId, startTicks);
    return row && this.#wholeOf(row);
  }

  override fragments(segment: SegmentRow, initBytes: number): IndexedPosition[] {
    const all = decodeIndex(super.fragmentEntries(segment), segment.startTicks, initBytes);
    if (!this.#damage.of(segment.streamId, segment.startTicks)) return all;
    return all.filter(({ offset, bytes }) => offset + bytes <= segment.bytes);
  }

  override fragmentEntries(segment: SegmentRow): Uint8Array {
    if (!this.#damage.of(segment.streamId, segment.startTicks)) return super.fragmentEntries(segment);
    return Buffer.concat(this.fragments(segment, this.initLength(segment.initId)).map(encodeEntry));
  }

  override interruptions(streamId: number, fromTicks: number, toTicks: number): InterruptionRow[] {
    const rows = super.interruptions(streamId, fromTicks, toTicks);
    // Only the rows with marks in the range are read.
    const isNear = ({ startTicks }: DamageMark) => super.segment(streamId, startTicks)?.isRemote === false;
    const asRow = ({ wholeEndTicks }: DamageMark): InterruptionRow => ({
      atTicks: wholeEndTicks,
      cause: 'file-damaged',
    });
    const marks = this.#damage.ofStream(streamId);
    const last = marks.findLast((mark) => mark.wholeEndTicks <= fromTicks && isNear(mark));
    const before = last && asRow(last);
    const within = marks
      .filter((mark) => mark.wholeEndTicks > fromTicks && mark.wholeEndTicks < toTicks && isNear(mark))
      .map(asRow);
    return [...(before ? [before] : []), ...within, ...rows].sort((a, b) => a.atTicks - b.atTicks);
  }

  override recordedContent(
    streamId: number,
    fromTicks: number,
    toTicks: number,
  ): RecordedContent | undefined {
    if (this.#damage.within(streamId, fromTicks, toTicks).length === 0)
      return super.recordedContent(streamId, fromTicks, toTicks);
    const spans = this.recordedSpans(streamId, fromTicks, toTicks);
    const [first, last] = [spans[0], spans.at(-1)];
    if (!first || !last) return undefined;
    const ticks = spans.reduce((sum, { startTicks, endTicks }) => sum + endTicks - startTicks, 0);
    return { startTicks: first.startTicks, endTicks: last.endTicks, ticks };
  }

  override recordedSpans(
    streamId: number,
    fromTicks: number,
    toTicks: number,
  ): { readonly startTicks: number; readonly endTicks: number }[] {
    const spans = super.recordedSpans(streamId, fromTicks, toTicks);
    if (this.#damage.within(streamId, fromTicks, toTicks).length === 0) return spans;
    return spans.flatMap(({ startTicks }) => this.segment(streamId, startTicks) ?? []);
  }

  override recordedTicks(streamId: number, fromTicks: number, toTicks: number, untilTicks: number): number {
    let ticks = super.recordedTicks(streamId, fromTicks, toTicks, untilTicks);
    for (const { wholeEndTicks, endTicks } of this.#lost(streamId, fromTicks, toTicks)) {
      ticks -= Math.min(endTicks, untilTicks) - Math.min(wholeEndTicks, untilTicks);
    }
    return ticks;
  }

  override recordedHours(
    streamId: number,
    fromTicks: number,
    toTicks: number,
    hourTicks: number,
  ): { hour: number; ticks: number }[] {
    const hours = super.recordedHours(streamId, fromTicks, toTicks, hourTicks);
    const lostOf = new Map<number, number>();
    for (const { startTicks, wholeEndTicks, endTicks } of this.#lost(streamId, fromTicks, toTicks)) {
      const hour = Math.floor(startTicks / hourTicks);
      lostOf.set(hour, (lostOf.get(hour) ?? 0) + endTicks - wholeEndTicks);
    }
    return hours.map(({ hour, ticks }) => ({ hour, ticks: ticks - (lostOf.get(hour) ?? 0) }));
  }

  /** The unplayable parts of the segments that begin in [fromTicks, toTicks). */
  #lost(
    streamId: number,
    fromTicks: number,
    toTicks: number,
  ): { startTicks: number; wholeEndTicks: number; endTicks: number }[] {
    return this.#damage.within(streamId, fromTicks, toTicks).flatMap(({ startTicks, wholeEndTicks }) => {
      const row = super.segment(streamId, startTicks);
      return row && !row.isRemote ? [{ startTicks, wholeEndTicks, endTicks: row.endTicks }] : [];
    });
  }

  /** The readable part; undefined if there is none. */
  #wholeOf(row: SegmentRow): SegmentRow | undefined {
    const mark = this.#damage.of(row.streamId, row.startTicks);
    if (!mark || row.isRemote) return row;
    return mark.wholeBytes === 0
      ? undefined
      : { ...row, bytes: mark.wholeBytes, endTicks: mark.wholeEndTicks };
  }
}
