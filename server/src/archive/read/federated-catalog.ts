import type { InterruptionRow, SegmentRow, CatalogStreamRow } from '../catalog/catalog.ts';
import type { PlaybackCatalog } from './playback-catalog.ts';
import type { CatalogSlice, SliceSegment } from './catalog-slice.ts';
import { decodeIndex, type IndexedPosition, CATALOG_TIMESCALE } from '../segments/segments.ts';
import { handoverCut } from './handover-cut.ts';
import { JOIN_TICKS, joinSpans, type TickSpan } from './intervals.ts';

/** The footage of a stream around a time span on one node. */
export interface NodeCatalog {
  readonly node: string;
  /** Undefined while the node is offline. */
  readonly slice: CatalogSlice | undefined;
  /** The times when it was assigned to record the stream, catalog ticks. */
  readonly assignments: readonly TickSpan[];
  /** Its footage is shown only where no other node has any: recordings of another program, which ran at the same time. */
  readonly yields?: boolean;
}

/** A file of one node. */
export interface FederatedPosition {
  readonly node: string;
  /** The start that its file is named after. */
  readonly fileTicks: number;
}

interface FederatedSegment extends SegmentRow, FederatedPosition {
  readonly initBytes: number;
  readonly entries: string;
  /** Footage that begins at or after this time comes from another node; Infinity: none does. */
  readonly untilTicks: number;
}

/** How far back a node's key frames are compared with those of the next node. */
const compareTicks = 30 * CATALOG_TIMESCALE;
/** A node records why it stopped shortly after it should have stopped. */
const noteTicks = JOIN_TICKS * 40;

/**
 * The catalogs of several nodes as one, for one stream and one time span, with the interface that the archive's
 * own code uses. Where two nodes recorded the same time (one takes over before the other stops), the footage of
 * the one that started first is used, up to the last key frame that both have (`handover-cut.ts`).
 */
export class FederatedCatalog implements PlaybackCatalog {
  readonly #stream: CatalogStreamRow | undefined;
  readonly #segments: readonly FederatedSegment[];
  readonly #byStart: ReadonlyMap<number, FederatedSegment>;
  readonly #interruptions: readonly InterruptionRow[];
  readonly #newestEndTicks: number;
  readonly #inits: readonly string[];

  constructor(uid: string, parts: readonly NodeCatalog[]) {
    const inits: string[] = [];
    const slices = parts.flatMap(({ slice }) => (slice ? [slice] : []));
    const segments = parts.map((part) => ({ yields: part.yields === true, of: segmentsOf(part, inits) }));
    const first = trimmed(segments.flatMap(({ yields, of }) => (yields ? [] : of)));
    // Two nodes may have imported the same files.
    this.#segments = segments.reduce(
      (shown: readonly FederatedSegment[], { yields, of }) => (yields ? filledWith(shown, of) : shown),
      first,
    );
    this.#byStart = new Map(this.#segments.map((segment) => [segment.startTicks, segment]));
    this.#inits = inits;
    this.#interruptions = parts.flatMap(interruptionsOf).sort((a, b) => a.atTicks - b.atTicks);
    this.#newestEndTicks = Math.max(0, ...slices.map(({ newestEndTicks }) => newestEndTicks));
    const count = slices.reduce((sum, { segmentCount }) => sum + segmentCount, 0);
    this.#stream =
      count === 0 && this.#interruptions.length === 0
        ? undefined
        : {
            id: 0,
            uid,
            segments: count,
            bytes: 0,
            durationTicks: 0,
            removedUntilTicks: Math.max(0, ...slices.map(({ removedUntilTicks }) => removedUntilTicks)),
            isRecording: slices.some(({ isLive }) => isLive),
            remoteSegments: 0,
            farBytes: 0,
          };
  }

  /** The location of a segment's bytes. */
  placeOf(segment: SegmentRow): FederatedPosition {
    return this.#of(segment);
  }

  snapshot<T>(read: () => T): T {
    return read();
  }

  stream(): CatalogStreamRow | undefined {
    return this.#stream;
  }

  segments(_: number, fromTicks: number, toTicks: number, limit: number): SegmentRow[] {
    const from = this.#segments.findIndex(({ endTicks }) => endTicks > fromTicks);
    if (from < 0) return [];
    const found: SegmentRow[] = [];
    for (const segment of this.#segments.slice(from, from + limit)) {
      if (segment.startTicks >= toTicks) break;
      found.push(segment);
    }
    return found;
  }

  segmentAtOrBefore(_: number, atTicks: number): SegmentRow | undefined {
    return this.#segments.findLast(({ startTicks }) => startTicks <= atTicks);
  }

  segmentAfter(_: number, atTicks: number): SegmentRow | undefined {
    return this.#segments.find(({ startTicks }) => startTicks > atTicks);
  }

  firstSegment(): SegmentRow | undefined {
    return this.#segments[0];
  }

  /** Only the end is used if it is after the time span. */
  newestSegment(): SegmentRow | undefined {
    const last = this.#segments.at(-1);
    return last && { ...last, endTicks: Math.max(last.endTicks, this.#newestEndTicks) };
  }

  init(initId: number): Uint8Array {
    const init = this.#inits[initId];
    if (init === undefined) throw new RangeError(`the slices have no init segment ${initId}`);
    return Buffer.from(init, 'base64');
  }

  initLength(initId: number): number {
    return this.init(initId).length;
  }

  fragments(segment: SegmentRow): IndexedPosition[] {
    return fragmentsOf(this.#of(segment));
  }

  interruptions(_: number, fromTicks: number, toTicks: number): InterruptionRow[] {
    const within = this.#interruptions.filter(({ atTicks }) => atTicks > fromTicks && atTicks < toTicks);
    const before = this.#interruptions.findLast(({ atTicks }) => atTicks <= fromTicks);
    return before ? [before, ...within] : within;
  }

  #of(segment: SegmentRow): FederatedSegment {
    const found = this.#byStart.get(segment.startTicks);
    if (!found) throw new RangeError(`the slices have no segment ${segment.startTicks}`);
    return found;
  }
}

/**
 * `inits` collects the init segments of all nodes, each once: those of one camera are the same on two nodes.
 */
function segmentsOf({ node, slice }: NodeCatalog, inits: string[]): FederatedSegment[] {
  if (!slice) return [];
  return slice.segments.map((segment: SliceSegment): FederatedSegment => {
    const init = slice.inits[segment.initId] ?? '';
    let initId = inits.indexOf(init);
    if (initId < 0) initId = inits.push(init) - 1;
    return {
      ...segment,
      initId,
      streamId: 0,
      indexId: 0,
      // Its node knows the location.
      isRemote: false,
      node,
      fileTicks: segment.startTicks,
      initBytes: Buffer.byteLength(init, 'base64'),
      untilTicks: Infinity,
    };
  });
}

/** Whether nodes recorded the same time: then their indexes are needed to choose between them. */
export function overlap(parts: readonly NodeCatalog[]): boolean {
  let until = { node: '', ticks: 0 };
  const segments = parts.flatMap(({ node, slice, yields }) =>
    (yields ? [] : (slice?.segments ?? [])).map(({ startTicks, endTicks }) => ({
      node,
      startTicks,
      endTicks,
    })),
  );
  for (const { node, startTicks, endTicks } of segments.sort((a, b) => a.startTicks - b.startTicks)) {
    if (node !== until.node && startTicks < until.ticks) return true;
    if (endTicks > until.ticks) until = { node, ticks: endTicks };
  }
  return false;
}

/** The part of the segment that is shown. */
function fragmentsOf(segment: FederatedSegment): IndexedPosition[] {
  const { entries, fileTicks, initBytes, startTicks, untilTicks } = segment;
  const all = decodeIndex(Buffer.from(entries, 'base64'), fileTicks, initBytes);
  if (startTicks === fileTicks && untilTicks === Infinity) return all;
  return all.filter((fragment) => fragment.startTicks >= startTicks && fragment.startTicks < untilTicks);
}

/**
 * Drops the footage that another node's replaces: whole segments, the end of one, or the beginning of one up to
 * a key frame.
 */
function trimmed(segments: readonly FederatedSegment[]): FederatedSegment[] {
  const kept: FederatedSegment[] = [];
  let untilTicks = 0;
  for (const segment of segments.toSorted((a, b) => a.startTicks - b.startTicks)) {
    if (segment.startTicks >= untilTicks || kept.at(-1)?.node === segment.node) kept.push(segment);
    else if (segment.endTicks > untilTicks) handOver(kept, segment, untilTicks);
    untilTicks = Math.max(untilTicks, segment.endTicks);
  }
  return kept;
}

/** Continues with a segment after those of another node, which are kept up to `untilTicks`. */
function handOver(kept: FederatedSegment[], segment: FederatedSegment, untilTicks: number): void {
  // Counting segments or listing gaps needs no indexes unless nodes overlap.
  const next = segment.entries === '' ? [] : fragmentsOf(segment);
  const first = kept
    .filter(({ endTicks, entries }) => entries !== '' && endTicks > segment.startTicks - compareTicks)
    .flatMap(fragmentsOf);
  const cut = handoverCut(first, next, untilTicks);
  const startTicks =
    cut?.secondFromTicks ??
    next.find((fragment) => fragment.startsWithKey && fragment.startTicks >= untilTicks)?.startTicks ??
    untilTicks;
  if (cut) endAt(kept, cut.firstUntilTicks, startTicks);
  if (startTicks < segment.endTicks) kept.push({ ...segment, startTicks });
}

/** Ends the kept part at one of its own key frames, which the next node dated `nextTicks`. */
function endAt(kept: FederatedSegment[], untilTicks: number, nextTicks: number): void {
  let last = kept.pop();
  while (last && last.startTicks >= untilTicks) last = kept.pop();
  if (!last) return;
  const endTicks = Math.min(last.endTicks, untilTicks, Math.max(nextTicks, last.startTicks + 1));
  kept.push({ ...last, endTicks, untilTicks, isOpen: last.isOpen && untilTicks === Infinity });
}

/** Adds the parts of `others` for which `first` has nothing, cut at fragments; both without overlaps of their own. */
function filledWith(
  first: readonly FederatedSegment[],
  others: readonly FederatedSegment[],
): readonly FederatedSegment[] {
  if (others.length === 0) return first;
  const taken = joinSpans([], first, JOIN_TICKS);
  let next = 0;
  const added = others.flatMap((segment): FederatedSegment[] => {
    while ((taken[next]?.endTicks ?? Infinity) <= segment.startTicks) next++;
    const parts: FederatedSegment[] = [];
    let fromTicks = segment.startTicks;
    for (let at = next; fromTicks < segment.endTicks; at++) {
      const untilTicks = Math.min(taken[at]?.startTicks ?? Infinity, segment.endTicks);
      const part = untilTicks > fromTicks ? partOf(segment, fromTicks, untilTicks) : undefined;
      if (part) parts.push(part);
      fromTicks = taken[at]?.endTicks ?? Infinity;
    }
    return parts;
  });
  return [...first, ...added].sort((a, b) => a.startTicks - b.startTicks);
}

/** The whole fragments of a segment within a span, from a key frame on; undefined if there are none. */
function partOf(
  segment: FederatedSegment,
  fromTicks: number,
  untilTicks: number,
): FederatedSegment | undefined {
  if (fromTicks === segment.startTicks && untilTicks === segment.endTicks) return segment;
  // Timelines need no indexes.
  if (segment.entries === '') return { ...segment, startTicks: fromTicks, endTicks: untilTicks };
  const within = fragmentsOf(segment).filter(
    ({ startTicks, durationTicks }) => startTicks >= fromTicks && startTicks + durationTicks <= untilTicks,
  );
  const start = within.find(({ startsWithKey }) => startsWithKey);
  const last = within.at(-1);
  if (!start || !last) return undefined;
  const endTicks = last.startTicks + last.durationTicks;
  return { ...segment, startTicks: start.startTicks, endTicks, untilTicks: endTicks };
}

/**
 * A node's gap causes count only for the times when it was assigned. Nothing else is known of an offline node.
 */
function interruptionsOf({ slice, assignments }: NodeCatalog): InterruptionRow[] {
  if (slice) {
    return slice.interruptions.filter(
      ({ atTicks }) =>
        assignments.length === 0 ||
        assignments.some(
          ({ startTicks, endTicks }) => atTicks >= startTicks - noteTicks && atTicks <= endTicks + noteTicks,
        ),
    );
  }
  return assignments.flatMap(({ startTicks, endTicks }): InterruptionRow[] => [
    { atTicks: startTicks, cause: 'node-away' },
    ...(Number.isFinite(endTicks) ? [{ atTicks: endTicks, cause: 'none' } as const] : []),
  ]);
}
