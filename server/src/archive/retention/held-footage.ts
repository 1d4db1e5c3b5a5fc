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

const none: StreamHeld = { local: 0, remote: 0, segments: 0 };
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
    const ended: FootageHold[] = [];
    for (let total = this.#total(); isOver(total, allowed); total = this.#total()) {
      const oldest = this.#holds.find((hold) => {
        const { local, remote } = this.#measure(hold.uid, [rangeOf(hold)]);
        return (total.local > allowed.local && local > 0) || (total.remote > allowed.remote && remote > 0);
      });
      if (!oldest) break;
      ended.push(oldest);
      this.#holds = this.#holds.filter((hold) => hold !== oldest);
      this.#note(
        oldest.uid,
        this.#holds.filter(({ uid }) => uid === oldest.uid),
      );
    }
    if (ended.length === 0) return;
    this.#ended += ended.length;
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

  #measure(uid: string, ranges: readonly Range[]): StreamHeld {
    const stream = this.#reads.stream(uid);
    if (!stream) return none;
    const seen = new Set<number>();
    let [local, remote] = [0, 0];
    for (const { fromTicks, toTicks } of ranges) {
      for (const { startTicks, bytes, isRemote } of this.#reads.segments(
        stream.id,
        fromTicks,
        toTicks,
        rangeSegmentsMax,
      )) {
        // One segment may reach into two ranges.
        if (seen.has(startTicks)) continue;
        seen.add(startTicks);
        if (isRemote) remote += bytes;
        else local += bytes;
      }
    }
    return { local, remote, segments: seen.size };
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

function isOver(taken: HeldBytes, allowed: HeldBytes): boolean {
  return taken.local > allowed.local || taken.remote > allowed.remote;
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
