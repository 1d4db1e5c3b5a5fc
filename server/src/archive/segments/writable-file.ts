import type { FileHandle } from 'node:fs/promises';

/** A file of the archive while it is written. All reject with the system error. */
export interface WritableFile {
  /**
   * Writes slices consecutively from `position`, where what was written before ends, and returns how many bytes were
   * written, possibly fewer than requested.
   */
  write(slices: readonly Uint8Array[], position: number): Promise<number>;
  /** fdatasync: the bytes and the file length are on the disk. */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** A file that is written through the page cache. */
export function bufferedFile(handle: FileHandle): WritableFile {
  return {
    write: async (slices, position) => (await handle.writev(slices, position)).bytesWritten,
    sync: () => handle.datasync(),
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
}
