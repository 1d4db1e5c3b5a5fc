import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freeSuffix, makeFolders, moveFile } from '../../base/durable.ts';
import {
  removeDatabase,
  setDatabaseAside,
  ArchiveLock,
  lockUnused,
  LockHeldError,
  openCatalogForReading,
  openCatalogForWriting,
  CatalogReads,
  CatalogWrites,
  type CatalogChange,
} from '../catalog/catalog.ts';
import { Fault } from '../../base/fault.ts';
import { adoptFiles } from './adoption.ts';
import { type ObjectStorageOptions, readRemoteMarker } from '../object-storage/object-storage.ts';
import { adoptObjects } from './object-rebuild.ts';
import { holdsFootage, isEmptyDisk } from './volume-marker-check.ts';
import {
  archiveFolderMode,
  catalogPath,
  rebuildNotePath,
  FOLDER_LOCK_NAME,
  listStreamFolders,
  readMarker,
  writeMarker,
} from '../segments/segments.ts';

export interface RebuildReport {
  readonly segments: number;
  readonly bytes: number;
  /** Skipped files with the reasons; one line each. */
  readonly findings: readonly string[];
  /** The new path of the previous catalog; undefined when there was none. */
  readonly oldCatalog: string | undefined;
}

/**
 * Rebuilds the catalog from the files, and from the objects if there is a bucket; the old one is kept next to
 * it. Files and objects are read, never changed. Information that they don't contain, the causes of gaps and
 * the progress of retention, is lost.
 * @throws Fault if a server is running, or the folder doesn't belong to the archive; ObjectStoreError
 */
export async function rebuildCatalog(
  root: string,
  catalog = catalogPath(root),
  remote?: Pick<ObjectStorageOptions, 'store' | 'keys'>,
): Promise<RebuildReport> {
  const lock = lockUnused(catalog);
  let folderLock: ArchiveLock | undefined;
  try {
    const archiveId = await identityOf(root, catalog, remote);
    folderLock = lockFolder(root);
    const newPath = `${catalog}.new`;
    // Remains of an earlier attempt are useless.
    await removeDatabase(newPath);
    const report = await buildCatalog(root, newPath, archiveId, remote);
    const oldCatalog = await setDatabaseAside(catalog, await freeSuffix([catalog], 'old'));
    await moveFile(newPath, catalog);
    await rm(rebuildNotePath(catalog), { force: true });
    return { ...report, oldCatalog };
  } finally {
    folderLock?.release();
    lock.release();
  }
}

/**
 * The identity in the marker; if it is missing or torn and there is footage, that of the previous catalog,
 * otherwise a new one; on a new disk that of the bucket. An identity that was not in a marker is written to
 * one.
 */
async function identityOf(
  root: string,
  catalog: string,
  remote?: Pick<ObjectStorageOptions, 'store' | 'keys'>,
): Promise<string> {
  const marker = await readMarker(root);
  if (marker.state === 'present') return marker.archiveId;
  if (marker.state === 'unreadable') {
    throw new Fault('Unavailable', `The marker in ${root} cannot be read (${marker.code}): check the disk.`);
  }
  const archiveId = (await holdsFootage(root))
    ? (knownId(catalog) ?? randomUUID())
    : remote && (await isEmptyDisk(root))
      ? await readRemoteMarker(remote.store, remote.keys)
      : undefined;
  if (archiveId === undefined) {
    throw new Fault(
      'Unavailable',
      `${root} contains no footage and no marker: is the archive’s disk mounted? To record in the empty folder from now on, run \`vidette use-disk\`.`,
    );
  }
  await makeFolders(root, archiveFolderMode);
  await writeMarker(root, archiveId);
  return archiveId;
}

function knownId(catalog: string): string | undefined {
  if (!existsSync(catalog)) return undefined;
  try {
    const database = openCatalogForReading(catalog);
    try {
      return new CatalogReads(database).identity().archiveId;
    } finally {
      database.close();
    }
  } catch (error) {
    // Damaged, or of another version: it is about to be replaced.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** If the folder can be locked at all. */
function lockFolder(root: string): ArchiveLock | undefined {
  try {
    return new ArchiveLock(join(root, FOLDER_LOCK_NAME));
  } catch (error) {
    if (error instanceof LockHeldError || !(error instanceof Fault)) throw error;
    return undefined;
  }
}

async function buildCatalog(
  root: string,
  path: string,
  archiveId: string,
  remote?: Pick<ObjectStorageOptions, 'store' | 'keys'>,
): Promise<Omit<RebuildReport, 'oldCatalog'>> {
  const database = openCatalogForWriting(path, archiveId);
  try {
    const writes = new CatalogWrites(database);
    const reads = new CatalogReads(database);
    const findings: string[] = [];
    const commit = (changes: readonly CatalogChange[]) => writes.commit(changes);
    for (const uid of await listStreamFolders(root)) await adoptFiles({ root, reads, commit, findings }, uid);
    if (remote) await adoptObjects({ ...remote, reads, commit, archiveId, findings });
    const streams = reads.streams();
    return {
      segments: streams.reduce((sum, { segments }) => sum + segments, 0),
      bytes: streams.reduce((sum, { bytes }) => sum + bytes, 0),
      findings,
    };
  } finally {
    // The last connection to close checkpoints the log into the file.
    database.close();
  }
}
