import { CatalogError } from './catalog-writer.ts';
import { systemCode } from './files.ts';
import { ShortWriteError } from './segment-file.ts';

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

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Maps a write error to the cause shown for the gap. */
export function failureCodeOf(error: unknown): RecordingFailureCode {
  if (error instanceof RecordingFailure) return error.code;
  if (error instanceof ShortWriteError) return 'disk-full';
  if (error instanceof CatalogError) return error.isFull ? 'disk-full' : 'write-failed';
  return fullCodes.has(systemCode(error) ?? '') ? 'disk-full' : 'write-failed';
}
