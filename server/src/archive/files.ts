import { mkdir, open, readdir, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { syncFolder } from '../base/durable.ts';
import { archiveFileMode, archiveFolderMode } from './layout.ts';

/**
 * All that the archive does to the disk, so that tests can write down the order, and fail or shorten any step.
 * Everything rejects with the error of the system (`code`: ENOSPC, EIO, EEXIST, ...).
 */
export interface ArchiveFiles {
  /** A new file. EEXIST when there is one: nothing is ever overwritten. */
  create(path: string): Promise<WritableFile>;
  /** An existing file, to cut its tail. */
  reopen(path: string): Promise<WritableFile>;
  /** True when it was made, false when it was there; its parent must exist. */
  makeFolder(path: string): Promise<boolean>;
  /** Flushes the names in a folder. */
  syncFolder(path: string): Promise<void>;
  /** False when it was not there. */
  remove(path: string): Promise<boolean>;
  /**
   * Changes a file without a difference. EROFS where the disk takes no change, which permissions don't tell after the kernel made
   * it read-only for an error; what else goes wrong is that file's affair and passes.
   */
  assertChangeable(path: string): Promise<void>;
  /** Only when it is empty; false when it is not. */
  removeFolder(path: string): Promise<boolean>;
}

export interface WritableFile {
  /** Writes slices one after the other from `position` on and answers how many bytes were taken: it may be fewer. */
  write(slices: readonly Uint8Array[], position: number): Promise<number>;
  /** fdatasync: the bytes and the length are on the disk. */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export const diskFiles: ArchiveFiles = {
  create: (path) => openWritable(path, 'wx'),
  reopen: (path) => openWritable(path, 'r+'),
  makeFolder: (path) => unlessCode(mkdir(path, archiveFolderMode), 'EEXIST'),
  syncFolder,
  remove: (path) => unlessCode(unlink(path), 'ENOENT'),
  assertChangeable,
  removeFolder: (path) => unlessCode(rmdir(path), 'ENOTEMPTY', 'ENOENT', 'EEXIST'),
};

/** The system's name of an error, or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** What lies in a folder, in order; nothing when it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

async function openWritable(path: string, flags: 'wx' | 'r+'): Promise<WritableFile> {
  const handle = await open(path, flags, archiveFileMode);
  return {
    write: async (slices, position) => (await handle.writev(slices as Uint8Array[], position)).bytesWritten,
    sync: () => handle.datasync(),
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
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
