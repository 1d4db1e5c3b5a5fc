/** Why a recorder cannot write at the moment; also the cause of the resulting gap. */
export type RecordingFailureCode = 'disk-full' | 'write-failed' | 'wrong-disk';

/** Known before any write: the disk is not the right one, or too full. */
export class RecordingFailure extends Error {
  override readonly name = 'RecordingFailure';
  readonly code: RecordingFailureCode;

  constructor(code: RecordingFailureCode, message: string) {
    super(message);
    this.code = code;
  }
}
