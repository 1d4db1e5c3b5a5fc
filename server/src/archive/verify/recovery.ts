import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../base/log.ts';
import {
  type CatalogChange,
  CatalogNotes,
  CatalogReads,
  CatalogWrites,
  type SegmentRow,
} from '../catalog/catalog.ts';
import {
  namesIn,
  systemCode,
  type ArchiveFiles,
  catalogMs,
  catalogTicks,
  dayFolder,
  segmentPath,
  startMsOf,
  readSegmentContents,
  type SegmentContents,
} from '../segments/segments.ts';

/** The results of recovery, for the log and for tests. */
export interface RecoveryReport {
  readonly wasDirty: boolean;
  closedSegments: number;
  adoptedFragments: number;
  adoptedFiles: number;
  cutBytes: number;
  finishedRemovals: number;
  /** Failures, as text, one line each. */
  readonly findings: string[];
}

interface RecoveryTools {
  readonly root: string;
  readonly database: DatabaseSync;
  readonly files: ArchiveFiles;
  readonly log: Log;
  /** Last heartbeat of the run that ended uncleanly, ms since the epoch. */
  readonly lastSignMs: number | undefined;
  /** Streams that another process records: their files and rows are left alone. */
  readonly isRecordedElsewhere?: (uid: string) => boolean;
}

/**
 * Makes files and catalog consistent after an unclean shutdown: the table in design/archive.md, "Recovery at
 * start". Reads only open files and the folders that were active, so that it is fast whatever the size of the
 * archive.
 */
export class Recovery {
  readonly #root: string;
  readonly #files: ArchiveFiles;
  readonly #log: Log;
  readonly #lastSignMs: number | undefined;
  readonly #reads: CatalogReads;
  readonly #notes: CatalogNotes;
  readonly #writes: CatalogWrites;
  readonly #isMeant: (uid: string) => boolean;
  readonly #report: RecoveryReport;

  private constructor(
    { root, database, files, log, lastSignMs }: RecoveryTools,
    isMeant: (uid: string) => boolean,
  ) {
    this.#isMeant = isMeant;
    this.#lastSignMs = lastSignMs;
    this.#root = root;
    this.#files = files;
    this.#log = log;
    this.#reads = new CatalogReads(database);
    this.#notes = new CatalogNotes(database);
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

  /**
   * Runs before this process writes anything else, and leaves the catalog marked as in use.
   * @throws system and SQLite errors
   */
  static async run(tools: RecoveryTools): Promise<RecoveryReport> {
    const { isRecordedElsewhere = () => false } = tools;
    const recovery = new Recovery(tools, (uid) => !isRecordedElsewhere(uid));
    await recovery.#finishRemovals();
    await recovery.#recoverStreams();
    recovery.#writes.commit([{ type: 'dirty', isDirty: true }]);
    return recovery.#report;
  }

  /** One stream, whose recorder died with its process; nothing records it now. @throws as `run` */
  static async ofStream(tools: RecoveryTools, uid: string): Promise<RecoveryReport> {
    const recovery = new Recovery(tools, (candidate) => candidate === uid);
    await recovery.#recoverStreams();
    return recovery.#report;
  }

  async #recoverStreams(): Promise<void> {
    for (const segment of this.#reads.openSegments()) {
      if (!this.#isMeant(segment.uid)) continue;
      const path = segmentPath(this.#root, segment.uid, segment.startTicks);
      await this.#attempt(path, () => this.#closeSegment(segment.uid, segment));
    }
    const done: CatalogChange[] = [];
    for (const { uid, day } of this.#notes.activeFolders()) {
      if (!this.#isMeant(uid)) continue;
      // All its files are known now.
      if (await this.#adoptFolder(uid, day)) done.push({ type: 'folder-done', uid, day });
    }
    this.#noteInterruptions();
    this.#writes.commit(done);
  }

  /**
   * A file that cannot be read is reported and left for the next start; recovery of the other files continues.
   */
  async #attempt(path: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const code = systemCode(error);
      // An SQLite error concerns all of them.
      if (code === undefined || code.startsWith('ERR_')) throw error;
      this.#find(`${path} cannot be recovered (${code}); left alone until the next start`);
      return false;
    }
  }

  async #finishRemovals(): Promise<void> {
    for (const { uid, startTicks } of this.#notes.pendingRemovals()) {
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

  /** Its end was stored in its row: the time up to the next footage counts as lost with it. */
  #removed(uid: string, startTicks: number): CatalogChange {
    const stream = this.#reads.stream(uid);
    const isRemote = stream && this.#reads.segment(stream.id, startTicks)?.isRemote === true;
    if (!stream || isRemote) return { type: 'removed', uid, startsTicks: [startTicks] };
    const next = this.#reads.segmentAfter(stream.id, startTicks);
    const removedUntilTicks = next?.startTicks ?? startTicks + 1;
    return { type: 'removed', uid, startsTicks: [startTicks], removedUntilTicks };
  }

  /** A file that cannot be deleted remains footage: its row is restored, and retention tries again. */
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
      this.#find(contents ? `${path} does not match its row` : `${path} is lost`);
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

  /** Handles files that were created but have no row yet. False when some of them must be checked again. */
  async #adoptFolder(uid: string, day: string): Promise<boolean> {
    const folder = dayFolder(this.#root, uid, day);
    let names: string[] = [];
    let isSeen = await this.#attempt(folder, async () => {
      names = await namesIn(folder);
    });
    for (const name of names) {
      const startMs = startMsOf(day, name);
      if (startMs === undefined) {
        this.#find(`${folder}/${name} is not a segment; left alone`);
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
      this.#find(`${path} has no row and ${overlap ?? 'a name that does not match its start'}; left alone`);
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
   * A file whose recorder was killed inside the first fragment contains no acknowledged footage. Only files
   * that look like this are deleted; anything else is left for an operator to inspect.
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
   * A stream that was being recorded when the process died has a gap from the end of its footage. A gap that
   * had begun before, as with a camera that was offline, keeps its cause until the last heartbeat.
   */
  #noteInterruptions(): void {
    for (const { id, uid, isRecording } of this.#reads.streams()) {
      if (!isRecording || !this.#isMeant(uid)) continue;
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

/** Builds the row of a file from its contents. */
export function segmentOf(
  uid: string,
  startTicks: number,
  contents: SegmentContents,
): Extract<CatalogChange, { type: 'segment' }> {
  return { type: 'segment', uid, startTicks, init: contents.init, fragments: contents.fragments };
}
