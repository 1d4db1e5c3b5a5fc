/**
 * The archive on the disk: where a segment's file is stored, how it is read, indexed, checksummed and scanned,
 * and the marker of the archive's folder. It does not use the catalog. Paths are built from a validated uid and
 * a number, never from user input; only regular files are opened; reading needs memory for one chunk, whatever
 * the length of the file.
 */
export {
  DamagedFootage,
  openSegmentFile,
  readChunkBytes,
  readInChunks,
  type SegmentReader,
} from './file-bytes.ts';
export { type ArchiveFiles, diskFiles, namesIn } from './files.ts';
export {
  decodeIndex,
  encodeEntry,
  type FragmentEntry,
  type IndexedPosition,
  type NewFragment,
} from './fragment-index.ts';
export { FragmentVerifier, type SummedFragment } from './fragment-verifier.ts';
export { checksumOf, decodeSums, encodeSums } from './fragment-sums.ts';
export {
  archiveFileMode,
  archiveFolderMode,
  CATALOG_TIMESCALE,
  catalogMs,
  catalogMsCeil,
  catalogPath,
  catalogTicks,
  dayFolder,
  dayOf,
  driftMaxSeconds,
  heartbeatPath,
  importedCatalogPath,
  isDay,
  isUid,
  lockPath,
  recorderLockPaths,
  placeOf,
  rebuildNotePath,
  retentionPath,
  segmentPath,
  startMsOf,
  streamFolder,
} from './layout.ts';
export {
  archiveIdIn,
  FOLDER_LOCK_NAME,
  listStreamFolders,
  MARKER_NAME,
  markerBytes,
  type MarkerState,
  readMarker,
  writeMarker,
} from './marker.ts';
export { RecordingFailure, type RecordingFailureCode } from './recording-failure.ts';
export {
  readSegmentContents,
  scanSegmentContents,
  type SegmentContents,
  spoiltFragments,
} from './segment-scan.ts';
export { systemCode } from './system-code.ts';
export { ShortWriteError, type WritableFile } from './writable-file.ts';
