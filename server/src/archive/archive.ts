/**
 * The archive of this node: one folder of segments and its catalog. Data flows one way: recorders write to the
 * catalog and readers read from it; retention deletes footage, object storage moves it to a bucket, and
 * verification checks all of it. `openArchive` opens the packages together and closes them in order; other
 * modules use the interface that they need.
 */
import { dirname, resolve } from 'node:path';
import { closeToOthers, makeFolders } from '../base/durable.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import { ArchiveHealth } from './archive-health.ts';
import { type ArchiveLimits, type ArchiveOptions, defaultArchiveLimits } from './archive-options.ts';
import {
  ActiveFolders,
  type ArchiveLock,
  CatalogNotes,
  CatalogReads,
  CatalogWriter,
  ClosedSegments,
  lockWhenFree,
  openCatalogForReading,
  recorderLocks,
} from './catalog/catalog.ts';
import { ImportedFootage } from './imported/imported.ts';
import { ObjectStorage, warnWithoutObjectStorage } from './object-storage/object-storage.ts';
import {
  Damage,
  LocalReader,
  PastChanges,
  CoarseSpans,
  RecordedDayReader,
  RecordingCoverage,
  StoredSegments,
  WholeReads,
} from './read/read.ts';
import { type RecorderView, Recorders } from './record/record.ts';
import {
  FreeSpaceMonitor,
  HeldFootage,
  KeptFootage,
  measureDisk,
  Retention,
  RetentionState,
  SegmentDeleter,
  Undeletable,
} from './retention/retention.ts';
import {
  archiveFolderMode,
  catalogPath,
  diskFiles,
  heartbeatPath,
  importedCatalogPath,
  lockPath,
  retentionPath,
} from './segments/segments.ts';
import {
  ArchiveVolume,
  Heartbeat,
  NewFiles,
  prepareCatalog,
  recoverArchive,
  VolumeMarkerCheck,
} from './verify/verify.ts';

export type { ArchiveHealth } from './archive-health.ts';
export type { ArchiveLimits, ArchiveOptions, RecordedElsewhere } from './archive-options.ts';
export { ReportedRecorders } from './record/record.ts';

const freeSpacePeriodMs = 5_000;
const retentionPeriodMs = 10_000;
const heartbeatPeriodMs = 2_000;
/** The processes of a server that was killed end within this. */
const endMs = 20_000;

/** The interfaces of an open archive. */
interface ArchiveFaces {
  /** Records streams, and removes their footage. */
  readonly recorders: Recorders;
  /** The footage of this node. */
  readonly reader: LocalReader;
  /** Recordings of other programs, where those keep them. */
  readonly imported: ImportedFootage;
  /** How much of the expected footage was recorded. */
  readonly continuity: RecordingCoverage;
  readonly retention: Retention;
  /** The object storage tier and its uploader; undefined if no bucket is configured. */
  readonly objectStorage: ObjectStorage | undefined;
  /** The disk. */
  readonly volume: ArchiveVolume;
  readonly health: ArchiveHealth;
}

/** `close` stops all recorders, commits pending changes and marks the catalog as clean. */
export type Archive = Opened<ArchiveFaces>;

/**
 * Opens the archive, recovers it after an unclean shutdown, and starts retention. It also opens with the wrong
 * disk mounted: the catalog answers, nothing is written, and `ArchiveHealth.problem` gives the reason until the
 * disk is back. A catalog that is damaged, missing or emptied is rebuilt from the files while recording
 * continues (`ArchiveVolume.isRebuilding`).
 * @throws Fault if another process is writing with this catalog or it has a newer version; system errors
 */
export function openArchive(options: ArchiveOptions): Promise<Archive> {
  return opened((closers) => openPackages(options, closers));
}

async function openPackages(options: ArchiveOptions, closers: Closer[]): Promise<ArchiveFaces> {
  const base = await openBase(options, closers);
  const past = new PastChanges();
  const volume = openVolume(options, base, past, closers);
  const keeping = await openRetention(options, base, volume, closers);
  const imported = openImported(base, closers);
  const recorders = openRecorders(base, volume, { ...keeping, imported }, past, closers);
  const objectStorage = openObjectStorage(options, base, volume, keeping, closers);
  const view = options.recordedElsewhere?.recorders ?? recorders;
  const reading = openReading(base, volume, past, { ...keeping, recorders: view, objectStorage }, closers);
  const { retention, freeSpace } = keeping;
  // Stopped first, so that it starts nothing after the rest has been closed.
  closers.push(() => volume.stop());
  await volume.start(() => {
    reading.damage.start();
    retention.start(retentionPeriodMs);
    if (objectStorage) objectStorage.uploader.start();
    else warnWithoutObjectStorage(base.reads, base.log);
  });
  const health = new ArchiveHealth({
    reads: base.reads,
    volume,
    freeSpace,
    recorders: view,
    retention,
    objectStorage,
  });
  const { reader, continuity } = reading;
  return { recorders, reader, imported, continuity, retention, objectStorage, volume, health };
}

type Base = Awaited<ReturnType<typeof openBase>>;
type Keeping = Awaited<ReturnType<typeof openRetention>>;

/**
 * With processes that record an earlier server may still be ending, because it ends in several steps: it is waited for.
 * @throws LockHeldError while another server writes with this catalog
 */
async function lockArchive(path: string, { clock, recordedElsewhere }: ArchiveOptions): Promise<ArchiveLock> {
  // Those of this server hold theirs.
  const own = new Set(recordedElsewhere?.locks.map((file) => resolve(file)));
  const earlier = recorderLocks(path).filter((file) => !own.has(resolve(file)));
  const waitMs = recordedElsewhere || earlier.length > 0 ? endMs : 0;
  const lock = await lockWhenFree(lockPath(path), clock, waitMs);
  try {
    for (const other of earlier) (await lockWhenFree(other, clock, waitMs)).release();
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The catalog, and what every package shares. */
async function openBase(options: ArchiveOptions, closers: Closer[]) {
  const { dir: root, clock, log } = options;
  const path = options.catalog ?? catalogPath(root);
  const limits: ArchiveLimits = { ...defaultArchiveLimits, ...options.limits };
  await makeFolders(dirname(path), archiveFolderMode);
  const lock = await lockArchive(path, options);
  closers.push(() => lock.release());
  const wasUsed = await prepareCatalog(path, log, options.recordedElsewhere?.end);
  for (const suffix of ['', '-wal', '-shm']) await closeToOthers(`${path}${suffix}`);
  const marker = VolumeMarkerCheck.open({ root, catalog: path, log, wasUsed });
  closers.push(() => marker.release());
  const database = openCatalogForReading(path);
  closers.push(() => database.close());
  const reads = new CatalogReads(database);
  const closed = new ClosedSegments(database);
  const notes = new CatalogNotes(database);
  const catalog = new CatalogWriter(path, clock, limits.groupMs);
  closers.push(() => catalog.close());
  const heartbeat = new Heartbeat({
    path: heartbeatPath(path),
    periodMs: heartbeatPeriodMs,
    clock,
    log,
  });
  closers.push(() => heartbeat.stop());
  const newFiles = new NewFiles();
  const files = newFiles.over(options.files ?? diskFiles);
  const folders = new ActiveFolders(root, files, catalog, notes);
  return {
    ...{ root, path, clock, log, limits, files, newFiles },
    ...{ database, reads, closed, notes, catalog, folders, marker, lastSignMs: heartbeat.lastMs },
  };
}

/** Nothing is written or deleted before recovery, which `start` runs. */
function openVolume(
  { remote, recordedElsewhere }: ArchiveOptions,
  base: Base,
  past: PastChanges,
  closers: Closer[],
): ArchiveVolume {
  const { root, marker, reads, catalog, clock, log } = base;
  const onAdopted = () => past.note();
  const isRecordedElsewhere = (uid: string) => recordedElsewhere?.isRunning(uid) ?? false;
  const volume = new ArchiveVolume({
    ...{ root, marker, reads, catalog, clock, log },
    recover: () =>
      recoverArchive({ ...base, catalogPath: base.path, remote, onAdopted, isRecordedElsewhere }),
    onReplaced: () => past.note(),
    onLook: (isReady) => recordedElsewhere?.noteDisk(isReady),
  });
  closers.push(() => {
    // Otherwise files are being written, or were when their process died.
    if (recordedElsewhere?.areStopped() !== false) return markAsClean(volume, base);
  });
  return volume;
}

/** Only after the last write: the next start need not check the active folders. */
async function markAsClean({ recovery }: ArchiveVolume, { catalog, log }: Base): Promise<void> {
  try {
    if (recovery) await catalog.commit([{ type: 'dirty', isDirty: false }]);
  } catch (error) {
    const words = 'The archive could not be marked as closed cleanly; it is checked at the next start';
    log.error({ err: error }, words);
  }
}

/** Retention and deletion of footage on the disk. */
async function openRetention(options: ArchiveOptions, base: Base, volume: ArchiveVolume, closers: Closer[]) {
  const { root, clock, log, limits } = base;
  const state = new RetentionState(retentionPath(base.path), log);
  const freeSpace = new FreeSpaceMonitor({
    folder: root,
    reserveBytes: limits.reserveBytes,
    clock,
    log,
    measure: options.measure ?? measureDisk,
    periodMs: freeSpacePeriodMs,
  });
  closers.push(() => freeSpace.stop());
  await freeSpace.refresh();
  const undeletable = new Undeletable(clock, log);
  const assertRightDisk = () => volume.assertReady();
  const segmentDeleter = new SegmentDeleter({ ...base, undeletable, assertRightDisk });
  const retention = new Retention({
    ...base,
    segmentDeleter,
    kept: new KeptFootage(new HeldFootage(base.reads, log), undeletable),
    freeSpace,
    facts: await state.read(),
    keep: (next) => state.write(next),
    assertDeletable: () => volume.assertDeletable(),
  });
  retention.configure({ ...options.retention });
  closers.push(() => retention.stop());
  return { freeSpace, segmentDeleter, retention };
}

/** It has a catalog of its own, which nothing else here knows. */
function openImported({ path, clock, log }: Base, closers: Closer[]): ImportedFootage {
  const imported = new ImportedFootage({ path: importedCatalogPath(path), clock, log });
  closers.push(() => imported.close());
  return imported;
}

function openRecorders(
  base: Base,
  volume: ArchiveVolume,
  { freeSpace, segmentDeleter, imported }: Keeping & Pick<ArchiveFaces, 'imported'>,
  past: PastChanges,
  closers: Closer[],
): Recorders {
  const recorders = new Recorders({
    ...base,
    assertRightDisk: () => volume.assertReady(),
    // Uses the result of the last check, because a check costs a read; checks again if the disk was not the
    // right one.
    assertFreeSpace: async () => {
      if (volume.problem) await volume.assertReady();
      freeSpace.assertFreeSpace();
    },
    removeFootage: async (uid) => {
      if (!(await segmentDeleter.removeStream(uid))) {
        const words = 'The folder of a removed stream still contains files that are not in the catalog';
        base.log.warn({ stream: uid }, words);
      }
      await imported.forget(uid);
      past.note(uid);
    },
  });
  closers.push(() => recorders.close());
  return recorders;
}

/** From here on, where retention would delete footage for space, it moves it to the bucket. */
function openObjectStorage(
  { remote }: ArchiveOptions,
  base: Base,
  volume: ArchiveVolume,
  { segmentDeleter, retention }: Keeping,
  closers: Closer[],
): ObjectStorage | undefined {
  if (!remote) return undefined;
  const objectStorage = new ObjectStorage(remote, {
    ...base,
    segmentDeleter,
    spans: () => retention.spans,
    assertRightDisk: () => volume.assertReady(),
  });
  const { uploader } = objectStorage;
  retention.configure({ relieve: (segments, untilMs) => uploader.relieve(segments, untilMs) });
  closers.push(() => uploader.stop());
  return objectStorage;
}

function openReading(
  { root, database, reads, closed, notes, catalog, clock, log, limits }: Base,
  volume: ArchiveVolume,
  past: PastChanges,
  others: Pick<ArchiveFaces, 'retention' | 'objectStorage'> & { readonly recorders: RecorderView },
  closers: Closer[],
) {
  const { recorders, retention, objectStorage } = others;
  const damage = new Damage({
    ...{ root, reads, closed, notes, catalog, clock, log },
    assertRightDisk: () => volume.assertReady(),
    onChange: (uid) => past.note(uid),
  });
  closers.push(() => damage.stop());
  const whole = new WholeReads(database, damage);
  const days = new RecordedDayReader(whole, clock);
  past.listen(() => days.forget());
  const continuity = new RecordingCoverage({ reads: whole, clock, recorders: recorders.running });
  past.listen((uid) => continuity.forget(uid));
  closers.push(() => continuity.close());
  const reader = new LocalReader({
    ...{ reads, whole, damage, days, continuity, limits },
    coarse: new CoarseSpans(whole, clock),
    segments: new StoredSegments(root, whole, objectStorage?.tier, damage),
    isLive: (uid) => recorders.isRecording(uid),
    loss: (uid, hours) => retention.loss(uid, hours),
  });
  return { damage, continuity, reader };
}
