import type { Log } from '../../base/log.ts';
import type { CatalogReads, SegmentRow } from '../catalog/catalog.ts';
import { catalogTicks } from '../segments/segments.ts';

/** Footage of a stream that stays however old it is; times in ms since the epoch. */
export interface FootageHold {
  readonly id: number;
  readonly uid: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Where holds come from. */
export interface HoldSource {
  /** Those in effect, oldest first. */
  active(): Promise<readonly FootageHold[]>;
  /** They are no longer in effect, because held footage takes more than its share. */
  end(ids: readonly number[]): Promise<void>;
}

/** Bytes of held footage on the disk and in the bucket: taken, or allowed. */
export interface HeldBytes {
  readonly local: number;
  readonly remote: number;
}

interface StreamHeld extends HeldBytes {
  readonly segments: number;
}

interface Range {
  readonly fromTicks: number;
  toTicks: number;
}

/** Segments of one held range; a range is shorter than two hours, a segment about a minute long. */
const rangeSegmentsMax = 10_000;

/**
 * The footage that rules hold. A hold keeps every segment that it overlaps from retention by age, quota and free space.
 * Together they keep a limited share: beyond it the oldest hold ends, so that recording always has the rest.
 */
export class HeldFootage {
  readonly #reads: Pick<CatalogReads, 'stream' | 'segments'>;
  readonly #log: Log;
  #source: HoldSource | undefined;
  #holds: readonly FootageHold[] = [];
  /** Disjoint and ascending, by stream. */
  #ranges = new Map<string, readonly Range[]>();
  #sums = new Map<string, StreamHeld>();
  #isKnown = false;
  #ended = 0;

  constructor(reads: Pick<CatalogReads, 'stream' | 'segments'>, log: Log) {
    this.#reads = reads;
    this.#log = log;
  }

  /** Until then nothing is held. */
  readFrom(source: HoldSource): void {
    this.#source = source;
  }

  /** Held segments of this node: a search for the oldest footage must look past them. */
  get segments(): number {
    return this.#total().segments;
  }

  get bytes(): HeldBytes {
    return this.#total();
  }

  /** Holds that ended because of the share, since the start. */
  get ended(): number {
    return this.#ended;
  }

  /**
   * Reads the holds and the footage that they keep. Without an answer the last known ones stay in effect.
   * @throws what the source throws before its first answer
   */
  async refresh(): Promise<void> {
    if (!this.#source) return;
    try {
      this.#take(await this.#source.active());
      this.#isKnown = true;
    } catch (error) {
      if (!this.#isKnown) throw error;
      this.#log.warn(
        { err: error },
        'Holds of footage could not be read; the last known ones stay in effect',
      );
    }
  }

  /** Ends the oldest holds until what the others keep is within these bytes. @throws what the source throws */
  async limit(allowed: HeldBytes): Promise<void> {
    const ended = this.#excess(allowed);
    if (ended.length === 0) return;
    this.#ended += ended.length;
    const over = new Set(ended);
    this.#holds = this.#holds.filter((hold) => !over.has(hold));
    const left = Map.groupBy(this.#holds, ({ uid }) => uid);
    for (const uid of new Set(ended.map((hold) => hold.uid))) this.#note(uid, left.get(uid) ?? []);
    for (const { id, uid } of ended)
      this.#log.warn({ stream: uid, hold: id }, 'The oldest hold ended: held footage exceeded its share');
    await this.#source?.end(ended.map(({ id }) => id));
  }

  isHeld(uid: string, { startTicks, endTicks }: Pick<SegmentRow, 'startTicks' | 'endTicks'>): boolean {
    const ranges = this.#ranges.get(uid);
    if (!ranges) return false;
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.toTicks ?? 0) > startTicks) high = middle;
      else low = middle + 1;
    }
    const next = ranges[low];
    return next !== undefined && next.fromTicks < endTicks;
  }

  #take(holds: readonly FootageHold[]): void {
    const byStream = Map.groupBy(holds, ({ uid }) => uid);
    const uids = new Set([...this.#ranges.keys(), ...byStream.keys()]);
    this.#holds = holds;
    for (const uid of uids) this.#note(uid, byStream.get(uid) ?? []);
  }

  #note(uid: string, holds: readonly FootageHold[]): void {
    const ranges = merged(holds.map(rangeOf));
    if (ranges.length === 0) {
      this.#ranges.delete(uid);
      this.#sums.delete(uid);
      return;
    }
    this.#ranges.set(uid, ranges);
    this.#sums.set(uid, this.#measure(uid, ranges));
  }

  /** The oldest holds without which the others keep no more than allowed. Each segment is read once for each of its holds. */
  #excess(allowed: HeldBytes): FootageHold[] {
    let { local, remote } = this.#total();
    if (local <= allowed.local && remote <= allowed.remote) return [];
    const held = this.#holds.map((hold) => ({ hold, segments: this.#segmentsOf(hold.uid, rangeOf(hold)) }));
    /** How many holds keep a segment. */
    const holders = new Map<string, number>();
    const keyOf = ({ uid }: FootageHold, { startTicks }: SegmentRow) => `${uid} ${startTicks}`;
    for (const { hold, segments } of held)
      for (const segment of segments) {
        const key = keyOf(hold, segment);
        holders.set(key, (holders.get(key) ?? 0) + 1);
      }
    const ended: FootageHold[] = [];
    for (const { hold, segments } of held) {
      const isExcess = ({ isRemote }: SegmentRow) =>
        isRemote ? remote > allowed.remote : local > allowed.local;
      if (!segments.some(isExcess)) continue;
      ended.push(hold);
      for (const segment of segments) {
        const key = keyOf(hold, segment);
        const left = (holders.get(key) ?? 1) - 1;
        holders.set(key, left);
        if (left > 0) continue;
        if (segment.isRemote) remote -= segment.bytes;
        else local -= segment.bytes;
      }
    }
    return ended;
  }

  #measure(uid: string, ranges: readonly Range[]): StreamHeld {
    const seen = new Set<number>();
    let [local, remote] = [0, 0];
    for (const range of ranges) {
      for (const { startTicks, bytes, isRemote } of this.#segmentsOf(uid, range)) {
        // One segment may reach into two ranges.
        if (seen.has(startTicks)) continue;
        seen.add(startTicks);
        if (isRemote) remote += bytes;
        else local += bytes;
      }
    }
    return { local, remote, segments: seen.size };
  }

  #segmentsOf(uid: string, { fromTicks, toTicks }: Range): readonly SegmentRow[] {
    const stream = this.#reads.stream(uid);
    return stream ? this.#reads.segments(stream.id, fromTicks, toTicks, rangeSegmentsMax) : [];
  }

  #total(): StreamHeld {
    let [local, remote, segments] = [0, 0, 0];
    for (const sum of this.#sums.values()) {
      local += sum.local;
      remote += sum.remote;
      segments += sum.segments;
    }
    return { local, remote, segments };
  }
}

/** A moment, too, keeps the segment in which it is. */
function rangeOf({ startMs, endMs }: FootageHold): Range {
  const fromTicks = catalogTicks(startMs);
  return { fromTicks, toTicks: Math.max(fromTicks + 1, catalogTicks(endMs)) };
}

function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.fromTicks - b.fromTicks)) {
    const last = result.at(-1);
    if (last && range.fromTicks <= last.toTicks) last.toTicks = Math.max(last.toTicks, range.toTicks);
    else result.push({ ...range });
  }
  return result;
}
