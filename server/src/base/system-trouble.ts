import { dirname } from 'node:path';

/** What errors of the system mean, before the name of the file or after it. */
const words: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist.`,
  EACCES: (path) => `This user has no permission for ${path}.`,
  EPERM: (path) => `This user has no permission for ${path}.`,
  EISDIR: (path) => `${path} is a folder.`,
  ENOTDIR: (path) => `${path} can't exist: a part of it is a file.`,
  EROFS: (path) => `${path} is on a file system that is mounted read-only.`,
  ENOSPC: (path) => `The disk of ${path} is full.`,
  EIO: (path) => `The disk of ${path} fails: see the kernel’s log (dmesg).`,
};

/** One line for an error with which the system answered a call; undefined for others. */
export function systemTroubleOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return undefined;
  // The file that is to be written is at first another one in its folder.
  const shown = path?.endsWith('.part') ? dirname(path) : path;
  return (shown === undefined ? undefined : words[code]?.(shown)) ?? `The system refuses: ${message}.`;
}
