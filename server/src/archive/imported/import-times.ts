import { KEY_TICKS } from '@vidette/media/mp4/remux';
import type { CatalogReads } from '../catalog/catalog.ts';
import { catalogMs, catalogMsCeil, catalogTicks, type NewFragment } from '../segments/segments.ts';

/** A recording with its place on the timeline. */
export interface TimedRecording {
  readonly startTicks: number;
  /** Those that fit; not empty. */
  readonly fragments: readonly NewFragment[];
}

/** Pauses between recordings that are no longer than this, beyond what names can say, are none. */
const spareTicks = catalogTicks(500);
/** A recording that would begin this much before the end of the one before it is one of the same time. */
export const overlapMaxTicks = catalogTicks(5_000);

interface Span {
  readonly startTicks: number;
  readonly endTicks: number;
}

/**
 * Where the recordings of a camera are on the timeline. Names say when they begin, to the second, and their frames how long
 * they last. So a recording that begins about where the one before it ends begins exactly there. It stays within `overlapMaxTicks`
 * of its name: where the frames of many recordings last longer than their names say, some fragments are left out.
 * Recordings are placed in the order of their times; those of an earlier import are in the catalog.
 */
export class ImportTimes {
  readonly #reads: Pick<CatalogReads, 'segmentAtOrBefore' | 'segmentAfter'> | undefined;
  readonly #streamId: () => number | undefined;
  #last: Span | undefined;
  #firstTicks: number | undefined;
  #lastTicks: number | undefined;

  constructor(
    reads: Pick<CatalogReads, 'segmentAtOrBefore' | 'segmentAfter'> | undefined,
    streamId: () => number | undefined,
  ) {
    this.#reads = reads;
    this.#streamId = streamId;
  }

  /** Whether a time is before that of the recording that got its place last. */
  isBefore(startTicks: number): boolean {
    return startTicks < (this.#last?.startTicks ?? 0);
  }

  /** Of the oldest recording, ms since the epoch; null if there was none. */
  get firstMs(): number | null {
    return this.#firstTicks === undefined ? null : catalogMs(this.#firstTicks);
  }

  get lastMs(): number | null {
    return this.#lastTicks === undefined ? null : catalogMsCeil(this.#lastTicks);
  }

  /** A recording that has its place: the next one follows it. */
  follow({ startTicks, endTicks }: Span): void {
    this.#last = { startTicks, endTicks };
    this.#firstTicks = Math.min(this.#firstTicks ?? startTicks, startTicks);
    this.#lastTicks = Math.max(this.#lastTicks ?? endTicks, endTicks);
  }

  /**
   * @param named when it begins by its name
   * @param stepMs how exact that is
   * @returns undefined if another recording has this time
   */
  place(named: number, fragments: readonly NewFragment[], stepMs: number): TimedRecording | undefined {
    const toleranceTicks = catalogTicks(stepMs) + spareTicks;
    const ticks = lengthOf(fragments);
    const before = this.#before(named + toleranceTicks);
    const startTicks = before ? startAfter(before, named, toleranceTicks) : ceilToGrid(named);
    if (startTicks === undefined) return undefined;
    const streamId = this.#streamId();
    const next =
      streamId === undefined ? undefined : this.#reads?.segmentAfter(streamId, startTicks - 1)?.startTicks;
    const fit = fitting(fragments, startTicks, Math.min(named + ticks + toleranceTicks, next ?? Infinity));
    return fit.length === 0 ? undefined : { startTicks, fragments: fit };
  }

  /** The recording that begins last until a time. */
  #before(atTicks: number): Span | undefined {
    const streamId = this.#streamId();
    const stored = streamId === undefined ? undefined : this.#reads?.segmentAtOrBefore(streamId, atTicks);
    const last = this.#last && this.#last.startTicks <= atTicks ? this.#last : undefined;
    if (!stored || !last) return stored ?? last;
    return stored.startTicks > last.startTicks ? stored : last;
  }
}

function startAfter(before: Span, named: number, toleranceTicks: number): number | undefined {
  const pauseTicks = named - before.endTicks;
  if (pauseTicks > toleranceTicks) return ceilToGrid(named);
  return pauseTicks < -overlapMaxTicks ? undefined : ceilToGrid(before.endTicks);
}

function ceilToGrid(ticks: number): number {
  return Math.ceil(ticks / KEY_TICKS) * KEY_TICKS;
}

export function lengthOf(fragments: readonly NewFragment[]): number {
  return fragments.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
}

/** The first fragments that end before a time. */
function fitting(
  fragments: readonly NewFragment[],
  startTicks: number,
  untilTicks: number,
): readonly NewFragment[] {
  let endTicks = startTicks;
  const end = fragments.findIndex(({ durationTicks }) => {
    endTicks += durationTicks;
    return endTicks > untilTicks;
  });
  return end < 0 ? fragments : fragments.slice(0, end);
}
