import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { archiveDefaults } from '@vidette/contract/constants';
import type { Cancel, Clock } from '../base/clock.ts';
import { closeToOthers, makeFolders } from '../base/durable.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Stream } from '../hub/stream.ts';
import {
  ActiveFolders,
  ArchiveLock,
  openCatalogForReading,
  openCatalogForWriting,
  CatalogReads,
  type CatalogStreamRow,
  CatalogWriter,
} from './catalog/catalog.ts';
import { type ArchiveOptions, defaultArchiveLimits, type ArchiveLimits } from './archive-options.ts';
import {
  CatalogRebuild,
  prepareCatalog,
  VolumeMarkerCheck,
  holdsFootage,
  type ArchiveProblem,
  Heartbeat,
  NewFiles,
  Recovery,
  type RecoveryReport,
} from './verify/verify.ts';
import {
  Damage,
  type DamageLook,
  planDownload,
  type Download,
  gopAt,
  type RecordingRun,
  extentOf,
  splitPointOf,
  type RecordedExtent,
  sliceOf,
  type CatalogSlice,
  type SliceSpan,
  type ArchiveReader,
  intervalsOf,
  rangesAnswerOf,
  type RecordedRanges,
  type RecordedInterval,
  keyFrameAt,
  type RecordedKeyFrame,
  RecordingCoverage,
  assertSpan,
  vodPlaylistOf,
  RecordedDayReader,
  type RecordedDay,
  type TimeZone,
  type SegmentBytes,
  StoredSegments,
  periodOf,
  statsOf,
  type RecordedPeriod,
  type RecordingStats,
  WholeReads,
} from './read/read.ts';
import {
  FreeSpaceMonitor,
  measureDisk,
  type DiskUse,
  SegmentDeleter,
  RetentionState,
  type RetentionFacts,
  Retention,
  type RetentionLoss,
  Undeletable,
} from './retention/retention.ts';
import {
  diskFiles,
  systemCode,
  type ArchiveFiles,
  DamagedFootage,
  type SegmentReader,
  archiveFolderMode,
  catalogPath,
  catalogTicks,
  heartbeatPath,
  lockPath,
  retentionPath,
  RecordingFailure,
} from './segments/segments.ts';
import { ObjectStorage, warnWithoutObjectStorage } from './object-storage/object-storage.ts';
import { Recorder, type RecorderTools } from './record/record.ts';
import { Semaphore } from '../base/semaphore.ts';

export type { ArchiveLimits, ArchiveOptions } from './archive-options.ts';

const writesAtATime = 3;
const freeSpacePeriodMs = 5_000;
const retentionPeriodMs = 10_000;
const markerRetryMs = 10_000;
const diskLookMs = 2_000;
const heartbeatPeriodMs = 2_000;
/** Files of two hours, each read at about sixty places. */
const lookOverMax = 120;

/**
 * The archive of this node: one folder of segments and its catalog. Writing, finding, deleting and verifying
 * are in files of their own; this class opens them together, closes them in order, and implements
 * `ArchiveAccess`.
 */
export class Archive implements ArchiveReader {
  readonly retention: Retention;
  /** How much of the expected footage was recorded. */
  readonly continuity: RecordingCoverage;
  /** The object storage tier and its uploader; undefined without a bucket. */
  readonly remote: ObjectStorage | undefined;
  readonly #root: string;
  readonly #catalogPath: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: ArchiveLimits;
  readonly #files: ArchiveFiles;
  readonly #lock: ArchiveLock;
  readonly #heartbeat: Heartbeat;
  readonly #volumeCheck: VolumeMarkerCheck;
  readonly #readDatabase: DatabaseSync;
  readonly #reads: CatalogReads;
  /** The playable footage. */
  readonly #whole: WholeReads;
  readonly #damage: Damage;
  readonly #days: RecordedDayReader;
  readonly #writer: CatalogWriter;
  readonly #folders: ActiveFolders;
  readonly #segmentDeleter: SegmentDeleter;
  readonly #freeSpace: FreeSpaceMonitor;
  readonly #segments: StoredSegments;
  readonly #writes = new Semaphore(writesAtATime);
  readonly #newFiles = new NewFiles();
  readonly #remoteOptions: ArchiveOptions['remote'];
  readonly #recorders = new Map<string, Recorder>();
  #recovery: RecoveryReport | undefined;
  #rebuild: CatalogRebuild | undefined;
  #markerTimer: Cancel | undefined;
  #diskTimer: Cancel | undefined;
  #isLookingAtDisk = false;
  #closed: Promise<void> | undefined;

  private constructor(
    options: ArchiveOptions,
    lock: ArchiveLock,
    volumeCheck: VolumeMarkerCheck,
    state: RetentionState,
    facts: RetentionFacts | undefined,
  ) {
    this.#root = options.dir;
    this.#catalogPath = options.catalog ?? catalogPath(options.dir);
    this.#clock = options.clock;
    this.#log = options.log;
    this.#limits = { ...defaultArchiveLimits, ...options.limits };
    this.#files = this.#newFiles.over(options.files ?? diskFiles);
    this.#lock = lock;
    this.#remoteOptions = options.remote;
    this.#volumeCheck = volumeCheck;
    this.#heartbeat = new Heartbeat({
      path: heartbeatPath(this.#catalogPath),
      periodMs: heartbeatPeriodMs,
      clock: this.#clock,
      log: this.#log,
    });
    this.#readDatabase = openCatalogForReading(this.#catalogPath);
    this.#reads = new CatalogReads(this.#readDatabase);
    this.#writer = new CatalogWriter(this.#catalogPath, this.#clock, this.#limits.groupMs);
    this.#folders = new ActiveFolders(this.#root, this.#files, this.#writer);
    const shared = {
      root: this.#root,
      files: this.#files,
      catalog: this.#writer,
      reads: this.#reads,
      folders: this.#folders,
      clock: this.#clock,
      log: this.#log,
    };
    const undeletable = new Undeletable(this.#clock, this.#log);
    this.#segmentDeleter = new SegmentDeleter({
      ...shared,
      undeletable,
      assertRightDisk: () => this.#assertReady(),
    });
    this.#freeSpace = new FreeSpaceMonitor({
      folder: this.#root,
      reserveBytes: this.#limits.reserveBytes,
      clock: this.#clock,
      log: this.#log,
      measure: options.measure ?? measureDisk,
      periodMs: freeSpacePeriodMs,
    });
    const assertRightDisk = () => this.#assertReady();
    const spans = () => this.retention.spans;
    this.remote =
      options.remote &&
      new ObjectStorage(options.remote, {
        ...shared,
        segmentDeleter: this.#segmentDeleter,
        spans,
        assertRightDisk,
      });
    this.#damage = new Damage({ ...shared, assertRightDisk, onChange: (uid) => this.#sumAgain(uid) });
    this.#whole = new WholeReads(this.#readDatabase, this.#damage);
    this.#days = new RecordedDayReader(this.#whole, this.#clock);
    this.continuity = new RecordingCoverage({
      reads: this.#whole,
      clock: this.#clock,
      recorders: this.#recorders,
    });
    this.#segments = new StoredSegments(this.#root, this.#whole, this.remote?.tier, this.#damage);
    const uploader = this.remote?.uploader;
    this.retention = new Retention({
      ...shared,
      segmentDeleter: this.#segmentDeleter,
      undeletable,
      freeSpace: this.#freeSpace,
      facts,
      lastSignMs: this.#heartbeat.lastMs,
      keep: (next) => state.write(next),
      assertDeletable: async () => {
        await this.#assertReady();
        await volumeCheck.assertDeletable();
      },
      rules: { quotaBytes: null, remoteQuotaBytes: null, minFreeShare: 0, ...options.retention },
      ...(uploader && { relieve: (segments, untilMs) => uploader.relieve(segments, untilMs) }),
    });
  }

  /**
   * Opens the archive, recovers it after an unclean shutdown, and starts retention. It also opens with the
   * wrong disk mounted: the catalog answers, nothing is written, and `problem` gives the reason until the disk
   * is back. A catalog that is damaged, missing or emptied is rebuilt from the files while recording continues
   * (`isRebuilding`).
   * @throws Fault when another process writes with this catalog or it is of a newer version; system errors
   */
  static async open(options: ArchiveOptions): Promise<Archive> {
    const catalog = options.catalog ?? catalogPath(options.dir);
    await makeFolders(dirname(catalog), archiveFolderMode);
    const lock = new ArchiveLock(lockPath(catalog));
    let volumeCheck: VolumeMarkerCheck | undefined;
    try {
      const wasUsed = await prepareCatalog(catalog, options.log);
      for (const suffix of ['', '-wal', '-shm']) await closeToOthers(`${catalog}${suffix}`);
      volumeCheck = VolumeMarkerCheck.open({ root: options.dir, catalog, log: options.log, wasUsed });
      const state = new RetentionState(retentionPath(catalog), options.log);
      const archive = new Archive(options, lock, volumeCheck, state, await state.read());
      await archive.#start();
      return archive;
    } catch (error) {
      volumeCheck?.release();
      lock.release();
      throw error;
    }
  }

  /** Why nothing is recorded or deleted at the moment; undefined when there is no problem. */
  get problem(): ArchiveProblem | undefined {
    return this.#volumeCheck.problem;
  }

  /** Whether the disk is the right one and writable, as of the last check. */
  get canRecord(): boolean {
    return this.#volumeCheck.problem === undefined && !this.#freeSpace.isShort;
  }

  /**
   * Why footage of a stream can't be written, as the system's error name or `unknown`; undefined while it can.
   */
  get writeFailure(): string | undefined {
    for (const { status } of this.#recorders.values())
      if (status.code === 'write-failed') return status.systemCode ?? 'unknown';
    return undefined;
  }

  /** The folder has lost its marker and is empty, as after a disk was replaced. */
  get isDiskEmpty(): boolean {
    return this.#volumeCheck.isEmpty;
  }

  /**
   * Records on the empty disk in the folder from now on; the footage of the old one becomes a gap with that
   * cause.
   * @throws Fault ActionNotAcceptable when there is no empty disk; system errors
   */
  async useEmptyDisk(): Promise<void> {
    await this.#volumeCheck.useEmptyDisk((archiveId) =>
      this.#writer.commit([{ type: 'disk-replaced', archiveId }]),
    );
    this.#sumAgain();
    await this.#volumeCheck.assertRightDisk();
    if (this.#recovery) return;
    this.#markerTimer?.();
    this.#markerTimer = undefined;
    await this.#recover();
  }

  /** Whether anything was ever recorded here, as far as catalog and folder show. */
  async wasUsed(): Promise<boolean> {
    const hasRows = this.#reads.streams().length > 0;
    return hasRows || this.problem !== undefined || (await holdsFootage(this.#root));
  }

  /** Whether a lost catalog is still being rebuilt. */
  get isRebuilding(): boolean {
    return this.#rebuild?.isRunning === true;
  }

  /** What recovery did at the start; undefined until the right disk is present. */
  get recovery(): RecoveryReport | undefined {
    return this.#recovery;
  }

  /** Of the archive's disk; undefined while it can't be measured. */
  get disk(): DiskUse | undefined {
    return this.#freeSpace.use;
  }

  /** Bytes of all footage. */
  get totalBytes(): number {
    return this.#reads.totalBytes();
  }

  /**
   * Records a stream until the recorder is stopped; footage that `permits` refuses is dropped. @throws
   * RangeError when it is already being recorded
   */
  record(uid: string, stream: Stream, permits: RecorderTools['permits'] = () => true): Recorder {
    if (this.#recorders.has(uid) || stream.uid !== uid)
      throw new RangeError(`${uid} cannot be recorded twice`);
    const recorder = new Recorder(stream, {
      root: this.#root,
      files: this.#files,
      writes: this.#writes,
      catalog: this.#writer,
      reads: this.#reads,
      folders: this.#folders,
      clock: this.#clock,
      log: this.#log.child({ stream: uid }),
      limits: this.#limits,
      assertRightDisk: () => this.#assertReady(),
      assertFreeSpace: () => this.#assertWritable(),
      permits,
      onStopped: () => this.#recorders.delete(uid),
    });
    this.#recorders.set(uid, recorder);
    return recorder;
  }

  recorder(uid: string): Recorder | undefined {
    return this.#recorders.get(uid);
  }

  period(uid: string): RecordedPeriod | undefined {
    return periodOf(this.#reads, uid);
  }

  ranges(uid: string, startMs: number, endMs: number): RecordedRanges {
    return rangesAnswerOf(this.intervals(uid, startMs, endMs));
  }

  /** The same as one list. @throws Fault TimeRangeIsTooLong, BadRequest */
  intervals(uid: string, startMs: number, endMs: number): RecordedInterval[] {
    assertSpan(startMs, endMs, this.#limits.rangesMaxMs);
    if (startMs === endMs) return [];
    const stream = this.#reads.stream(uid);
    if (!stream) return [{ kind: 'gap', startMs, endMs, cause: 'before-recording' }];
    return this.#reads.snapshot(() => intervalsOf(this.#whole, stream, startMs, endMs, this.#isLive(uid)));
  }

  stats(uid: string): RecordingStats {
    return { ...statsOf(this.#reads, uid), recorded: this.continuity.of(uid) ?? null };
  }

  async recordedDays(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]> {
    assertSpan(startMs, endMs, Number.POSITIVE_INFINITY);
    return this.#days.of(uid, startMs, endMs, zone);
  }

  async playlist(
    uid: string,
    startMs: number,
    endMs: number,
    entryMs = archiveDefaults.playlistEntrySeconds * 1000,
  ): Promise<string> {
    assertSpan(startMs, endMs, this.#limits.playlistMaxMs);
    await this.#lookOver(uid, startMs, endMs, 'ends');
    return vodPlaylistOf(this.#whole, this.#stream(uid), startMs, endMs, entryMs);
  }

  async openSegment(uid: string, name: string): Promise<SegmentBytes> {
    return this.#segments.bytes(uid, name);
  }

  /** The catalog slice of a span, for another node that merges it with its own. */
  slice(uid: string, span: SliceSpan): CatalogSlice {
    return this.#reads.snapshot(() => sliceOf(this.#whole, uid, this.#isLive(uid), span));
  }

  /** Random access to a segment of the slice. @throws Fault NotFound, FarArchiveUnavailable */
  openFile(uid: string, startTicks: number): Promise<SegmentReader> {
    return this.#segments.open(uid, startTicks);
  }

  extent(uid: string, startMs: number, endMs: number): RecordedExtent {
    assertSpan(startMs, endMs, this.#limits.playlistMaxMs);
    const stream = this.#reads.stream(uid);
    return this.#reads.snapshot(() => extentOf(this.#whole, stream, startMs, endMs, this.#isLive(uid)));
  }

  loss(uid: string, hours?: number): RetentionLoss {
    return this.retention.loss(uid, hours);
  }

  splitPoint(uid: string, fromMs: number, toMs: number): number {
    const stream = this.#reads.stream(uid);
    return stream ? splitPointOf(this.#whole, stream, fromMs, toMs) : toMs;
  }

  get downloadMaxMs(): number {
    return this.#limits.downloadMaxMs;
  }

  async download(uid: string, startMs: number, endMs: number): Promise<Download> {
    assertSpan(startMs, endMs, this.#limits.downloadMaxMs);
    await this.#lookOver(uid, startMs, endMs, 'fragments');
    return aroundDamage(() =>
      planDownload(this.#whole, this.#segments.of(uid), this.#stream(uid), startMs, endMs),
    );
  }

  async frameAt(uid: string, atMs: number): Promise<RecordedKeyFrame> {
    return this.#readAt(uid, atMs, () =>
      keyFrameAt(this.#whole, this.#segments.of(uid), this.#stream(uid), atMs),
    );
  }

  async gopAt(uid: string, atMs: number): Promise<readonly RecordingRun[]> {
    return this.#readAt(uid, atMs, () => gopAt(this.#whole, this.#segments.of(uid), this.#stream(uid), atMs));
  }

  /**
   * Removes all footage of a stream; its recorder, if any, is stopped first.
   * @throws RecordingFailure with the wrong disk mounted, system errors
   */
  async remove(uid: string): Promise<void> {
    await this.#recorders.get(uid)?.stop('removed');
    if (!(await this.#segmentDeleter.removeStream(uid))) {
      const words = 'Files that the catalog does not know were left in the folder of a removed stream';
      this.#log.warn({ stream: uid }, words);
    }
    this.#sumAgain(uid);
  }

  /** Stops all recorders, commits pending changes and marks the catalog as clean. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#markerTimer?.();
    this.#diskTimer?.();
    this.#freeSpace.stop();
    this.continuity.close();
    await this.#damage.stop();
    await this.#rebuild?.stop();
    await this.remote?.uploader.stop();
    await this.retention.stop();
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.stop('server-stopped')));
    try {
      if (this.#recovery) await this.#writer.commit([{ type: 'dirty', isDirty: false }]);
    } catch (error) {
      this.#log.error({ err: error }, 'The archive could not be marked as closed; the next start checks it');
    }
    await this.#heartbeat.stop();
    await this.#writer.close();
    this.#readDatabase.close();
    this.#volumeCheck.release();
    this.#lock.release();
  }

  async #start(): Promise<void> {
    await this.#freeSpace.refresh();
    this.#diskTimer = this.#clock.every(diskLookMs, () => void this.#lookAtDisk());
    try {
      await this.#volumeCheck.assertRightDisk();
    } catch (error) {
      // A failing disk stops recording, not the server.
      if (!(error instanceof RecordingFailure)) {
        if (systemCode(error) === undefined) throw error;
        this.#log.error({ err: error, dir: this.#root }, 'The archive folder cannot be used');
      }
      this.#watchMarker();
      return;
    }
    await this.#recover();
  }

  async #recover(): Promise<void> {
    await closeToOthers(this.#root);
    const database = openCatalogForWriting(this.#catalogPath);
    try {
      const report = await Recovery.run({
        root: this.#root,
        database,
        files: this.#files,
        log: this.#log,
        lastSignMs: this.#heartbeat.lastMs,
      });
      if (report.wasDirty)
        this.#log.info({ ...report }, 'The archive was repaired after an unclean shutdown');
      this.#rebuild = await CatalogRebuild.start({
        root: this.#root,
        catalogPath: this.#catalogPath,
        reads: this.#reads,
        catalog: this.#writer,
        remote: this.#remoteOptions,
        log: this.#log,
        newFiles: this.#newFiles,
        onAdopted: () => this.#sumAgain(),
      });
      this.#recovery = report;
    } finally {
      database.close();
    }
    this.#damage.start();
    this.retention.start(retentionPeriodMs);
    if (this.remote) this.remote.uploader.start();
    else warnWithoutObjectStorage(this.#reads, this.#log);
  }

  #watchMarker(): void {
    this.#markerTimer ??= this.#clock.every(markerRetryMs, () => {
      this.#volumeCheck
        .assertRightDisk()
        .then(() => {
          this.#markerTimer?.();
          this.#markerTimer = undefined;
          return this.#recover();
        })
        .catch((error: unknown) => {
          if (!(error instanceof RecordingFailure))
            this.#log.error({ err: error }, 'The archive cannot be opened');
        });
    });
  }

  /** A recorder with an open file does not notice that its folder is gone: the marker check does. */
  async #lookAtDisk(): Promise<void> {
    // A hanging disk is checked once, not every two seconds: each check occupies a thread of the pool.
    if (this.#isLookingAtDisk) return;
    this.#isLookingAtDisk = true;
    try {
      await this.#volumeCheck.assertRightDisk();
    } catch (error) {
      // The marker check has reported it; errors of a failing disk are reported where the disk is used.
      if (!(error instanceof RecordingFailure) && systemCode(error) === undefined) throw error;
    } finally {
      this.#isLookingAtDisk = false;
    }
  }

  /**
   * Before each fragment: uses the result of the last check, because a check costs a read; checks again if it
   * was not the right disk. @throws RecordingFailure
   */
  async #assertWritable(): Promise<void> {
    if (this.#volumeCheck.problem) await this.#assertReady();
    this.#freeSpace.assertFreeSpace();
  }

  /** The disk is the right one and has been recovered since it was mounted. */
  async #assertReady(): Promise<void> {
    await this.#volumeCheck.assertRightDisk();
    if (!this.#recovery) throw new RecordingFailure('wrong-disk', `${this.#root}: being put in order`);
  }

  async #readAt<T>(uid: string, atMs: number, read: () => Promise<T>): Promise<T> {
    await this.#lookOver(uid, atMs, atMs + 1, 'ends');
    return aroundDamage(read);
  }

  /**
   * Checks the files of a span before a read is planned, so that damage is skipped in advance instead of being
   * met halfway. For long spans only the first files; the others are checked when they are opened.
   */
  async #lookOver(uid: string, startMs: number, endMs: number, look: DamageLook): Promise<void> {
    const stream = this.#reads.stream(uid);
    if (!stream) return;
    const rows = this.#reads.segments(stream.id, catalogTicks(startMs), catalogTicks(endMs), lookOverMax);
    try {
      for (const { streamId, startTicks } of rows)
        await this.#damage.isAsKnown(uid, streamId, startTicks, look);
    } catch (error) {
      // Another disk is mounted: its files prove nothing.
      if (!(error instanceof RecordingFailure)) throw error;
    }
  }

  /** Rows of the past have changed: cached sums are no longer valid. */
  #sumAgain(uid?: string): void {
    this.#days.forget();
    this.continuity.forget(uid);
  }

  #isLive(uid: string): boolean {
    return this.#recorders.get(uid)?.status.state === 'recording';
  }

  #stream(uid: string): CatalogStreamRow {
    const stream = this.#reads.stream(uid);
    if (!stream) throw new Fault('NotFound', 'Nothing is recorded of this stream.');
    return stream;
  }
}

/** Each try that meets damage has it marked; a disk on which more of them fail in a row is not tried further. */
const triesAround = 20;

/** Plans and reads again when damage was met, which the new plan leaves out. @throws what reading throws */
async function aroundDamage<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DamagedFootage) || tries === triesAround) throw error;
    }
  }
}
