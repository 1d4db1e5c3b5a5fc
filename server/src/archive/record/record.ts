/**
 * Records hubs to segments: GOP assembler, segment writer, and one recorder per stream. A recorder never makes
 * its hub wait; it commits a fragment's row only after its bytes are flushed, loses at most the fragment being
 * filled if the process is killed, and turns each disk failure into a gap with its cause.
 */
export { fingerprintOf, type HandOverPoint } from './hand-over.ts';
export type { Continuation, Recorder, RecorderStatus, RecorderStopCause } from './recorder.ts';
export { Recorders } from './recorders.ts';
export { recentlyShed, type RecorderView, ReportedRecorders } from './reported-recorders.ts';
export { defaultRecordingLimits, type RecordingLimits } from './recording-limits.ts';
