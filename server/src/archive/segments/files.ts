import { mkdir, open, readdir, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { syncFolder } from '../../base/durable.ts';
import { createDirect } from './direct-file.ts';
import { archiveFolderMode } from './layout.ts';
import { systemCode } from './system-code.ts';
import { bufferedFile, type WritableFile } from './writable-file.ts';

/**
 * All disk operations of the archive, so that tests can record their order, and fail or shorten any of them.
 * All reject with the system error (`code`: ENOSPC, EIO, EEXIST, ...).
 */
export interface ArchiveFiles {
  /** Creates a new file. EEXIST if it exists: nothing is ever overwritten. */
  create(path: string): Promise<WritableFile>;
  /** Opens an existing file, to truncate its tail. */
  reopen(path: string): Promise<WritableFile>;
  /** True if it was created, false if it existed; its parent must exist. */
  makeFolder(path: string): Promise<boolean>;
  /** Flushes a folder's directory entries. */
  syncFolder(path: string): Promise<void>;
  /** False if it did not exist. */
  remove(path: string): Promise<boolean>;
  /**
   * Rewrites a file's metadata without changing it. EROFS if the disk is not writable, which permissions don't
   * show after the kernel has remounted it read-only because of an error; other errors affect only that file
   * and are ignored.
   */
  assertChangeable(path: string): Promise<void>;
  /** Removes a folder only if it is empty; false if it is not. */
  removeFolder(path: string): Promise<boolean>;
}

export const diskFiles: ArchiveFiles = {
  create: createDirect,
  reopen: async (path) => bufferedFile(await open(path, 'r+')),
  makeFolder: (path) => unlessCode(mkdir(path, archiveFolderMode), 'EEXIST'),
  syncFolder,
  remove: (path) => unlessCode(unlink(path), 'ENOENT'),
  assertChangeable,
  removeFolder: (path) => unlessCode(rmdir(path), 'ENOTEMPTY', 'ENOENT', 'EEXIST'),
};

/** The entries of a folder, sorted; empty if it doesn't exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

async function assertChangeable(path: string): Promise<void> {
  try {
    const { atime, mtime } = await stat(path);
    await utimes(path, atime, mtime);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || code === 'EROFS') throw error;
  }
}

async function unlessCode(work: Promise<unknown>, ...codes: string[]): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (codes.includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}
