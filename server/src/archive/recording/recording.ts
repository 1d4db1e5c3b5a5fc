/**
 * The archive of this node as a process needs it that only records: its own connections to the catalog, and recorders.
 * Another process has opened the archive whole (`openArchive`): it deletes, moves to object storage, verifies and reads.
 * SQLite serialises the commits of the processes; each of them groups those of its streams.
 */
import type { Clock } from '../../base/clock.ts';
import type { HangWatch } from '../../base/hang-watch.ts';
import type { Log } from '../../base/log.ts';
import { opened, type Closer, type Opened } from '../../base/opened.ts';
import {
  ActiveFolders,
  CatalogNotes,
  CatalogReads,
  CatalogWriter,
  openCatalogForReading,
  openCatalogForWriting,
} from '../catalog/catalog.ts';
import { defaultRecordingLimits, Recorders } from '../record/record.ts';
import { FreeSpaceMonitor, measureDisk } from '../retention/retention.ts';
import { diskFiles, RecordingFailure } from '../segments/segments.ts';
import { Recovery } from '../verify/verify.ts';
import { RecordingDisk } from './recording-disk.ts';

export { lockWhenFree } from '../catalog/catalog.ts';

export interface RecordingOptions {
  /** The folder of segments. */
  readonly dir: string;
  /** The catalog's file, which exists and is whole. */
  readonly catalog: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The catalog's thread watches the main thread. */
  readonly hangWatch?: HangWatch;
}

export type Recording = Opened<{
  readonly recorders: Recorders;
  /** The stream's last recorder died with its process: what it left is put in order before it is recorded again. */
  recoverFirst(uid: string): void;
  /** See `RecordingDisk.note`. */
  noteDisk(isInOrder: boolean): void;
}>;

/** Hardly anything but recording needs a thread of the pool here. */
const writesAtATime = 512;
const freeSpacePeriodMs = 5_000;

/** @throws Fault when the catalog can't be used; system errors */
export function openRecording(options: RecordingOptions): Promise<Recording> {
  return opened((closers) => openParts(options, closers));
}

async function openParts(options: RecordingOptions, closers: Closer[]) {
  const { dir: root, catalog: path, clock, log, hangWatch } = options;
  const limits = { ...defaultRecordingLimits, writesAtATime };
  const database = openCatalogForReading(path);
  closers.push(() => database.close());
  const reads = new CatalogReads(database);
  const catalog = new CatalogWriter(path, clock, limits.groupMs, hangWatch);
  closers.push(() => catalog.close());
  const freeSpace = new FreeSpaceMonitor({
    folder: root,
    reserveBytes: limits.reserveBytes,
    clock,
    log,
    measure: measureDisk,
    periodMs: freeSpacePeriodMs,
  });
  closers.push(() => freeSpace.stop());
  await freeSpace.refresh();
  const disk = new RecordingDisk({ root, reads, clock });
  closers.push(() => disk.stop());
  const toRecover = new Set<string>();
  const recorders = new Recorders({
    ...{ root, files: diskFiles, catalog, reads, clock, log, limits },
    folders: new ActiveFolders(root, diskFiles, catalog, new CatalogNotes(database)),
    assertRightDisk: () => disk.assertReady(),
    assertFreeSpace: async () => {
      await disk.assertStillReady();
      freeSpace.assertFreeSpace();
    },
    prepare: async (uid) => {
      if (!toRecover.has(uid) || !(await isReady(disk))) return false;
      await recover({ root, path, clock, log }, uid);
      toRecover.delete(uid);
      return true;
    },
    removeFootage: () => Promise.reject(new Error('a process that only records deletes nothing')),
  });
  closers.push(() => recorders.close());
  return {
    recorders,
    recoverFirst: (uid: string) => void toRecover.add(uid),
    noteDisk: (isInOrder: boolean) => disk.note(isInOrder),
  };
}

/** Without the right disk there is nothing to put in order: rows of files that can't be seen must stay. */
async function isReady(disk: RecordingDisk): Promise<boolean> {
  try {
    await disk.assertReady();
    return true;
  } catch (error) {
    if (error instanceof RecordingFailure) return false;
    throw error;
  }
}

async function recover(
  { root, path, clock, log }: { root: string; path: string; clock: Clock; log: Log },
  uid: string,
): Promise<void> {
  const database = openCatalogForWriting(path);
  try {
    const lastSignMs = clock.wallMs();
    const report = await Recovery.ofStream({ root, database, files: diskFiles, log, lastSignMs }, uid);
    log.info({ stream: uid, ...report }, 'The recordings of the stream were put in order');
  } finally {
    database.close();
  }
}
