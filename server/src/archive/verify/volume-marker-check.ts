import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { makeFolders } from '../../base/durable.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { hasFiles } from './adoption.ts';
import {
  ArchiveLock,
  LockHeldError,
  type LockFile,
  openCatalogForWriting,
  setArchiveId,
  CatalogReads,
  ClosedSegments,
} from '../catalog/catalog.ts';
import {
  systemCode,
  archiveFolderMode,
  segmentPath,
  FOLDER_LOCK_NAME,
  listStreamFolders,
  readMarker,
  writeMarker,
  type MarkerState,
  RecordingFailure,
} from '../segments/segments.ts';

/** Why nothing can be recorded or deleted at the moment. */
export type ArchiveProblem =
  | 'marker-missing'
  | 'marker-of-another-archive'
  /** The marker exists with other contents, and nothing proves that this is the right disk. */
  | 'marker-damaged'
  /** The system cannot read it, as on a failing disk. */
  | 'marker-unreadable'
  | 'used-by-another-server';

const words: Readonly<Record<ArchiveProblem, string>> = {
  'marker-missing':
    'The archive folder was in use and has lost its marker: is its disk mounted? Nothing is written or deleted there. ' +
    'If the old disk is gone for good, an administrator can start using the empty folder: on the page, or by stopping the server and running `vidette use-disk`',
  'marker-of-another-archive':
    'The archive folder belongs to another catalog: nothing is written or deleted there. Mount the right disk, or stop the server and run `vidette rebuild-index` to show what is on this one',
  'marker-damaged':
    'The marker of the archive folder is damaged and the footage of the catalog is not there: nothing is written or deleted there. Mount the right disk, or stop the server and run `vidette rebuild-index`',
  'marker-unreadable':
    'The marker of the archive folder cannot be read: nothing is written or deleted there. Check the disk and the permissions of the folder',
  'used-by-another-server':
    'Another server records in the archive folder: give each server its own `archive.folder`. This one writes and deletes nothing there',
};

/** Rows whose files prove that a disk is the catalog's. */
const proofs = 5;
/** Entries that an empty disk may have in its root. */
const emptyDiskNames = new Set(['lost+found', 'System Volume Information', '.Trash-0', FOLDER_LOCK_NAME]);

interface VolumeMarkerCheckOptions {
  readonly root: string;
  readonly catalog: string;
  readonly log: Log;
  /** The catalog was lost, so its being empty does not mean that the folder is new. */
  readonly wasUsed: boolean;
  /** For tests: replaces the system's locks. */
  readonly lock?: LockFile;
}

/**
 * Knows the expected marker of the archive's folder, checks it before anything is written or deleted there, and
 * holds the folder's lock while it is the right one.
 */
export class VolumeMarkerCheck {
  readonly #options: VolumeMarkerCheckOptions;
  #archiveId: string;
  #lock: ArchiveLock | undefined;
  #isUnlockable = false;
  #isEmpty = false;
  #problem: ArchiveProblem | undefined;

  private constructor(options: VolumeMarkerCheckOptions, archiveId: string) {
    this.#options = options;
    this.#archiveId = archiveId;
  }

  /**
   * Creates the catalog in a new place, or determines the expected marker. @throws as `openCatalogForWriting`
   */
  static open(options: VolumeMarkerCheckOptions): VolumeMarkerCheck {
    const archiveId = askCatalog(options.catalog, (reads) => reads.identity().archiveId);
    return new VolumeMarkerCheck(options, archiveId);
  }

  /**
   * Result of the last check: the folder has lost its marker and is empty, so another disk may have been
   * mounted there.
   */
  get isEmpty(): boolean {
    return this.#problem === 'marker-missing' && this.#isEmpty;
  }

  /**
   * Claims the empty disk in the folder for the archive. `forget` deletes missing footage from the catalog, and
   * sets its identity.
   * @throws Fault ActionNotAcceptable if the folder is the right one or not empty; system errors
   */
  async useEmptyDisk(forget: (archiveId: string) => Promise<void>): Promise<void> {
    const { root, catalog, log } = this.#options;
    const marker = await readMarker(root);
    if (marker.state !== 'missing' || !(await isEmptyDisk(root))) {
      throw new Fault('ActionNotAcceptable', `${root} is not an empty disk.`);
    }
    await makeFolders(root, archiveFolderMode);
    if ((await this.#takeLock()) !== undefined) {
      throw new Fault('ActionNotAcceptable', 'Another server uses the folder.');
    }
    // Existing objects have the current identity; if there are none, the old disk counts as another archive's
    // from now on.
    const hasRemote = askCatalog(catalog, (reads) => reads.totals().remoteSegments > 0);
    const archiveId = hasRemote ? this.#archiveId : randomUUID();
    await forget(archiveId);
    this.#archiveId = archiveId;
    await writeMarker(root, archiveId);
    log.warn(
      { dir: root },
      'The empty disk in the archive folder is used from now on; footage on the old disk becomes a gap',
    );
  }

  /** Result of the last check. */
  get problem(): ArchiveProblem | undefined {
    return this.#problem;
  }

  /** @throws RecordingFailure if this is not the right disk; system errors */
  async assertRightDisk(): Promise<void> {
    const problem = await this.#look();
    if (problem !== this.#problem) this.#report(problem);
    this.#problem = problem;
    if (problem) throw new RecordingFailure('wrong-disk', `${this.#options.root}: ${problem}`);
  }

  /** Releases the folder's lock. */
  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** @throws RecordingFailure if this is not the right disk; system errors, EROFS if it is read-only */
  async assertDeletable(): Promise<void> {
    await this.assertRightDisk();
    await access(this.#options.root, constants.W_OK);
  }

  async #look(): Promise<ArchiveProblem | undefined> {
    const problem = await this.#judge(await readMarker(this.#options.root));
    this.#isEmpty = problem === 'marker-missing' && (await isEmptyDisk(this.#options.root));
    // The disk mounted there may be removed.
    if (problem !== undefined) this.release();
    return problem;
  }

  async #judge(marker: MarkerState): Promise<ArchiveProblem | undefined> {
    switch (marker.state) {
      case 'present':
        if (marker.archiveId === this.#archiveId) return this.#takeLock();
        return this.#hasNothing() ? this.#adopt(marker.archiveId) : 'marker-of-another-archive';
      case 'missing':
        return this.#isUnused() && (!this.#options.wasUsed || (await holdsFootage(this.#options.root)))
          ? this.#begin()
          : 'marker-missing';
      case 'torn':
        return this.#hasNothing() || (await this.#isProven()) ? this.#repair() : 'marker-damaged';
      case 'unreadable':
        return 'marker-unreadable';
    }
  }

  /** No stream was ever set to record with this catalog, so its folder may be created. */
  #isUnused(): boolean {
    return askCatalog(this.#options.catalog, (reads) => reads.streams().length === 0);
  }

  /** No footage was ever stored with it, so it may claim any folder. */
  #hasNothing(): boolean {
    return askCatalog(this.#options.catalog, (reads) =>
      reads.streams().every(({ segments, removedUntilTicks }) => segments === 0 && removedUntilTicks === 0),
    );
  }

  /** A catalog without rows adopts the identity of its folder. */
  async #adopt(archiveId: string): Promise<ArchiveProblem | undefined> {
    const problem = await this.#takeLock();
    if (problem) return problem;
    setArchiveId(this.#options.catalog, archiveId);
    this.#archiveId = archiveId;
    return undefined;
  }

  async #begin(): Promise<ArchiveProblem | undefined> {
    const { root } = this.#options;
    await makeFolders(root, archiveFolderMode);
    const problem = await this.#takeLock();
    if (problem) return problem;
    // Another server may have claimed it in between.
    const marker = await readMarker(root);
    if (marker.state !== 'missing') return this.#judge(marker);
    await writeMarker(root, this.#archiveId);
    return undefined;
  }

  async #repair(): Promise<ArchiveProblem | undefined> {
    const { root, log } = this.#options;
    const problem = await this.#takeLock();
    if (problem) return problem;
    await writeMarker(root, this.#archiveId);
    log.warn(
      { dir: root },
      'The marker of the archive folder was damaged, as by a power failure. The footage there matches the catalog, so the marker was rewritten',
    );
    return undefined;
  }

  async #takeLock(): Promise<ArchiveProblem | undefined> {
    const { root, log } = this.#options;
    if (this.#lock && (await this.#lock.isInPlace())) return undefined;
    this.release();
    try {
      this.#lock = new ArchiveLock(join(root, FOLDER_LOCK_NAME), this.#options.lock);
      this.#isUnlockable = false;
    } catch (error) {
      if (error instanceof LockHeldError) return 'used-by-another-server';
      // File systems without locks, and read-only ones: a failing write reports this itself.
      if (!this.#isUnlockable) {
        log.warn({ err: error, dir: root }, 'The archive folder cannot be locked against a second server');
      }
      this.#isUnlockable = true;
    }
    return undefined;
  }

  /** Whether the files of the newest and the oldest rows exist and have at least the recorded bytes. */
  async #isProven(): Promise<boolean> {
    const rows = this.#knownFiles();
    for (const { path, bytes } of rows) {
      try {
        if ((await stat(path)).size >= bytes) return true;
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
      }
    }
    return rows.length === 0;
  }

  #knownFiles(): { path: string; bytes: number }[] {
    return askCatalog(this.#options.catalog, (reads, closed) => {
      const local = [
        ...closed.oldestLocal(proofs),
        ...reads.streams().flatMap(({ id, uid }) => {
          const row = reads.newestSegment(id);
          return row && !row.isRemote ? [{ ...row, uid }] : [];
        }),
      ];
      return local.map(({ uid, startTicks, bytes }) => ({
        path: segmentPath(this.#options.root, uid, startTicks),
        bytes,
      }));
    });
  }

  #report(problem: ArchiveProblem | undefined): void {
    const { root: dir, log } = this.#options;
    if (problem) log.error({ dir }, words[problem]);
    else log.info({ dir }, 'The archive disk is back');
  }
}

function askCatalog<T>(path: string, ask: (reads: CatalogReads, closed: ClosedSegments) => T): T {
  const database = openCatalogForWriting(path);
  try {
    return ask(new CatalogReads(database), new ClosedSegments(database));
  } finally {
    database.close();
  }
}

/** Whether any stream has a file there. False if the folder can't be read. */
export async function holdsFootage(root: string): Promise<boolean> {
  try {
    for (const uid of await listStreamFolders(root)) if (await hasFiles(root, uid)) return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
  return false;
}

/** Whether the folder is empty or doesn't exist. @throws system errors */
export async function isEmptyDisk(root: string): Promise<boolean> {
  try {
    return (await readdir(root)).every((name) => emptyDiskNames.has(name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw error;
  }
}
