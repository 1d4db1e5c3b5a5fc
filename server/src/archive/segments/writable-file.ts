import type { FileHandle } from 'node:fs/promises';

/** A file of the archive while it is written. All reject with the system error. */
export interface WritableFile {
  /**
   * Writes slices consecutively from `position`, where what was written before ends: all of them, or it rejects.
   * @param onTaken called once, when the slices are no longer read and their memory may be used again; never if it rejects
   * before that
   * @throws system errors, ShortWriteError
   */
  write(slices: readonly Uint8Array[], position: number, onTaken: () => void): Promise<void>;
  /** fdatasync: the bytes and the file length are on the disk. */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** The system accepted fewer bytes than requested although it reported success. */
export class ShortWriteError extends Error {
  override readonly name = 'ShortWriteError';
}

/** A file that is written through the page cache. */
export function bufferedFile(handle: FileHandle): WritableFile {
  return {
    async write(slices, position, onTaken) {
      await writeAll(handle, slices, position);
      onTaken();
    },
    sync: () => handle.datasync(),
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
}

/**
 * Writes slices consecutively. A disk that fills up midway returns a short count first, and the error with the next write.
 * @param unit that write begins at a multiple of it
 * @throws system errors, ShortWriteError
 */
export async function writeAll(
  handle: FileHandle,
  slices: readonly Uint8Array[],
  position: number,
  unit = 1,
): Promise<void> {
  const bytes = lengthOf(slices);
  const { bytesWritten } = await handle.writev(slices, position);
  if (bytesWritten === bytes) return;
  const written = bytesWritten - (bytesWritten % unit);
  const more = (await handle.writev(between(slices, written), position + written)).bytesWritten;
  if (written + more < bytes) throw new ShortWriteError(`${written + more} of ${bytes} bytes were written`);
}

/** The bytes from `from` to `to` of consecutive slices. */
export function between(
  slices: readonly Uint8Array[],
  from: number,
  to = Number.POSITIVE_INFINITY,
): Uint8Array[] {
  let start = 0;
  const parts = slices.map((slice) => {
    const part = slice.subarray(Math.max(0, from - start), Math.max(0, to - start));
    start += slice.length;
    return part;
  });
  return parts.filter(({ length }) => length > 0);
}

/** Bytes of all slices. */
export function lengthOf(slices: readonly Uint8Array[]): number {
  return slices.reduce((sum, { length }) => sum + length, 0);
}
