import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type {
  CatalogNotes,
  CatalogReads,
  CatalogSink,
  ClosedSegments,
  DamageMark,
  SegmentRow,
} from '../catalog/catalog.ts';
import { Fault } from '../../base/fault.ts';
import {
  catalogMs,
  type IndexedPosition,
  openSegmentFile,
  readChunkBytes,
  readInChunks,
  segmentPath,
  type SegmentReader,
  systemCode,
} from '../segments/segments.ts';
import { fragmentHeadAt } from './fragment-head.ts';

interface DamageTools {
  readonly root: string;
  /** The rows as written, regardless of damage. */
  readonly reads: CatalogReads;
  readonly closed: ClosedSegments;
  readonly notes: CatalogNotes;
  readonly catalog: CatalogSink;
  readonly clock: Clock;
  readonly log: Log;
  /** Rejects while another disk is mounted, because its files prove nothing. */
  assertRightDisk(): Promise<void>;
  /** Called when the playable footage of a stream has changed. */
  onChange(uid: string): void;
}

/** Up to which byte a file matches its row, as far as was checked; why not beyond that. */
interface Look {
  readonly wholeBytes: number;
  readonly reason?: string;
}

/**
 * How thoroughly a file is checked: its length; also the start of its first and last fragment, which takes
 * three small reads; also the start of the fragments that overlap a byte range or a time span, with those before them
 * up to a key frame; the start of every fragment, which takes a seek each on a cold hard disk.
 */
export type DamageLook = 'length' | 'ends' | 'fragments' | FragmentsWithin;

/** Byte offsets in the file; the end is exclusive. */
export interface BytesWithin {
  readonly fromByte: number;
  readonly toByte: number;
}

/** Byte offsets, or catalog ticks; the ends are exclusive. */
type FragmentsWithin = BytesWithin | { readonly fromTicks: number; readonly toTicks: number };

const periodMs = 1_000;
const filesPerTurn = 25;
/** Pause after a pass over all files. */
const restMs = 5_000;
/** Before the first file of a pass. */
const beforeAll: Pick<SegmentRow, 'startTicks' | 'streamId'> = { startTicks: -1, streamId: -1 };
/**
 * Damaged files may be intact again: after a temporary disk failure, or because they were restored from a
 * backup.
 */
const secondLookMs = 60_000;
/**
 * Each failed second check doubles the pause for a file, because a bad sector costs a disk seconds each time.
 */
const longestSecondLookMs = 3_600_000;
/**
 * Number of intact files that are cached, per check level, so that the headers aren't read again for each byte
 * range of a file.
 */
const rememberedMax = 4_000;
/** Reads of one file at the same time: flushes need the other threads of the pool. */
const readsAtATime = 3;
/** Opening a pipe must not wait for its writer. */
const readingFlags = constants.O_RDONLY | constants.O_NONBLOCK;
/** Length and type (ISO/IEC 14496-12, 4.2). */
const boxHeaderBytes = 8;

/**
 * Finds segments whose files no longer match their rows. When a file is opened, the start of each fragment is
 * checked, and all files are checked by length in turn; damage is stored in the catalog as a mark beside the
 * unchanged row, and the mark is removed when the file is intact again. Files are never changed.
 */
export class Damage {
  readonly #tools: DamageTools;
  readonly #marks = new Map<number, Map<number, DamageMark>>();
  readonly #whole = new Map<string, { readonly identity: string; readonly look: string }>();
  /** When each marked file is checked again, on the monotonic clock. */
  readonly #again = new Map<DamageMark, { readonly atMs: number; readonly pauseMs: number }>();
  #cancel: Cancel | undefined;
  #turn: Promise<void> | undefined;
  /** The file that was checked last in the present pass. */
  #checked = beforeAll;
  #restUntilMs = 0;
  #secondLookMs = 0;

  constructor(tools: DamageTools) {
    this.#tools = tools;
    for (const mark of tools.notes.damageMarks()) this.#set(mark);
  }

  /** Undefined while the file is considered intact. */
  of(streamId: number, startTicks: number): DamageMark | undefined {
    return this.#marks.get(streamId)?.get(startTicks);
  }

  /** Marks of one stream, oldest first. */
  ofStream(streamId: number): DamageMark[] {
    return [...(this.#marks.get(streamId)?.values() ?? [])].sort((a, b) => a.startTicks - b.startTicks);
  }

  /** Marks of one stream that begin in [fromTicks, toTicks), unordered. */
  within(streamId: number, fromTicks: number, toTicks: number): DamageMark[] {
    const marks = this.#marks.get(streamId);
    if (!marks) return [];
    return [...marks.values()].filter(({ startTicks }) => startTicks >= fromTicks && startTicks < toTicks);
  }

  /** Number of marked segments. */
  get count(): number {
    let count = 0;
    for (const marks of this.#marks.values()) count += marks.size;
    return count;
  }

  /** Starts checking all files in turn. */
  start(): void {
    this.#cancel ??= this.#tools.clock.every(periodMs, () => {
      this.#turn ??= this.#lookOn().finally(() => {
        this.#turn = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#turn;
  }

  /**
   * Checks a segment's file. True if it matches its row or an earlier mark: then it can be read as far as the
   * marks allow. False if it has just been marked. @throws RecordingFailure with another disk
   */
  async isAsKnown(uid: string, streamId: number, startTicks: number, look: DamageLook): Promise<boolean> {
    const row = this.#tools.reads.segment(streamId, startTicks);
    if (!row || row.isOpen || row.isRemote || this.of(streamId, startTicks)) return true;
    return this.#judge(uid, row, await this.#wholeOf(uid, row, look));
  }

  /**
   * A part of a closed segment's file, if it is what its row describes: read and checked with the file opened once.
   * Undefined if it isn't, or can't be told so cheaply: `isAsKnown` then finds out what is wrong.
   * @param part at most `readChunkBytes`
   */
  async readIntact(
    uid: string,
    row: SegmentRow,
    { fromByte, toByte }: BytesWithin,
  ): Promise<Uint8Array | undefined> {
    const { streamId, startTicks } = row;
    const length = toByte - fromByte;
    const isPlain = !row.isOpen && !row.isRemote && !this.of(streamId, startTicks);
    const isWithin = fromByte >= 0 && length > 0 && length <= readChunkBytes && toByte <= row.bytes;
    if (!isPlain || !isWithin) return undefined;
    const needed = neededBoxes(this.#fragmentsOf(row), { fromByte, toByte });
    let handle: FileHandle | undefined;
    try {
      handle = await open(segmentPath(this.#tools.root, uid, startTicks), readingFlags);
      const bytes = Buffer.allocUnsafe(length);
      const [facts, { bytesRead }] = await Promise.all([
        handle.stat(),
        handle.read(bytes, 0, length, fromByte),
      ]);
      if (!facts.isFile() || facts.size < row.bytes || bytesRead < length) return undefined;
      const file = handle;
      const typeAt = async (offset: number): Promise<string> =>
        offset >= fromByte && offset + boxHeaderBytes <= toByte
          ? boxTypeIn(bytes, offset - fromByte)
          : readBoxType(file, offset);
      return needed.length > 0 && (await areThere(needed, typeAt)) ? bytes : undefined;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    } finally {
      void handle?.close();
    }
  }

  /**
   * To be called when a read of `length` bytes at `offset` failed, or returned bytes other than the catalog
   * describes: reads these fragments again, whatever is cached about the file. True if the segment is marked as
   * damaged before or within them, or its row has been deleted; false if they can be read now, or while the
   * file grows.
   * @throws RecordingFailure with another disk
   */
  async isLost(
    uid: string,
    { streamId, startTicks }: SegmentRow,
    offset: number,
    length: number,
  ): Promise<boolean> {
    const row = this.#tools.reads.segment(streamId, startTicks);
    if (!row || row.isRemote) return true;
    const mark = this.of(streamId, startTicks);
    if (mark && mark.wholeBytes <= offset) return true;
    if (row.isOpen) return false;
    this.#whole.delete(segmentPath(this.#tools.root, uid, startTicks));
    // The headers before it may be lost too; those after it say nothing about the bytes read.
    const headers = await this.#wholeOf(uid, row, 'fragments');
    const media = await this.#readMedia(uid, row, offset, offset + length);
    const found = headers.wholeBytes < media.wholeBytes ? headers : media;
    if (mark && found.wholeBytes >= mark.wholeBytes) return false;
    return !(await this.#judge(uid, row, found));
  }

  async #lookOn(): Promise<void> {
    const { clock, log, closed } = this.#tools;
    const nowMs = clock.monotonicMs();
    try {
      if (nowMs >= this.#secondLookMs) {
        this.#secondLookMs = nowMs + secondLookMs;
        await this.#lookAgain();
      }
      if (nowMs < this.#restUntilMs) return;
      // One query, however many streams there are.
      const rows = closed.localAfter(this.#checked, filesPerTurn);
      for (const row of rows) {
        if (!this.of(row.streamId, row.startTicks))
          await this.#judge(row.uid, row, await this.#wholeOf(row.uid, row, 'length'));
        this.#checked = row;
      }
      if (rows.length === filesPerTurn) return;
      this.#checked = beforeAll;
      this.#restUntilMs = nowMs + restMs;
    } catch (error) {
      // Another disk, or a catalog that can't be written: both are reported elsewhere, and the check is
      // repeated.
      log.debug({ err: error }, 'The archive files could not be checked');
      this.#checked = beforeAll;
      this.#restUntilMs = nowMs + restMs;
    }
  }

  /** Removes the marks of files that are intact again, or whose rows have been deleted. */
  async #lookAgain(): Promise<void> {
    const { reads, catalog, clock, log } = this.#tools;
    if (this.count === 0) return;
    for (const { id, uid } of reads.streams()) {
      for (const mark of this.ofStream(id)) {
        const row = reads.segment(id, mark.startTicks);
        const isGone = row === undefined || row.isRemote;
        const { atMs = 0, pauseMs = secondLookMs } = this.#again.get(mark) ?? {};
        if (!isGone) {
          if (clock.monotonicMs() < atMs) continue;
          if (!(await this.#isWholeAgain(uid, row, mark))) {
            const longerMs = Math.min(pauseMs * 2, longestSecondLookMs);
            this.#again.set(mark, { atMs: clock.monotonicMs() + pauseMs, pauseMs: longerMs });
            continue;
          }
        }
        this.#again.delete(mark);
        this.#marks.get(id)?.delete(mark.startTicks);
        this.#tools.onChange(uid);
        if (isGone) continue;
        await catalog.commit([{ type: 'sound', uid, startTicks: mark.startTicks }]);
        const path = segmentPath(this.#tools.root, uid, mark.startTicks);
        log.info({ stream: uid, path }, 'A damaged archive file is intact again');
      }
    }
  }

  /** Checks the headers of the whole file, and everything after the mark, where the unreadable bytes may be. */
  async #isWholeAgain(uid: string, row: SegmentRow, { wholeBytes }: DamageMark): Promise<boolean> {
    if ((await this.#wholeOf(uid, row, 'fragments')).wholeBytes < row.bytes) return false;
    return (await this.#readMedia(uid, row, wholeBytes, row.bytes)).wholeBytes >= row.bytes;
  }

  /** Whether the file is intact; if not, it is marked. */
  async #judge(uid: string, row: SegmentRow, { wholeBytes, reason }: Look): Promise<boolean> {
    if (wholeBytes >= row.bytes) return true;
    await this.#tools.assertRightDisk();
    const { reads, catalog, log, root } = this.#tools;
    // Retention and upload delete the row before the file.
    const now = reads.segment(row.streamId, row.startTicks);
    if (!now || now.isRemote || now.bytes !== row.bytes) return true;
    const mark = { streamId: row.streamId, startTicks: row.startTicks, ...this.#lastWhole(row, wholeBytes) };
    this.#set(mark);
    this.#tools.onChange(uid);
    const { wholeBytes: bytes, wholeEndTicks: endTicks, startTicks } = mark;
    await catalog.commit([{ type: 'damaged', uid, startTicks, bytes, endTicks }]);
    log.error(
      { stream: uid, path: segmentPath(root, uid, startTicks), bytes: row.bytes, wholeBytes: bytes, reason },
      `An archive file is damaged: its footage from ${new Date(catalogMs(endTicks)).toISOString()} is lost`,
    );
    return false;
  }

  /** The end of the last fragment before a byte offset. */
  #lastWhole(row: SegmentRow, upTo: number): { wholeBytes: number; wholeEndTicks: number } {
    const last = this.#fragmentsOf(row).findLast(({ offset, bytes }) => offset + bytes <= upTo);
    return last
      ? { wholeBytes: last.offset + last.bytes, wholeEndTicks: last.startTicks + last.durationTicks }
      : { wholeBytes: 0, wholeEndTicks: row.startTicks };
  }

  #fragmentsOf(row: SegmentRow) {
    try {
      return this.#tools.reads.fragments(row, this.#tools.reads.initLength(row.initId));
    } catch (error) {
      // A damaged index row: no fragment of the file can be located.
      if (error instanceof RangeError) return [];
      throw error;
    }
  }

  /** Up to which byte the file matches its row, at most `row.bytes`, as far as this check level can tell. */
  async #wholeOf(uid: string, row: SegmentRow, look: DamageLook): Promise<Look> {
    const path = segmentPath(this.#tools.root, uid, row.startTicks);
    let handle: FileHandle | undefined;
    try {
      const known = this.#whole.get(path);
      const isKnown = known !== undefined && (known.look === 'fragments' || look === 'ends');
      // A file that must be opened anyway costs one operation less.
      if (look !== 'length' && !isKnown) handle = await open(path, readingFlags);
      const facts = await (handle ? handle.stat() : stat(path));
      if (!facts.isFile()) return { wholeBytes: 0, reason: 'it is not a file' };
      if (look === 'length') {
        const isLong = facts.size >= row.bytes;
        return isLong ? { wholeBytes: row.bytes } : { wholeBytes: facts.size, reason: 'it is too short' };
      }
      const identity = `${facts.ino}:${facts.size}:${facts.mtimeMs}:${row.bytes}`;
      if (isKnown && known.identity === identity) return { wholeBytes: row.bytes };
      handle ??= await open(path, readingFlags);
      const read = await this.#readHeaders(handle, facts.size, row, look);
      if (read.wholeBytes >= row.bytes && typeof look === 'string') this.#remember(path, { identity, look });
      return read;
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return { wholeBytes: 0, reason: code };
    } finally {
      // Nothing was written: no caller waits for it.
      void handle?.close();
    }
  }

  /** Reads the fragments that overlap a byte range of the file completely. */
  async #readMedia(uid: string, row: SegmentRow, fromByte: number, toByte: number): Promise<Look> {
    const all = this.#fragmentsOf(row);
    const fragments = all.filter(({ offset, bytes }) => offset + bytes > fromByte && offset < toByte);
    let wholeBytes = 0;
    let reader: SegmentReader | undefined;
    try {
      reader = await openSegmentFile(segmentPath(this.#tools.root, uid, row.startTicks));
      const read = reader.read.bind(reader);
      const headerBytes = all[0]?.offset ?? 0;
      if (fromByte < headerBytes) await read(0, headerBytes);
      wholeBytes = fragments[0]?.offset ?? 0;
      for (const position of fragments) {
        if (!(await fragmentHeadAt(read, position))) return { wholeBytes, reason: 'it was overwritten' };
        for await (const chunk of readInChunks(reader, position.offset, position.bytes)) void chunk;
        wholeBytes = position.offset + position.bytes;
      }
    } catch (error) {
      if (error instanceof Fault) return { wholeBytes, reason: 'it is too short' };
      const reason = systemCode(error);
      if (reason === undefined) throw error;
      return { wholeBytes, reason };
    } finally {
      await reader?.close();
    }
    return { wholeBytes: row.bytes };
  }

  async #readHeaders(handle: FileHandle, size: number, row: SegmentRow, look: DamageLook): Promise<Look> {
    const fragments = this.#fragmentsOf(row);
    const typeAt = (offset: number) => readBoxType(handle, offset);
    if (look !== 'fragments' && size >= row.bytes) {
      const needed = neededBoxes(fragments, look);
      if (needed.length > 0 && (await areThere(needed, typeAt))) return { wholeBytes: row.bytes };
    }
    let wholeBytes = 0;
    try {
      if ((await typeAt(0)) !== 'ftyp') return { wholeBytes, reason: 'it does not begin with ftyp and moov' };
      for await (const [{ offset, bytes }, type] of typesOf(fragments, typeAt)) {
        if (offset + bytes > size) return { wholeBytes, reason: 'it is too short' };
        if (type.status === 'rejected') throw type.reason;
        if (type.value !== 'moof') return { wholeBytes, reason: 'it was overwritten' };
        wholeBytes = offset + bytes;
      }
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return { wholeBytes, reason: code };
    }
    return { wholeBytes };
  }

  #remember(path: string, known: { readonly identity: string; readonly look: string }): void {
    this.#whole.delete(path);
    this.#whole.set(path, known);
    if (this.#whole.size <= rememberedMax) return;
    const [oldest] = this.#whole.keys();
    if (oldest !== undefined) this.#whole.delete(oldest);
  }

  #set(mark: DamageMark): void {
    const marks = this.#marks.get(mark.streamId) ?? new Map<number, DamageMark>();
    this.#marks.set(mark.streamId, marks);
    marks.set(mark.startTicks, mark);
  }
}

/** Those that overlap the span, and those before them up to a key frame, from which alone they can be decoded. */
function fragmentsWithin(fragments: readonly IndexedPosition[], within: FragmentsWithin): IndexedPosition[] {
  const overlaps =
    'fromByte' in within
      ? ({ offset, bytes }: IndexedPosition) => offset + bytes > within.fromByte && offset < within.toByte
      : ({ startTicks, durationTicks }: IndexedPosition) =>
          startTicks + durationTicks > within.fromTicks && startTicks < within.toTicks;
  let first = fragments.findIndex(overlaps);
  const end = fragments.findLastIndex(overlaps) + 1;
  while (first > 0 && !fragments[first]?.startsWithKey) first--;
  return first < 0 ? [] : fragments.slice(first, end);
}

/** The type of the box that begins at `offset`; empty if the file ends before it. */
async function readBoxType(handle: FileHandle, offset: number): Promise<string> {
  const header = Buffer.alloc(boxHeaderBytes);
  const { bytesRead } = await handle.read(header, 0, header.length, offset);
  return bytesRead < header.length ? '' : boxTypeIn(header, 0);
}

/** The type of a box whose header begins at `at`. */
function boxTypeIn(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at + 4, at + boxHeaderBytes);
}

interface ExpectedBox {
  readonly offset: number;
  readonly type: 'ftyp' | 'moof';
}

/** The boxes that a check of a part of the file reads; none if the part has neither header nor fragment. */
function neededBoxes(fragments: readonly IndexedPosition[], look: DamageLook): ExpectedBox[] {
  const moof = ({ offset }: IndexedPosition): ExpectedBox => ({ offset, type: 'moof' });
  const header: ExpectedBox = { offset: 0, type: 'ftyp' };
  const [first, last] = [fragments[0], fragments.at(-1)];
  if (!first || !last) return [];
  if (typeof look !== 'object') return [header, moof(first), moof(last)];
  const withHeader = 'fromByte' in look && look.fromByte < first.offset ? [header] : [];
  return [...withHeader, ...fragmentsWithin(fragments, look).map(moof)];
}

/** A read that fails counts as one of other bytes: the file is then checked as a whole. */
async function areThere(
  boxes: readonly ExpectedBox[],
  typeAt: (offset: number) => Promise<string>,
): Promise<boolean> {
  for await (const [box, type] of typesOf(boxes, typeAt)) {
    if (type.status === 'rejected' || type.value !== box.type) return false;
  }
  return true;
}

/** The types of boxes, in the given order; a few are read at a time, and none after the consumer has stopped. */
async function* typesOf<Box extends { readonly offset: number }>(
  boxes: readonly Box[],
  typeAt: (offset: number) => Promise<string>,
): AsyncGenerator<[Box, PromiseSettledResult<string>], void, undefined> {
  for (let index = 0; index < boxes.length; index += readsAtATime) {
    const some = boxes.slice(index, index + readsAtATime);
    const types = await Promise.allSettled(some.map(({ offset }) => typeAt(offset)));
    for (const [at, box] of some.entries()) {
      const type = types[at];
      if (type) yield [box, type];
    }
  }
}
