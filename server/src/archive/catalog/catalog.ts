/**
 * The catalog: its file, schema, lock, queries, and the writer in a thread of its own. All SQL of the archive
 * is in this folder. A commit resolves only after the rows are on the disk; a row is written only for bytes
 * that its caller has flushed; queries use the primary keys and cost the same after a year as after a day.
 */
export { ActiveFolders } from './active-folders.ts';
export { removeDatabase, setDatabaseAside } from './catalog-aside.ts';
export {
  assertCatalogIsWhole,
  CatalogDamaged,
  openCatalogForReading,
  openCatalogForWriting,
  setArchiveId,
} from './catalog-file.ts';
export {
  ArchiveLock,
  type LockFile,
  LockHeldError,
  lockUnused,
  lockWhenFree,
  recorderLocks,
} from './catalog-lock.ts';
export { CatalogNotes, type DamageMark } from './catalog-notes.ts';
export { CatalogReads, type CatalogStreamRow, type InterruptionRow } from './catalog-reads.ts';
export { type RecordedGapCause } from './catalog-schema.ts';
export { CatalogError, type CatalogSink, CatalogWriter } from './catalog-writer.ts';
export { type CatalogChange, CatalogWrites } from './catalog-writes.ts';
export { ClosedSegments } from './closed-segments.ts';
export { ImportedCatalog, type ImportedFile, type KnownImport, type NewImport } from './imported-catalog.ts';
export type { OwnedSegment, SegmentRow } from './segment-row.ts';
export { type RecordedContent, TimelineReads } from './timeline-reads.ts';
