import type { CatalogReads, CatalogStreamRow, InterruptionRow, SegmentRow } from '../catalog/catalog.ts';
import type { TickSpan } from './intervals.ts';

/** Catalog ticks. */
export interface SliceSpan {
  readonly fromTicks: number;
  readonly toTicks: number;
  /** Include fragment positions: needed to read footage, not to show the timeline. */
  readonly withFragments: boolean;
  /**
   * Without fragments: segments this far apart or less may be one, whose length in bytes is 0. A node of an earlier
   * version sends them all.
   */
  readonly joinTicks?: number;
}

/** A segment as sent to another node. */
export interface SliceSegment {
  readonly startTicks: number;
  readonly endTicks: number;
  readonly bytes: number;
  readonly initId: number;
  readonly isOpen: boolean;
  /** Of its fragments, base64 (see fragment-index.ts); empty when they were not requested. */
  readonly entries: string;
}

/** What a catalog contains about one stream around a time span, as JSON. */
export interface CatalogSlice {
  /** 0: nothing is recorded. */
  readonly segmentCount: number;
  readonly removedUntilTicks: number;
  /** The segment is being recorded now. */
  readonly isLive: boolean;
  /** The newest segment of all. */
  readonly newestEndTicks: number;
  /** The one at or before the time span, those in it, and the one after it; oldest first. */
  readonly segments: readonly SliceSegment[];
  /** ftyp and moov by `initId`, base64; none without fragments. */
  readonly inits: Readonly<Record<string, string>>;
  readonly interruptions: readonly InterruptionRow[];
  /** There are more segments than fit into a slice: request again from the end of the last one. */
  readonly isCut: boolean;
}

/** One day of one-minute segments; a week takes seven slices. */
const segmentsMax = 1_440;
/** Limit of the total size of indexes in one slice: cameras whose frames are all key frames have long ones. */
const entriesMaxBytes = 2 * 1024 * 1024;
/** A truncated slice has at least one of these, whatever version its node runs. */
const cutLeast = 500;
const cutLeastEntries = 512 * 1024;
/** No valid request covers more than this. */
const slicesMax = 1_000;

/** The same limit for segments that are joined: the answers of more than a day are small. */
const spansMax = 10_000;

/** A slice for the timeline. @param spans of joined segments that overlap it, oldest first */
export function coarseSliceOf(
  reads: CatalogReads,
  uid: string,
  isLive: boolean,
  { fromTicks, toTicks }: SliceSpan,
  spans: readonly TickSpan[],
): CatalogSlice {
  const stream = reads.stream(uid);
  if (!stream) return emptySlice(isLive);
  const isCut = spans.length > spansMax;
  const rows = new Map<number, SliceSegment>();
  const add = (span: TickSpan | undefined, isOpen: boolean) => {
    const { startTicks = 0, endTicks = 0 } = span ?? {};
    if (span) rows.set(startTicks, { startTicks, endTicks, bytes: 0, initId: 0, isOpen, entries: '' });
  };
  const before = reads.segmentAtOrBefore(stream.id, fromTicks);
  // One of the spans contains it otherwise.
  if (before && before.endTicks <= fromTicks) add(before, before.isOpen);
  for (const span of spans.slice(0, spansMax)) {
    add(span, isLive && reads.segmentAtOrBefore(stream.id, span.endTicks - 1)?.isOpen === true);
  }
  const after = isCut ? undefined : reads.segmentAfter(stream.id, toTicks - 1);
  add(after, after?.isOpen ?? false);
  const interruptions = new Map<number, InterruptionRow>();
  // A camera that drops its connection every few seconds has many that no gap shows.
  const note = (startTicks: number, endTicks: number) => {
    if (startTicks >= endTicks) return;
    for (const row of reads.interruptions(stream.id, startTicks, endTicks))
      interruptions.set(row.atTicks, row);
  };
  let at = fromTicks;
  for (const { startTicks, endTicks } of spans) {
    note(at, startTicks);
    at = endTicks;
  }
  note(at, toTicks);
  return {
    ...headOf(reads, stream, isLive),
    segments: [...rows.values()],
    inits: {},
    interruptions: [...interruptions.values()],
    isCut,
  };
}

function emptySlice(isLive: boolean): CatalogSlice {
  const none = { segmentCount: 0, removedUntilTicks: 0, newestEndTicks: 0 };
  return { ...none, isLive, segments: [], inits: {}, interruptions: [], isCut: false };
}

function headOf(reads: CatalogReads, stream: CatalogStreamRow, isLive: boolean) {
  const { segments: segmentCount, removedUntilTicks } = stream;
  const newestEndTicks = reads.newestSegment(stream.id)?.endTicks ?? 0;
  return { segmentCount, removedUntilTicks, isLive, newestEndTicks };
}

export function sliceOf(reads: CatalogReads, uid: string, isLive: boolean, span: SliceSpan): CatalogSlice {
  const { fromTicks, toTicks, withFragments } = span;
  const stream = reads.stream(uid);
  if (!stream) return emptySlice(isLive);
  const found = reads.segments(stream.id, fromTicks, toTicks, segmentsMax);
  const within = withFragments ? upToBytes(reads, found) : found;
  const isCut = found.length >= segmentsMax || within.length < found.length;
  const before = reads.segmentAtOrBefore(stream.id, fromTicks);
  const after = isCut
    ? undefined
    : reads.segmentAfter(stream.id, Math.max(toTicks - 1, within.at(-1)?.startTicks ?? 0));
  const rows = new Map<number, SegmentRow>();
  for (const row of [before, ...within, after]) if (row) rows.set(row.startTicks, row);
  const inits: Record<string, string> = {};
  const segments = [...rows.values()].map((row): SliceSegment => {
    if (withFragments) inits[row.initId] ??= base64(reads.init(row.initId));
    const entries = withFragments ? base64(reads.fragmentEntries(row)) : '';
    const { startTicks, endTicks, bytes, initId, isOpen } = row;
    return { startTicks, endTicks, bytes, initId, isOpen, entries };
  });
  return {
    ...headOf(reads, stream, isLive),
    segments,
    inits,
    interruptions: reads.interruptions(stream.id, fromTicks, toTicks),
    isCut,
  };
}

/** The first segments whose indexes together fit into this many bytes; at least one. */
function upToBytes(reads: CatalogReads, rows: readonly SegmentRow[]): readonly SegmentRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += reads.fragmentEntries(row).length;
    return index > 0 && bytes > entriesMaxBytes;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

/** Requests a complete time span, slice by slice. @throws RangeError if a truncated slice makes no progress */
export async function wholeSlice(
  span: SliceSpan,
  ask: (span: SliceSpan) => CatalogSlice | Promise<CatalogSlice>,
): Promise<CatalogSlice> {
  const segments = new Map<number, SliceSegment>();
  const inits: Record<string, string> = {};
  const interruptions = new Map<number, InterruptionRow>();
  let piece = span;
  for (let asked = 1; ; asked++) {
    const slice = await ask(piece);
    for (const segment of slice.segments) segments.set(segment.startTicks, segment);
    for (const interruption of slice.interruptions) interruptions.set(interruption.atTicks, interruption);
    Object.assign(inits, slice.inits);
    const last = slice.segments.at(-1);
    if (!slice.isCut || !last || asked === slicesMax) {
      return {
        ...slice,
        segments: [...segments.values()],
        inits,
        interruptions: [...interruptions.values()],
      };
    }
    const isFull = slice.segments.length >= cutLeast || entriesLength(slice) >= cutLeastEntries;
    if (!isFull || last.endTicks <= piece.fromTicks)
      throw new RangeError('a truncated slice made no progress');
    piece = { ...span, fromTicks: last.endTicks };
  }
}

/** Characters. */
export function entriesLength({ segments }: Pick<CatalogSlice, 'segments'>): number {
  return segments.reduce((sum, { entries }) => sum + entries.length, 0);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
