/**
 * Records one hub to segments: GOP assembler, segment writer, a recorder for each stream. A recorder never makes its hub wait; it commits a
 * fragment's row only after the flush of its bytes, loses at most the fragment being filled when the process is killed, and turns
 * each failure of the disk into a gap with its cause.
 */
export type { Recorder, RecorderLimits, RecorderStopCause } from './recorder.ts';
export { Recorders } from './recorders.ts';
