import { chmod, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Files that are the source of truth (configuration, keys, markers, backups) and the folders that contain them:
 * on the disk, name and content, before a promise here resolves. A crash or a power failure leaves either the
 * old file or the new one, never a part. Code that writes such a file writes it here; footage has rules of its
 * own (archive/segments/files.ts).
 */

/**
 * Replaces a file, if there is one. `mode` is for a new file; an existing one keeps its own.
 * @throws system errors; then the old file is unchanged
 */
export async function replaceFile(file: string, bytes: string | Uint8Array, mode: number): Promise<void> {
  const known = await modeOf(file);
  await withPart(file, bytes, known ?? mode, async (part) => {
    await rename(part, file);
    await syncFolder(dirname(file));
  });
}

/** Creates a file unless it exists. False when it exists. @throws system errors */
export async function createFile(file: string, bytes: string | Uint8Array, mode: number): Promise<boolean> {
  return withPart(file, bytes, mode, async (part) => {
    try {
      await link(part, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // File systems without hard links, such as on memory cards and network shares.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      if ((await modeOf(file)) !== undefined) return false;
      await rename(part, file);
    }
    await syncFolder(dirname(file));
    return true;
  });
}

/** Renames a file, within its disk. @throws system errors */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}

/** Creates a folder and its missing parents, each flushed in its parent. @throws system errors */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/** Flushes the entries of a folder. @throws system errors */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a file that other code wrote. @throws system errors */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The first of `.WORD`, `.WORD.2`, `.WORD.3`, ... that is free for all of the files: a copy never replaces an
 * earlier copy, and files that belong together share one number. @throws system errors
 */
export async function freeSuffix(files: readonly string[], word: string): Promise<string> {
  for (let number = 1; ; number++) {
    const suffix = `.${word}${number === 1 ? '' : `.${number}`}`;
    const taken = await Promise.all(files.map((file) => modeOf(`${file}${suffix}`)));
    if (taken.every((mode) => mode === undefined)) return suffix;
  }
}

/**
 * Removes the permissions of users other than owner and group from a file or folder created by an earlier
 * version. If this process cannot change them, as on a share without modes, they stay. @throws other system
 * errors
 */
export async function closeToOthers(path: string): Promise<void> {
  const mode = await modeOf(path);
  if (mode === undefined || (mode & 0o007) === 0) return;
  try {
    await chmod(path, mode & ~0o007);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOTSUP' && code !== 'ENOENT') throw error;
  }
}

async function withPart<T>(
  file: string,
  bytes: string | Uint8Array,
  mode: number,
  place: (part: string) => Promise<T>,
): Promise<T> {
  // Loaded here, because it takes a megabyte: a supervisor only makes folders.
  const { randomBytes } = await import('node:crypto');
  const part = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`);
  try {
    const handle = await open(part, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The umask may have removed permissions.
    await chmod(part, mode);
    return await place(part);
  } finally {
    await rm(part, { force: true });
  }
}

/** Undefined if there is no such file. */
async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
