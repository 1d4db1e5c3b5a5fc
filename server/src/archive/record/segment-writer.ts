import { fragment, type FragmentTrack } from '@vidette/media/fmp4/fragment';
import { atTime } from '@vidette/media/placed-sample';
import { rescaleTicks } from '@vidette/media/time';
import type {
  ActiveFolders,
  CatalogReads,
  CatalogSink,
  CatalogChange,
  RecordedGapCause,
} from '../catalog/catalog.ts';
import {
  type ArchiveFiles,
  type NewFragment,
  checksumOf,
  CATALOG_TIMESCALE,
  dayOf,
  segmentPath,
  systemCode,
} from '../segments/segments.ts';
import type { AssembledFragment } from './gop-assembler.ts';
import { nextFreeSlot } from './free-slot.ts';
import { SegmentFile } from './segment-file.ts';
import type { Semaphore } from '../../base/semaphore.ts';

/** What a writer shares with its archive. */
export interface SegmentWriterTools {
  readonly root: string;
  readonly files: ArchiveFiles;
  readonly catalog: CatalogSink;
  readonly reads: CatalogReads;
  readonly folders: ActiveFolders;
  /** Called before each new file. @throws RecordingFailure if nothing may be written here now */
  assertRightDisk(): Promise<void>;
  /**
   * Called before each fragment. @throws RecordingFailure if the disk is known to be missing or has less than
   * the reserve free
   */
  assertFreeSpace(): void | Promise<void>;
}

export interface SegmentLimits {
  /** A new file starts at the first key frame after this duration. */
  readonly segmentMs: number;
  /** The same by size, for streams with a very high bit rate. */
  readonly segmentMaxBytes: number;
}

/** A run that does not begin at its real time returns to it by this share of its length. */
const catchUpRate = 0.02;

interface OpenSegment {
  readonly file: SegmentFile;
  readonly startTicks: number;
  readonly day: string;
  readonly init: Uint8Array;
  /** The start of the next recorded footage of this stream, which the file must not grow past. */
  readonly limitTicks: number;
  endTicks: number;
  /** The committed state of the file. */
  rowBytes: number;
  fragments: number;
}

/** Fragments as they are written to one file, and its state once their rows are committed. */
interface Appended {
  readonly slices: readonly Uint8Array[];
  readonly entries: readonly NewFragment[];
  readonly bytes: number;
  readonly after: Pick<OpenSegment, 'endTicks' | 'rowBytes' | 'fragments'>;
  readonly timeOffsetTicks: number;
}

/** What a call wrote. */
export interface Written {
  readonly bytes: number;
  readonly fragments: number;
}

/**
 * Writes one stream's fragments into consecutive segments, in the order of design/archive.md: bytes, flush,
 * folder, row. After any rejection of `write`, `abandon` must be called before the next fragment.
 */
export class SegmentWriter {
  readonly #uid: string;
  readonly #tools: SegmentWriterTools;
  readonly #writes: Semaphore;
  readonly #limits: SegmentLimits;
  #open: OpenSegment | undefined;
  /**
   * Added to the times of the run because its start was already recorded (see free-slot.ts), or because it continues
   * another one. Catalog ticks.
   */
  #timeOffsetTicks = 0;
  /** Where the first fragment of the run begins, catalog ticks; undefined: at its own time. */
  #joinTicks: number | undefined;
  #isJoined = false;
  /** Changes that could not be committed yet and must precede the next ones. */
  #pendingChanges: CatalogChange[] = [];
  #endTicks: number | undefined;
  /** Why nothing could be written since the last fragment, or since the end of the last run. */
  #abandonedFor: RecordedGapCause | undefined;

  /** `writes` is shared by all writers of a disk. */
  constructor(uid: string, tools: SegmentWriterTools, writes: Semaphore, limits: SegmentLimits) {
    this.#uid = uid;
    this.#tools = tools;
    this.#writes = writes;
    this.#limits = limits;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** End of the last footage written, catalog ticks; undefined before the first fragment. */
  get endTicks(): number | undefined {
    return this.#endTicks;
  }

  get timeOffsetTicks(): number {
    return this.#timeOffsetTicks;
  }

  /** The run continues that of another recorder. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  /**
   * The next run is dated from here on, because its first frame is the one at which another recorder of the stream
   * ended: the times of two sessions with one camera differ by milliseconds.
   */
  continueAt(ticks: number): void {
    this.#joinTicks = ticks;
  }

  /**
   * Writes fragments that follow each other, and their rows; those for the same file in one operation. A fragment that
   * neither starts with a key frame nor can be appended is dropped.
   * @param release called with those whose samples are not needed any more: they were taken by the file, if not yet written,
   * or were dropped
   */
  async write(
    assembled: readonly AssembledFragment[],
    release: (fragments: readonly AssembledFragment[]) => void,
  ): Promise<Written> {
    await this.#tools.assertFreeSpace();
    const written = { bytes: 0, fragments: 0 };
    for (let rest = assembled; rest[0];) {
      if (this.#open && !this.#continues(this.#open, this.#timeOffsetTicks, rest[0])) await this.#closeFile();
      if (!this.#open && rest[0].startsWithKey) this.#open = await this.#begin(rest[0]);
      const appended = this.#open && this.#appended(this.#open, rest);
      const count = appended?.entries.length ?? 1;
      const now = rest.slice(0, count);
      if (this.#open && appended) {
        await this.#append(this.#open, appended, () => release(now));
        await this.#commitAppended(this.#open, appended);
        written.bytes += appended.bytes;
        written.fragments += count;
      } else {
        release(now);
      }
      rest = rest.slice(count);
    }
    return written;
  }

  /**
   * Ends the run: the file is closed and the reason noted. `wallTicks` is the time of an interruption without
   * footage.
   */
  async endRun(cause: RecordedGapCause, wallTicks: number, endsRecording: boolean): Promise<void> {
    const atTicks = this.#open ? this.#open.endTicks : Math.max(this.#latestEndTicks(), wallTicks);
    const closing = await this.#closeHandle();
    this.#timeOffsetTicks = 0;
    this.#abandonedFor = undefined;
    await this.#commit([...closing, { type: 'interruption', uid: this.#uid, atTicks, cause, endsRecording }]);
  }

  /**
   * After a failed write: truncates the file to its last committed fragment and notes the gap, which begins
   * where the footage ends or, without a run, at `fromTicks`. Changes that cannot be committed now stay
   * pending. A file that cannot be truncated stays open in the catalog, so that the next start truncates it.
   */
  async abandon(cause: RecordedGapCause, fromTicks: number): Promise<void> {
    const open = this.#open;
    const atTicks = open && open.fragments > 0 ? open.endTicks : Math.max(this.#latestEndTicks(), fromTicks);
    this.#open = undefined;
    this.#timeOffsetTicks = 0;
    // The first failure notes the interruption; failed retries add nothing to it.
    if (this.#abandonedFor !== cause) {
      this.#pendingChanges.push({
        type: 'interruption',
        uid: this.#uid,
        atTicks,
        cause,
        endsRecording: false,
      });
    }
    this.#abandonedFor = cause;
    if (open) {
      await open.file.cutBack(open.rowBytes);
      if (open.rowBytes > 0)
        this.#pendingChanges.push({ type: 'close', uid: this.#uid, segmentStartTicks: open.startTicks });
    }
    if (this.#pendingChanges.length > 0) await this.#commit([]);
  }

  #continues(
    open: Pick<OpenSegment, 'startTicks' | 'day' | 'init' | 'limitTicks' | 'endTicks' | 'rowBytes'>,
    timeOffsetTicks: number,
    assembled: AssembledFragment,
  ): boolean {
    const startTicks = assembled.startTicks + timeOffsetTicks;
    if (startTicks !== open.endTicks) return false;
    if (assembled.endTicks + timeOffsetTicks > open.limitTicks) return false;
    if (!assembled.startsWithKey) return true;
    const heldMs = ((startTicks - open.startTicks) * 1000) / CATALOG_TIMESCALE;
    return (
      heldMs < this.#limits.segmentMs &&
      open.rowBytes < this.#limits.segmentMaxBytes &&
      dayOf(startTicks) === open.day &&
      sameBytes(open.init, assembled.init)
    );
  }

  /** Creates the file that starts with this fragment. */
  async #begin(assembled: AssembledFragment): Promise<OpenSegment> {
    const wanted = this.#joinTicks ?? assembled.startTicks + this.#timeOffsetTicks;
    this.#isJoined = this.#joinTicks !== undefined || (this.#isJoined && this.#timeOffsetTicks !== 0);
    this.#joinTicks = undefined;
    const { startTicks, limitTicks } = nextFreeSlot(
      this.#tools.reads,
      this.#uid,
      wanted,
      assembled.endTicks - assembled.startTicks,
    );
    this.#timeOffsetTicks = startTicks - assembled.startTicks;
    const day = dayOf(startTicks);
    await this.#tools.assertRightDisk();
    const file = await this.#create(day, startTicks);
    return {
      file,
      startTicks,
      day,
      init: assembled.init,
      limitTicks,
      endTicks: startTicks,
      rowBytes: 0,
      fragments: 0,
    };
  }

  /**
   * A process that deletes may remove the folder, which was empty, because it looked whether it is in use just before it was
   * registered: it is created once more then.
   */
  async #create(day: string, startTicks: number, mayRetry = true): Promise<SegmentFile> {
    const { folders, files, root } = this.#tools;
    await folders.enter(this.#uid, day);
    try {
      return await SegmentFile.create(files, segmentPath(root, this.#uid, startTicks));
    } catch (error) {
      if (!mayRetry || systemCode(error) !== 'ENOENT') throw error;
      return this.#create(day, startTicks, false);
    }
  }

  /** The first of these fragments, and those after it that belong into the same file, as they are written. */
  #appended(open: OpenSegment, assembled: readonly AssembledFragment[]): Appended {
    const isFirst = open.fragments === 0;
    const slices: Uint8Array[] = isFirst ? [open.init] : [];
    const entries: NewFragment[] = [];
    const after = { ...open, rowBytes: open.rowBytes + (isFirst ? open.init.length : 0) };
    let timeOffsetTicks = this.#timeOffsetTicks;
    for (const next of assembled) {
      if (entries.length > 0 && !this.#continues(after, timeOffsetTicks, next)) break;
      const heldTicks = next.endTicks - next.startTicks;
      const caughtUp = caughtUpTicks(after, heldTicks, timeOffsetTicks);
      const written = fragment({
        sequence: ++after.fragments,
        tracks: shifted(next, timeOffsetTicks, caughtUp),
      });
      entries.push({
        durationTicks: heldTicks - caughtUp,
        bytes: written.size,
        startsWithKey: next.startsWithKey,
        checksum: checksumOf(written.slices),
      });
      for (const slice of written.slices) slices.push(slice);
      timeOffsetTicks -= caughtUp;
      after.rowBytes += written.size;
      after.endTicks += heldTicks - caughtUp;
    }
    return { slices, entries, bytes: after.rowBytes - open.rowBytes, after, timeOffsetTicks };
  }

  #append(open: OpenSegment, { slices, bytes }: Appended, onTaken: () => void): Promise<void> {
    return this.#writes.run(() => open.file.append(slices, bytes, onTaken));
  }

  async #commitAppended(open: OpenSegment, appended: Appended): Promise<void> {
    const { entries: fragments, after, timeOffsetTicks } = appended;
    await this.#commit(
      open.fragments === 0
        ? [
            { type: 'segment', uid: this.#uid, startTicks: open.startTicks, init: open.init, fragments },
            ...this.#tools.folders.leaveOthers(this.#uid, open.day),
          ]
        : [{ type: 'fragments', uid: this.#uid, segmentStartTicks: open.startTicks, fragments }],
    );
    this.#timeOffsetTicks = timeOffsetTicks;
    open.fragments = after.fragments;
    open.rowBytes = after.rowBytes;
    open.endTicks = after.endTicks;
    this.#endTicks = open.endTicks;
    this.#abandonedFor = undefined;
  }

  async #closeFile(): Promise<void> {
    this.#pendingChanges.push(...(await this.#closeHandle()));
  }

  async #closeHandle(): Promise<CatalogChange[]> {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    await open.file.close();
    return [{ type: 'close', uid: this.#uid, segmentStartTicks: open.startTicks }];
  }

  /** Pending changes are committed first and stay pending if the commit fails. */
  async #commit(changes: readonly CatalogChange[]): Promise<void> {
    const pendingChanges = this.#pendingChanges;
    this.#pendingChanges = [];
    try {
      await this.#tools.catalog.commit([...pendingChanges, ...changes]);
    } catch (error) {
      this.#pendingChanges = [
        ...pendingChanges,
        ...changes.filter(({ type }) => type === 'close' || type === 'interruption'),
        ...this.#pendingChanges,
      ];
      throw error;
    }
  }

  #latestEndTicks(): number {
    if (this.#endTicks !== undefined) return this.#endTicks;
    const stream = this.#tools.reads.stream(this.#uid);
    return (stream && this.#tools.reads.newestSegment(stream.id)?.endTicks) ?? 0;
  }
}

/**
 * The samples of a fragment with shifted times: later by the offset at its start and by `caughtUp` less at its
 * end; the same objects if there is nothing to shift. Catalog ticks.
 */
function shifted(
  assembled: AssembledFragment,
  timeOffsetTicks: number,
  caughtUp: number,
): readonly FragmentTrack[] {
  if (timeOffsetTicks === 0) return assembled.runs;
  const { startTicks, endTicks } = assembled;
  const rate = 1 - caughtUp / (endTicks - startTicks);
  return assembled.runs.map(({ track, samples, endDts }) => {
    const ticks = rescaleTicks(timeOffsetTicks, CATALOG_TIMESCALE, track.timescale);
    const from = rescaleTicks(startTicks, CATALOG_TIMESCALE, track.timescale);
    const at = (dts: number) => from + Math.round((dts - from) * rate) + ticks;
    let lastDts = Number.NEGATIVE_INFINITY;
    const moved = samples.map((sample) => {
      const dts = Math.max(at(sample.dts), lastDts + 1);
      lastDts = dts;
      return atTime(sample, dts, dts + Math.round((sample.pts - sample.dts) * rate));
    });
    return { track, samples: moved, endDts: Math.max(at(endDts), lastDts + 1) };
  });
}

/** By how much a fragment is shortened, or lengthened if negative, on the way back to the run's real time. */
function caughtUpTicks(
  { endTicks, limitTicks }: Pick<OpenSegment, 'endTicks' | 'limitTicks'>,
  heldTicks: number,
  timeOffsetTicks: number,
): number {
  const most = Math.floor(heldTicks * catchUpRate);
  if (timeOffsetTicks >= 0) return Math.min(timeOffsetTicks, most);
  return -Math.min(-timeOffsetTicks, most, Math.max(0, limitTicks - endTicks - heldTicks));
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || Buffer.compare(a, b) === 0;
}
