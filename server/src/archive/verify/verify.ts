/**
 * Keeps catalog, files and bucket consistent: recovery after a crash, adoption of files without rows,
 * rebuilding of a lost catalog, the check of all invariants, and the check that the mounted disk is the
 * archive's. It never deletes a file whose contents it can read, and changes nothing on another archive's disk.
 */
export { ArchiveVolume } from './archive-volume.ts';
export { prepareCatalog } from './catalog-rebuild.ts';
export { checkArchive } from './check.ts';
export type { Finding } from './finding.ts';
export { Heartbeat } from './heartbeat.ts';
export { NewFiles } from './new-files.ts';
export type { ObjectStorageCheck } from './object-check.ts';
export { rebuildCatalog } from './rebuild.ts';
export { recoverArchive } from './recover-archive.ts';
export { Recovery } from './recovery.ts';
export { useEmptyDisk } from './use-disk.ts';
export { type ArchiveProblem, VolumeMarkerCheck } from './volume-marker-check.ts';
