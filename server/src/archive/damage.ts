import { constants, open, stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { CatalogReads, DamageMark, SegmentRow } from './catalog-reads.ts';
import type { CatalogSink } from './catalog-writer.ts';
import { systemCode } from './files.ts';
import { catalogMs, segmentPath } from './layout.ts';

interface DamageTools {
  readonly root: string;
  /** The rows as they are written, damage or not. */
  readonly reads: CatalogReads;
  readonly catalog: CatalogSink;
  readonly clock: Clock;
  readonly log: Log;
  /** Rejects while another disk is mounted, whose files say nothing. */
  assertRightDisk(): Promise<void>;
  /** Other footage of a stream can be played than before. */
  onChange(uid: string): void;
}

/**
 * How closely a file is looked at: by its length; at the start of its first and last fragment too, which three small reads tell;
 * at the start of each fragment, which on a cold hard disk takes a seek each.
 */
export type DamageLook = 'length' | 'ends' | 'fragments';

const periodMs = 1_000;
const filesPerTurn = 25;
/** After all files: so long until they are looked at again. */
const restMs = 5_000;
/** What was damaged may be back: a disk that failed for a moment, a file from a backup. */
const secondLookMs = 60_000;
/** Files found whole that are remembered, by look, so that each range of one file does not read its headers again. */
const rememberedMax = 4_000;

/**
 * Which segments the disk no longer has as their rows say. Their files are looked at when they are opened, at the start of each
 * fragment, and all of them by length in turns; what is found is kept in the catalog as a mark beside the row, which stays as it
 * is, and taken back when the file is whole again. Files are never changed.
 */
export class Damage {
  readonly #tools: DamageTools;
  readonly #marks = new Map<number, Map<number, DamageMark>>();
  readonly #whole = new Map<string, { readonly identity: string; readonly look: DamageLook }>();
  #cancel: Cancel | undefined;
  #turn: Promise<void> | undefined;
  #turns: Generator<SegmentRow, void, undefined> | undefined;
  #restUntilMs = 0;
  #secondLookMs = 0;

  constructor(tools: DamageTools) {
    this.#tools = tools;
    for (const mark of tools.reads.damageMarks()) this.#set(mark);
  }

  /** Undefined while the file is taken to be whole. */
  of(streamId: number, startTicks: number): DamageMark | undefined {
    return this.#marks.get(streamId)?.get(startTicks);
  }

  /** Of one stream, oldest first. */
  ofStream(streamId: number): DamageMark[] {
    return [...(this.#marks.get(streamId)?.values() ?? [])].sort((a, b) => a.startTicks - b.startTicks);
  }

  /** Of one stream, those that begin in [fromTicks, toTicks), in no order. */
  within(streamId: number, fromTicks: number, toTicks: number): DamageMark[] {
    const marks = this.#marks.get(streamId);
    if (!marks) return [];
    return [...marks.values()].filter(({ startTicks }) => startTicks >= fromTicks && startTicks < toTicks);
  }

  /** How many are marked. */
  get count(): number {
    let count = 0;
    for (const marks of this.#marks.values()) count += marks.size;
    return count;
  }

  /** Looks at all files in turns from now on. */
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
   * Looks at a segment's file. True when it is as its row says, or was marked before as it is: what
   * the marks say can be read then. False when it was marked just now. @throws RecordingFailure with another disk
   */
  async isAsKnown(uid: string, streamId: number, startTicks: number, look: DamageLook): Promise<boolean> {
    const row = this.#tools.reads.segment(streamId, startTicks);
    if (!row || row.isOpen || row.isRemote || this.of(streamId, startTicks)) return true;
    return this.#judge(uid, row, look);
  }

  async #lookOn(): Promise<void> {
    const { clock, log, reads } = this.#tools;
    const nowMs = clock.monotonicMs();
    try {
      if (nowMs >= this.#secondLookMs) {
        this.#secondLookMs = nowMs + secondLookMs;
        await this.#lookAgain();
      }
      if (nowMs < this.#restUntilMs) return;
      this.#turns ??= this.#allFiles();
      const uids = new Map(reads.streams().map(({ id, uid }) => [id, uid]));
      for (let files = 0; files < filesPerTurn; files++) {
        const next = this.#turns.next();
        if (next.done === true) {
          this.#turns = undefined;
          this.#restUntilMs = nowMs + restMs;
          return;
        }
        const uid = uids.get(next.value.streamId);
        if (uid !== undefined && !this.of(next.value.streamId, next.value.startTicks)) {
          await this.#judge(uid, next.value, 'length');
        }
      }
    } catch (error) {
      // Another disk, or a catalog that takes nothing: both are said elsewhere, and looked at again.
      log.debug({ err: error }, 'The files of the archive could not be looked at');
      this.#turns = undefined;
      this.#restUntilMs = nowMs + restMs;
    }
  }

  *#allFiles(): Generator<SegmentRow, void, undefined> {
    const { reads } = this.#tools;
    for (const { id } of reads.streams()) {
      let at = 0;
      for (;;) {
        const rows = reads.localClosed(id, at, Number.MAX_SAFE_INTEGER, filesPerTurn);
        yield* rows;
        const last = rows.at(-1);
        if (!last) break;
        at = last.startTicks + 1;
      }
    }
  }

  /** Marked files that are whole again, or gone with their rows. */
  async #lookAgain(): Promise<void> {
    const { reads, catalog, log } = this.#tools;
    for (const { id, uid } of reads.streams()) {
      for (const mark of this.ofStream(id)) {
        const row = reads.segment(id, mark.startTicks);
        const isGone = row === undefined || row.isRemote;
        if (!isGone && (await this.#wholeOf(uid, row, 'fragments')).wholeBytes < row.bytes) continue;
        this.#marks.get(id)?.delete(mark.startTicks);
        this.#tools.onChange(uid);
        if (isGone) continue;
        await catalog.commit([{ type: 'sound', uid, startTicks: mark.startTicks }]);
        const path = segmentPath(this.#tools.root, uid, mark.startTicks);
        log.info({ stream: uid, path }, 'A damaged file of the archive is whole again');
      }
    }
  }

  /** Whether the file is whole; else it is marked. */
  async #judge(uid: string, row: SegmentRow, look: DamageLook): Promise<boolean> {
    const { wholeBytes, reason } = await this.#wholeOf(uid, row, look);
    if (wholeBytes >= row.bytes) return true;
    await this.#tools.assertRightDisk();
    const { reads, catalog, log, root } = this.#tools;
    // Retention, or the way to the bucket, deletes the row first and the file then.
    const now = reads.segment(row.streamId, row.startTicks);
    if (!now || now.isRemote || now.bytes !== row.bytes) return true;
    const mark = { streamId: row.streamId, startTicks: row.startTicks, ...this.#lastWhole(row, wholeBytes) };
    this.#set(mark);
    this.#tools.onChange(uid);
    const { wholeBytes: bytes, wholeEndTicks: endTicks, startTicks } = mark;
    await catalog.commit([{ type: 'damaged', uid, startTicks, bytes, endTicks }]);
    log.error(
      { stream: uid, path: segmentPath(root, uid, startTicks), bytes: row.bytes, wholeBytes: bytes, reason },
      `A file of the archive is damaged: from ${new Date(catalogMs(endTicks)).toISOString()} on its footage is lost`,
    );
    return false;
  }

  /** The end of the last fragment that lies before a byte. */
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
      // A damaged row of the index: nothing of the file can be found.
      if (error instanceof RangeError) return [];
      throw error;
    }
  }

  /** Up to which byte the file is as its row says, `row.bytes` at most; as far as the look tells. */
  async #wholeOf(
    uid: string,
    row: SegmentRow,
    look: DamageLook,
  ): Promise<{ wholeBytes: number; reason?: string }> {
    const path = segmentPath(this.#tools.root, uid, row.startTicks);
    try {
      const facts = await stat(path);
      if (!facts.isFile()) return { wholeBytes: 0, reason: 'it is no file' };
      if (look === 'length') {
        const isLong = facts.size >= row.bytes;
        return isLong ? { wholeBytes: row.bytes } : { wholeBytes: facts.size, reason: 'it is too short' };
      }
      const identity = `${facts.ino}:${facts.size}:${facts.mtimeMs}:${row.bytes}`;
      const known = this.#whole.get(path);
      if (known?.identity === identity && (known.look === 'fragments' || look === 'ends')) {
        return { wholeBytes: row.bytes };
      }
      const read = await this.#readHeaders(path, row, look);
      if (read.wholeBytes >= row.bytes) this.#remember(path, { identity, look });
      return read;
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return { wholeBytes: 0, reason: code };
    }
  }

  async #readHeaders(
    path: string,
    row: SegmentRow,
    look: DamageLook,
  ): Promise<{ wholeBytes: number; reason?: string }> {
    const fragments = this.#fragmentsOf(row);
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      const typeAt = async (offset: number): Promise<string> => {
        const header = Buffer.alloc(8);
        const { bytesRead } = await handle.read(header, 0, header.length, offset);
        return bytesRead < header.length ? '' : header.toString('latin1', 4);
      };
      const [first, last] = [fragments[0], fragments.at(-1)];
      if (look === 'ends' && first && last && last.offset + last.bytes <= size) {
        const types = await Promise.all([0, first.offset, last.offset].map((offset) => typeAt(offset)));
        if (types.join() === 'ftyp,moof,moof') return { wholeBytes: row.bytes };
      }
      let wholeBytes = 0;
      try {
        if ((await typeAt(0)) !== 'ftyp') return { wholeBytes, reason: 'it does not begin as a film' };
        for (const { offset, bytes } of fragments) {
          if (offset + bytes > size) return { wholeBytes, reason: 'it is too short' };
          if ((await typeAt(offset)) !== 'moof') return { wholeBytes, reason: 'it was overwritten' };
          wholeBytes = offset + bytes;
        }
      } catch (error) {
        const code = systemCode(error);
        if (code === undefined) throw error;
        return { wholeBytes, reason: code };
      }
      return { wholeBytes };
    } finally {
      await handle.close();
    }
  }

  #remember(path: string, known: { readonly identity: string; readonly look: DamageLook }): void {
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
