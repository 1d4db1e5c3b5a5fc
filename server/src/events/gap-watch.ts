import type { GapCause } from '@vidette/contract/entities';
import { coarseResolutionSeconds, coarseStepMs } from '@vidette/contract/ranges-limit';
import type { ArchiveReader } from '../archive/read/read.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { JournalWriter } from './journal-writer.ts';

export interface GapWatchOptions {
  readonly writer: Pick<JournalWriter, 'note'>;
  readonly archive: Pick<ArchiveReader, 'coarseRanges'>;
  /** Maximum length of a request for ranges, as configured. */
  readonly rangesMaxMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shorter gaps are not worth an entry; also the resolution of the request. */
const shortestSeconds = 10;
/** How far back gaps are looked for; those that ended before were found when their stream was recorded again. */
const backMs = 86_400_000;
/** Streams per turn, so that a start with ten thousand of them holds up nothing. */
const perTurn = 10;
const turnMs = 1_000;
/** The first footage after a gap is on the disk by then. */
const settleMs = 5_000;

/** Causes of gaps that no setting asks for. */
const notableCauses: ReadonlySet<GapCause> = new Set([
  'unreachable',
  'no-frames',
  'ended',
  'damaged',
  'time-jump',
  'clock-set',
  'server-stopped',
  'server-crashed',
  'disk-full',
  'write-failed',
  'write-too-slow',
  'wrong-disk',
  'drained',
]);

/**
 * Records gaps in the footage once recording goes on after them. It asks the archive, which knows the exact times and causes:
 * a gap that began under an earlier process is found too, and found twice it is the same entry.
 */
export class GapWatch {
  readonly #options: GapWatchOptions;
  /** When each stream is due, monotonic. */
  readonly #due = new Map<string, number>();
  readonly #cancel: Cancel;

  constructor(options: GapWatchOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(turnMs, () => void this.#turn());
  }

  /** A stream is recorded again. */
  examine(uid: string): void {
    this.#due.set(uid, this.#options.clock.monotonicMs() + settleMs);
  }

  close(): void {
    this.#cancel();
  }

  /** Never rejects. */
  async #turn(): Promise<void> {
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    const due = [...this.#due].filter(([, dueMs]) => dueMs <= nowMs).slice(0, perTurn);
    for (const [uid] of due) this.#due.delete(uid);
    for (const [uid] of due) {
      try {
        await this.#note(uid);
      } catch (error) {
        // A node with a part of the footage is away, or the stream was removed.
        if (error instanceof Fault) log.debug({ err: error, stream: uid }, 'Gaps could not be read');
        else log.error({ err: error, stream: uid }, 'Gaps could not be read');
      }
    }
  }

  async #note(uid: string): Promise<void> {
    const { archive, clock, writer } = this.#options;
    const toMs = clock.wallMs();
    const fromMs = toMs - this.#spanMs;
    const { ranges, gaps } = await archive.coarseRanges(uid, fromMs, toMs, shortestSeconds);
    const lastMs = ranges.findLast(({ status }) => status !== 'gap')?.date ?? 0;
    const [first] = gaps;
    const isCut = first !== undefined && first.startTime <= fromMs && first.endTime <= lastMs;
    const earlier = isCut ? await this.#gapsUntil(uid, fromMs) : [];
    for (const { startTime: startMs, endTime: endMs, cause } of failuresAmong([...earlier, ...gaps])) {
      const isBeginningUnknown = startMs <= fromMs && earlier.length === 0;
      // Or still going on.
      if (isBeginningUnknown || endMs > lastMs || endMs - startMs < shortestSeconds * 1_000) continue;
      const key = `${uid} ${Math.round(startMs)}`;
      writer.note({
        ...{ type: 'put', kind: 'gap', uid, key },
        ...{ startMs: Math.round(startMs), endMs: Math.round(endMs), detail: { code: cause } },
      });
    }
  }

  /** The longest span for which the archive answers in full detail. */
  get #spanMs(): number {
    return Math.min(backMs, this.#options.rangesMaxMs * shortestSeconds);
  }

  /**
   * The parts of the gap that goes on at a time, up to it; how long it is doesn't matter. None if it is too short to be found
   * in this way: then it was found before.
   */
  async #gapsUntil(uid: string, untilMs: number): Promise<Gap[]> {
    const { archive, rangesMaxMs } = this.#options;
    let parts: Gap[] = [];
    for (let atMs = untilMs; atMs > 0;) {
      const fromMs = Math.max(0, atMs - coarseStepMs);
      const resolution = coarseResolutionSeconds(atMs - fromMs, rangesMaxMs);
      const { gaps } = await archive.coarseRanges(uid, fromMs, atMs, resolution);
      parts = [...partsUntil(gaps, atMs), ...parts];
      // It begins in this span, or something was recorded at its end.
      if (parts[0] === undefined || parts[0].startTime > fromMs) break;
      atMs = fromMs;
    }
    return this.#inDetail(uid, parts, untilMs);
  }

  /** The first of these parts as they are found when the gap is shorter, so that it always has the same beginning and cause. */
  async #inDetail(uid: string, parts: readonly Gap[], untilMs: number): Promise<Gap[]> {
    const [first] = parts;
    if (!first) return [];
    const endMs = Math.min(untilMs, first.startTime + this.#spanMs);
    const { gaps } = await this.#options.archive.coarseRanges(uid, first.startTime, endMs, shortestSeconds);
    const later = parts.filter(({ endTime }) => endTime > endMs);
    return [
      ...partsUntil(gaps, endMs),
      ...later.map((part) => ({ ...part, startTime: Math.max(part.startTime, endMs) })),
    ];
  }
}

interface Gap {
  readonly startTime: number;
  readonly endTime: number;
  readonly cause: GapCause;
}

/** Of the same tick, whichever way it was rounded. */
function isSameTime(aMs: number, bMs: number): boolean {
  return Math.abs(aMs - bMs) <= 1;
}

/** Those that end one after the other, the last of them at that time. */
function partsUntil(gaps: readonly Gap[], untilMs: number): Gap[] {
  const parts: Gap[] = [];
  for (const gap of gaps.toReversed()) {
    if (!isSameTime(gap.endTime, parts[0]?.startTime ?? untilMs)) break;
    parts.unshift(gap);
  }
  return parts;
}

/**
 * The gaps that no setting asks for. One with several causes begins with the first that is a failure, which is why it began, and goes
 * on until something is recorded; footage that was deleted had been recorded.
 */
function failuresAmong(gaps: readonly Gap[]): Gap[] {
  const found: Gap[] = [];
  for (const gap of gaps) {
    const last = found.at(-1);
    if (last && isSameTime(last.endTime, gap.startTime) && gap.cause !== 'removed')
      found[found.length - 1] = { ...last, endTime: gap.endTime };
    else if (notableCauses.has(gap.cause)) found.push(gap);
  }
  return found;
}
