import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveLock, openCatalogForWriting } from './catalog-file.ts';
import { CatalogReads } from './catalog-reads.ts';
import { CatalogWrites } from './catalog-writes.ts';
import type { FarOptions } from './far-archive.ts';
import { adoptObjects } from './far-rebuild.ts';
import { readFarMarker } from './far-tier.ts';
import { diskFiles, namesIn, systemCode } from './files.ts';
import { catalogPath, isDay, lockPath, segmentPath, startMsOf } from './layout.ts';
import { listStreamFolders, readMarker, writeMarker } from './marker.ts';
import { segmentOf } from './recovery.ts';
import { readSegmentContents } from './segment-scan.ts';

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
    const report = await buildCatalog(root, newPath, archiveId, far);
    const oldCatalog = await setAside(catalog);
    await rename(newPath, catalog);
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
  await mkdir(root, { recursive: true });
  await writeMarker(diskFiles, root, archiveId);
  return archiveId;
}

async function buildCatalog(
  root: string,
  path: string,
  archiveId: string,
  far?: Pick<FarOptions, 'store' | 'keys'>,
): Promise<Omit<RebuildReport, 'oldCatalog'>> {
  // What an earlier attempt left there is no use to anybody.
  await setAside(path);
  const database = openCatalogForWriting(path, archiveId);
  try {
    const writes = new CatalogWrites(database);
    const reads = new CatalogReads(database);
    const findings: string[] = [];
    for (const uid of await listStreamFolders(root)) {
      for (const { path: file, startMs } of await segmentFiles(root, uid, findings)) {
        const contents = await readSegmentContents(file);
        const { startTicks } = contents;
        if (startTicks === undefined || contents.fragments.length === 0) {
          findings.push(`${file} holds no whole fragment`);
          continue;
        }
        const end =
          startTicks + contents.fragments.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
        const stream = reads.stream(uid);
        if (stream && reads.segments(stream.id, startTicks, end, 1).length > 0) {
          findings.push(`${file} overlaps another segment`);
          continue;
        }
        if (segmentPath(root, uid, startTicks) !== file) {
          findings.push(`${file} starts at another moment than its name says (${startMs})`);
          continue;
        }
        // One with a tail stays open, so that the next start of the server cuts it.
        const isWhole = contents.wholeBytes === contents.fileBytes;
        writes.commit([
          segmentOf(uid, startTicks, contents),
          ...(isWhole ? [{ type: 'close', uid, segmentStartTicks: startTicks } as const] : []),
        ]);
      }
    }
    if (far) await adoptObjects({ ...far, reads, writes, archiveId, findings });
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

async function segmentFiles(
  root: string,
  uid: string,
  findings: string[],
): Promise<{ path: string; startMs: number }[]> {
  const files: { path: string; startMs: number }[] = [];
  for (const day of (await readdir(join(root, uid))).sort()) {
    const folder = join(root, uid, day);
    for (const name of isDay(day) ? (await readdir(folder)).sort() : []) {
      const startMs = startMsOf(day, name);
      if (startMs === undefined) findings.push(`${join(folder, name)} is no segment`);
      else files.push({ path: join(folder, name), startMs });
    }
    if (!isDay(day)) findings.push(`${folder} is no day`);
  }
  return files;
}

/** Renames a catalog with its log, so that nothing of it is applied to another. */
async function setAside(path: string): Promise<string | undefined> {
  let moved: string | undefined;
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      await rename(`${path}${suffix}`, `${path}.old${suffix}`);
      if (suffix === '') moved = `${path}.old`;
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
  return moved;
}
