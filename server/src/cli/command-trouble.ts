import { dirname } from 'node:path';
import { sqliteTroubleOf, type SqliteTrouble } from '../base/sqlite-trouble.ts';

/** What errors of the system mean, before the name of the file or after it. */
const systemWords: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist.`,
  EACCES: (path) => `This user has no permission for ${path}.`,
  EPERM: (path) => `This user has no permission for ${path}.`,
  EISDIR: (path) => `${path} is a folder.`,
  ENOTDIR: (path) => `${path} can't exist: a part of it is a file.`,
  EROFS: (path) => `${path} is on a file system that is mounted read-only.`,
  ENOSPC: (path) => `The disk of ${path} is full.`,
  EIO: (path) => `The disk of ${path} fails: see the kernel’s log (dmesg).`,
};

const databaseWords: Readonly<Record<SqliteTrouble, string>> = {
  damaged:
    'A database of the data folder is damaged: see “When the database is lost” in the guide, page Back up.',
  busy: 'Another process uses the database.',
  full: 'The disk of the data folder is full.',
  unreachable: 'A database of the data folder can’t be read or written by this user.',
};

/** One line for an error of a command that its operator can do something about; undefined for mistakes of the program. */
export function commandTroubleOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'Fault' || error.name === 'ConfigError') return error.message;
  const database = sqliteTroubleOf(error);
  if (database !== undefined) return databaseWords[database];
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return undefined;
  // The file that is to be written is at first another one in its folder.
  const shown = path?.endsWith('.part') ? dirname(path) : path;
  return (shown === undefined ? undefined : systemWords[code]?.(shown)) ?? `The system refuses: ${message}.`;
}
