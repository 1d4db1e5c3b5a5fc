/**
 * Recordings of other programs, indexed where they are and played like footage of this server. They are never written, moved or
 * deleted here. `RecordingImporter` reads their boxes and fills the catalog of imported recordings; `ImportedFootage` plays them.
 */
export { ImportedFootage } from './imported-footage.ts';
export { hasEntries, unreadableReason } from './reading-trouble.ts';
export {
  type FoundFolder,
  type FoundRecording,
  type ImportReport,
  RecordingImporter,
} from './recording-importer.ts';
