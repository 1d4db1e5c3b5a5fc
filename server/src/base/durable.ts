import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Files that are the truth (configuration, keys, markers, backups) and the folders that hold them: on the disk, name and
 * bytes, before a promise here resolves. A crash or a power cut leaves the file as it was or as it is to be, never a
 * part of it. What writes such a file writes it here; footage has rules of its own (archive/files.ts).
 */

/**
 * Puts a file in place of the one that is there, if any. `mode` is for a new file; one that is there keeps its own.
 * @throws system errors; then the old file is untouched.
 */
export async function replaceFile(file: string, bytes: string | Uint8Array, mode: number): Promise<void> {
  const known = await modeOf(file);
  await withPart(file, bytes, known ?? mode, async (part) => {
    await rename(part, file);
    await syncFolder(dirname(file));
  });
}

/** Makes a file unless there is one. False when there is one. @throws system errors */
export async function createFile(file: string, bytes: string | Uint8Array, mode: number): Promise<boolean> {
  return withPart(file, bytes, mode, async (part) => {
    try {
      await link(part, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // File systems without hard links, as on memory cards and network shares.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      if ((await modeOf(file)) !== undefined) return false;
      await rename(part, file);
    }
    await syncFolder(dirname(file));
    return true;
  });
}

/** Gives a file another name in the same or another folder of its disk. @throws system errors */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}

/** Makes a folder and those above it that are missing, each flushed in its parent. @throws system errors */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/** Flushes the names in a folder. @throws system errors */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a file that something else wrote. @throws system errors */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The first of `.WORD`, `.WORD.2`, `.WORD.3`, ... that none of the files has a copy under: what is put aside never replaces what was
 * put aside before, and what belongs together keeps one number. @throws system errors
 */
export async function freeSuffix(files: readonly string[], word: string): Promise<string> {
  for (let number = 1; ; number++) {
    const suffix = `.${word}${number === 1 ? '' : `.${number}`}`;
    const taken = await Promise.all(files.map((file) => modeOf(`${file}${suffix}`)));
    if (taken.every((mode) => mode === undefined)) return suffix;
  }
}

/**
 * Takes from a file or folder what others than its owner and group may do there, as versions before left it. Where that is not
 * ours to change, as on a share without modes, it stays. @throws system errors of other kinds
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
  const part = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`);
  try {
    const handle = await open(part, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The mask of the process may have taken something away.
    await chmod(part, mode);
    return await place(part);
  } finally {
    await rm(part, { force: true });
  }
}

/** Undefined when there is no such file. */
async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
