/**
 * Records one hub to segments: GOP assembler, segment writer, recorder. A recorder never makes its hub wait; it commits a
 * fragment's row only after the flush of its bytes, loses at most the fragment being filled when the process is killed, and turns
 * each failure of the disk into a gap with its cause.
 */
export { Recorder, type RecorderLimits, type RecorderStopCause, type RecorderTools } from './recorder.ts';
