import { freeSuffix, makeFolders, moveFile } from '../base/durable.ts';
import { removeDatabase, setDatabaseAside } from './catalog-aside.ts';
import { adoptFiles } from './adoption.ts';
import { ArchiveLock } from './catalog-lock.ts';
import { openCatalogForWriting } from './catalog-file.ts';
import { CatalogReads } from './catalog-reads.ts';
import { CatalogWrites, type CatalogChange } from './catalog-writes.ts';
import type { FarOptions } from './far-archive.ts';
import { adoptObjects } from './far-rebuild.ts';
import { readFarMarker } from './far-tier.ts';
import { namesIn } from './files.ts';
import { archiveFolderMode, catalogPath, lockPath } from './layout.ts';
import { listStreamFolders, readMarker, writeMarker } from './marker.ts';

export interface RebuildReport {
  readonly segments: number;
  readonly bytes: number;
  /** Files that were left out, and why; one line each. */
  readonly findings: readonly string[];
  /** Where the catalog that was there lies now; undefined when there was none. */
  readonly oldCatalog: string | undefined;
}

/**
 * Makes the catalog anew from the files, and the objects where there is a bucket; the old one is kept beside it. Files and objects
 * are read, never changed. What they can't tell, the causes of gaps and how far retention got, is lost.
 * @throws Error when a server runs, or the folder has no marker; FarStoreError
 */
export async function rebuildCatalog(
  root: string,
  catalog = catalogPath(root),
  far?: Pick<FarOptions, 'store' | 'keys'>,
): Promise<RebuildReport> {
  const archiveId = await identityOf(root, far);
  const lock = new ArchiveLock(lockPath(catalog));
  try {
    const newPath = `${catalog}.new`;
    // What an earlier attempt left there is of no use.
    await removeDatabase(newPath);
    const report = await buildCatalog(root, newPath, archiveId, far);
    const oldCatalog = await setDatabaseAside(catalog, await freeSuffix([catalog], 'old'));
    await moveFile(newPath, catalog);
    return { ...report, oldCatalog };
  } finally {
    lock.release();
  }
}

/** The marker's, or where the disk is a new one that of the bucket, which it then gets. */
async function identityOf(root: string, far?: Pick<FarOptions, 'store' | 'keys'>): Promise<string> {
  const marker = await readMarker(root);
  if (marker.state === 'present') return marker.archiveId;
  const isEmpty = marker.state === 'missing' && (await namesIn(root)).length === 0;
  const archiveId = isEmpty && far ? await readFarMarker(far.store, far.keys) : undefined;
  if (archiveId === undefined)
    throw new Error(`${root} has no readable marker: is the archive's disk mounted?`);
  await makeFolders(root, archiveFolderMode);
  await writeMarker(root, archiveId);
  return archiveId;
}

async function buildCatalog(
  root: string,
  path: string,
  archiveId: string,
  far?: Pick<FarOptions, 'store' | 'keys'>,
): Promise<Omit<RebuildReport, 'oldCatalog'>> {
  const database = openCatalogForWriting(path, archiveId);
  try {
    const writes = new CatalogWrites(database);
    const reads = new CatalogReads(database);
    const findings: string[] = [];
    const commit = (changes: readonly CatalogChange[]) => writes.commit(changes);
    for (const uid of await listStreamFolders(root)) await adoptFiles({ root, reads, commit, findings }, uid);
    if (far) await adoptObjects({ ...far, reads, commit, archiveId, findings });
    const streams = reads.streams();
    return {
      segments: streams.reduce((sum, { segments }) => sum + segments, 0),
      bytes: streams.reduce((sum, { bytes }) => sum + bytes, 0),
      findings,
    };
  } finally {
    // The last connection to close brings the log into the file.
    database.close();
  }
}
