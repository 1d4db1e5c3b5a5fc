import { dirname } from 'node:path';
import type { ArchiveFiles, WritableFile } from '../segments/segments.ts';

/**
 * One file of the archive while it grows. After a failed append only `cutBack` may follow: a failed flush is
 * never retried, because the system may have dropped the pages and report success the next time.
 */
export class SegmentFile {
  readonly path: string;
  readonly #file: WritableFile;
  readonly #files: ArchiveFiles;
  /** Flushed bytes. */
  #flushedBytes = 0;
  #isNew = true;

  private constructor(files: ArchiveFiles, path: string, file: WritableFile) {
    this.#files = files;
    this.path = path;
    this.#file = file;
  }

  /** Creates an empty file; its folder must exist. @throws system errors, including EEXIST */
  static async create(files: ArchiveFiles, path: string): Promise<SegmentFile> {
    return new SegmentFile(files, path, await files.create(path));
  }

  get flushedBytes(): number {
    return this.#flushedBytes;
  }

  /**
   * Appends, flushes, and for a new file flushes its directory entry. Once this resolves the bytes survive a
   * power failure. `onTaken` as in `WritableFile`. @throws system errors, ShortWriteError
   */
  async append(slices: readonly Uint8Array[], bytes: number, onTaken: () => void): Promise<void> {
    await this.#file.write(slices, this.#flushedBytes, onTaken);
    await this.#file.sync();
    if (this.#isNew) {
      await this.#files.syncFolder(dirname(this.path));
      this.#isNew = false;
    }
    this.#flushedBytes += bytes;
  }

  /** Truncates the file to the length in its row and closes it; a file without a row is deleted. */
  async cutBack(rowBytes: number): Promise<void> {
    try {
      if (rowBytes === 0) {
        await this.#files.remove(this.path);
      } else {
        await this.#file.truncate(rowBytes);
        await this.#file.sync();
      }
    } finally {
      await this.#file.close();
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
