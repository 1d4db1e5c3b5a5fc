import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../base/log.ts';
import { CatalogReads, type SegmentRow } from './catalog-reads.ts';
import { CatalogWrites, type CatalogChange } from './catalog-writes.ts';
import { namesIn, systemCode, type ArchiveFiles } from './files.ts';
import { catalogMs, catalogTicks, dayFolder, segmentPath, startMsOf } from './layout.ts';
import { readSegmentContents, type SegmentContents } from './segment-scan.ts';

/** What recovery did; the numbers go to the log and to tests. */
export interface RecoveryReport {
  readonly wasDirty: boolean;
  closedSegments: number;
  adoptedFragments: number;
  adoptedFiles: number;
  cutBytes: number;
  finishedRemovals: number;
  /** What could not be put in order, in words, one line each. */
  readonly findings: string[];
}

interface RecoveryTools {
  readonly root: string;
  readonly database: DatabaseSync;
  readonly files: ArchiveFiles;
  readonly log: Log;
  /** When the run that ended uncleanly last gave a sign of life, ms since the epoch. */
  readonly lastSignMs: number | undefined;
}

/**
 * Brings files and catalog together after an unclean end: the table in design/archive.md, "Recovery at start". Looks only
 * at what was open and into the folders that were in use, so that it is quick whatever the archive's age.
 */
export class Recovery {
  readonly #root: string;
  readonly #files: ArchiveFiles;
  readonly #log: Log;
  readonly #lastSignMs: number | undefined;
  readonly #reads: CatalogReads;
  readonly #writes: CatalogWrites;
  readonly #report: RecoveryReport;

  private constructor({ root, database, files, log, lastSignMs }: RecoveryTools) {
    this.#lastSignMs = lastSignMs;
    this.#root = root;
    this.#files = files;
    this.#log = log;
    this.#reads = new CatalogReads(database);
    this.#writes = new CatalogWrites(database);
    this.#report = {
      wasDirty: this.#reads.identity().isDirty,
      closedSegments: 0,
      adoptedFragments: 0,
      adoptedFiles: 0,
      cutBytes: 0,
      finishedRemovals: 0,
      findings: [],
    };
  }

  /** Runs before anything else writes, and leaves the catalog marked as in use. @throws system and SQLite errors */
  static async run(tools: RecoveryTools): Promise<RecoveryReport> {
    const recovery = new Recovery(tools);
    await recovery.#finishRemovals();
    for (const segment of recovery.#reads.openSegments()) {
      const path = segmentPath(tools.root, segment.uid, segment.startTicks);
      await recovery.#attempt(path, () => recovery.#closeSegment(segment.uid, segment));
    }
    const unseen: { uid: string; day: string }[] = [];
    for (const { uid, day } of recovery.#reads.activeFolders()) {
      if (!(await recovery.#adoptFolder(uid, day))) unseen.push({ uid, day });
    }
    recovery.#noteInterruptions();
    // Clean for a moment: that forgets the folders, which hold nothing unseen any more.
    recovery.#writes.commit([
      { type: 'dirty', isDirty: false },
      { type: 'dirty', isDirty: true },
      ...unseen.map((folder) => ({ type: 'folder' as const, ...folder })),
    ]);
    return recovery.#report;
  }

  /** One file that the disk refuses is reported and left for the next start: the others and the product go on. */
  async #attempt(path: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const code = systemCode(error);
      // What SQLite says is about all of them.
      if (code === undefined || code.startsWith('ERR_')) throw error;
      this.#find(`${path} cannot be put in order (${code}); left alone until the next start`);
      return false;
    }
  }

  async #finishRemovals(): Promise<void> {
    for (const { uid, startTicks } of this.#reads.pendingRemovals()) {
      const path = segmentPath(this.#root, uid, startTicks);
      const isGone = await this.#attempt(path, async () => {
        await this.#files.remove(path);
        await this.#syncIfThere(dirname(path));
      });
      if (isGone) {
        this.#writes.commit([this.#removed(uid, startTicks)]);
        this.#report.finishedRemovals++;
      } else if (!this.#isKnown(uid, catalogMs(startTicks))) {
        await this.#attempt(path, () => this.#takeBack(uid, startTicks, path));
      }
    }
  }

  /** Where it ended went with its row: what comes before the next footage is gone with it. */
  #removed(uid: string, startTicks: number): CatalogChange {
    const stream = this.#reads.stream(uid);
    const isRemote = stream && this.#reads.segment(stream.id, startTicks)?.isRemote === true;
    if (!stream || isRemote) return { type: 'removed', uid, startsTicks: [startTicks] };
    const next = this.#reads.segmentAfter(stream.id, startTicks);
    const removedUntilTicks = next?.startTicks ?? startTicks + 1;
    return { type: 'removed', uid, startsTicks: [startTicks], removedUntilTicks };
  }

  /** A file that can't be deleted is footage like any other: it gets its row back, and retention tries again. */
  async #takeBack(uid: string, startTicks: number, path: string): Promise<void> {
    const contents = await this.#read(path, 0);
    if (!contents || contents.startTicks !== startTicks || contents.fragments.length === 0) return;
    if (contents.wholeBytes !== contents.fileBytes) return;
    this.#writes.commit([
      segmentOf(uid, startTicks, contents),
      { type: 'close', uid, segmentStartTicks: startTicks },
      { type: 'removed', uid, startsTicks: [startTicks] },
    ]);
    this.#report.adoptedFiles++;
  }

  async #closeSegment(uid: string, row: SegmentRow): Promise<void> {
    const path = segmentPath(this.#root, uid, row.startTicks);
    const contents = await this.#read(path, row.bytes);
    if (!contents || contents.startTicks !== row.startTicks) {
      this.#find(contents ? `${path} is not what its row says` : `${path} is lost`);
      this.#writes.commit([{ type: 'lost', uid, startTicks: row.startTicks }]);
      return;
    }
    await this.#cut(path, contents);
    const known = this.#reads.fragments(row, contents.init.length).length;
    const more = contents.fragments.slice(known);
    const changes: CatalogChange[] = [];
    if (contents.wholeBytes < row.bytes) {
      this.#find(`${path} lost ${row.bytes - contents.wholeBytes} bytes that had been flushed`);
      changes.push({ type: 'lost', uid, startTicks: row.startTicks });
      if (contents.fragments.length > 0) changes.push(segmentOf(uid, row.startTicks, contents));
    } else if (more.length > 0) {
      changes.push({ type: 'fragments', uid, segmentStartTicks: row.startTicks, fragments: more });
      this.#report.adoptedFragments += more.length;
    }
    changes.push({ type: 'close', uid, segmentStartTicks: row.startTicks });
    this.#writes.commit(changes);
    this.#report.closedSegments++;
  }

  /** Files that were begun and not yet noted. False when some of them are to be looked at again. */
  async #adoptFolder(uid: string, day: string): Promise<boolean> {
    const folder = dayFolder(this.#root, uid, day);
    let names: string[] = [];
    let isSeen = await this.#attempt(folder, async () => {
      names = await namesIn(folder);
    });
    for (const name of names) {
      const startMs = startMsOf(day, name);
      if (startMs === undefined) {
        this.#find(`${folder}/${name} is no segment; left alone`);
        continue;
      }
      if (this.#isKnown(uid, startMs)) continue;
      const path = `${folder}/${name}`;
      if (!(await this.#attempt(path, () => this.#adopt(uid, path)))) isSeen = false;
    }
    return isSeen;
  }

  async #adopt(uid: string, path: string): Promise<void> {
    const contents = await this.#read(path, 0);
    const { startTicks, fragments } = contents ?? { startTicks: undefined, fragments: [] };
    if (!contents || startTicks === undefined || fragments.length === 0) {
      await this.#removeIfBegun(path, contents);
      return;
    }
    const overlap = this.#overlap(
      uid,
      startTicks,
      fragments.reduce((sum, { durationTicks }) => sum + durationTicks, 0),
    );
    if (overlap || segmentPath(this.#root, uid, startTicks) !== path) {
      this.#find(`${path} has no row and ${overlap ?? 'another name than its start gives'}; left alone`);
      return;
    }
    await this.#cut(path, contents);
    await this.#files.syncFolder(dirname(path));
    this.#writes.commit([
      segmentOf(uid, startTicks, contents),
      { type: 'close', uid, segmentStartTicks: startTicks },
    ]);
    this.#report.adoptedFiles++;
    this.#report.adoptedFragments += fragments.length;
  }

  /**
   * A file that was begun and killed inside its first fragment holds no footage that was ever acknowledged. Only what looks
   * like one is removed; anything else is left for a person to look at.
   */
  async #removeIfBegun(path: string, contents: SegmentContents | undefined): Promise<void> {
    if (contents?.looksBegun === true) {
      this.#report.cutBytes += contents.fileBytes;
      await this.#files.remove(path);
      await this.#files.syncFolder(dirname(path));
      return;
    }
    this.#find(`${path} has no row and cannot be read; left alone`);
  }

  #overlap(uid: string, startTicks: number, durationTicks: number): string | undefined {
    const stream = this.#reads.stream(uid);
    if (!stream) return undefined;
    const [other] = this.#reads.segments(stream.id, startTicks, startTicks + durationTicks, 1);
    return (
      other && `overlaps the segment that starts at ${new Date(catalogMs(other.startTicks)).toISOString()}`
    );
  }

  #isKnown(uid: string, startMs: number): boolean {
    const stream = this.#reads.stream(uid);
    const row = stream && this.#reads.segmentAtOrBefore(stream.id, catalogTicks(startMs + 1) - 1);
    return row !== undefined && catalogMs(row.startTicks) === startMs;
  }

  /**
   * Who was recording when the process died has a gap from the end of the footage. A gap that had begun before, as with a
   * camera that was away, goes on as that until the last sign of life.
   */
  #noteInterruptions(): void {
    for (const { id, uid, isRecording } of this.#reads.streams()) {
      if (!isRecording) continue;
      const endTicks = this.#reads.newestSegment(id)?.endTicks ?? 0;
      const [known] = this.#reads.interruptions(id, endTicks, Number.MAX_SAFE_INTEGER).slice(-1);
      const isInGap = known !== undefined && known.atTicks >= endTicks;
      if (!isInGap && endTicks === 0) continue;
      const signTicks = catalogTicks(this.#lastSignMs ?? 0);
      const atTicks = isInGap ? Math.max(signTicks, known.atTicks + 1) : endTicks;
      this.#writes.commit([
        { type: 'interruption', uid, atTicks, cause: 'server-crashed', endsRecording: true },
      ]);
    }
  }

  async #read(path: string, flushedBytes: number): Promise<SegmentContents | undefined> {
    try {
      return await readSegmentContents(path, flushedBytes);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #cut(path: string, contents: SegmentContents): Promise<void> {
    if (contents.wholeBytes === contents.fileBytes) return;
    const file = await this.#files.reopen(path);
    try {
      await file.truncate(contents.wholeBytes);
      await file.sync();
    } finally {
      await file.close();
    }
    this.#report.cutBytes += contents.fileBytes - contents.wholeBytes;
  }

  async #syncIfThere(folder: string): Promise<void> {
    try {
      await this.#files.syncFolder(folder);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }

  #find(text: string): void {
    this.#report.findings.push(text);
    this.#log.warn({}, text);
  }
}

/** The row of a file as its contents say. */
export function segmentOf(
  uid: string,
  startTicks: number,
  contents: SegmentContents,
): Extract<CatalogChange, { type: 'segment' }> {
  return { type: 'segment', uid, startTicks, init: contents.init, fragments: contents.fragments };
}
