import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, truncateSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../base/fault.ts';
import { delay, type Clock } from '../../base/clock.ts';
import { isSqliteError, sqliteTroubleOf } from '../../base/sqlite-trouble.ts';
import { lockPath, recorderLockPaths } from '../segments/segments.ts';

/** Another process holds the lock. */
export class LockHeldError extends Fault {
  constructor(path: string, cause: unknown) {
    super('Unavailable', `another process is using the archive (it holds the lock ${path})`, { cause });
  }
}

/** Opens a file and locks it. @throws the error of SQLite */
export type LockFile = (path: string) => DatabaseSync;

/**
 * A lock of the operating system on a file, reached through SQLite: the kernel releases it when the process
 * dies for any reason, so it is never stale, and a network file system with locks enforces it between hosts.
 * The file's contents are irrelevant. The process must not open it in any other way, because closing it would
 * release the lock (fcntl(2)).
 */
export class ArchiveLock {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #file: Promise<string | undefined>;

  /**
   * @throws LockHeldError when another process holds it; Fault Unavailable when the file can't be locked at
   * all, as on a failing disk or a share without locks
   */
  constructor(path: string, lock: LockFile = lockFile) {
    this.#path = path;
    this.#database = lockedDatabase(path, lock);
    this.#file = identityOf(path);
  }

  /** Whether the path still refers to the locked file; false after the disk was replaced. */
  async isInPlace(): Promise<boolean> {
    const file = await this.#file;
    return file !== undefined && file === (await identityOf(this.#path));
  }

  release(): void {
    this.#database.close();
  }
}

const retryMs = 50;

/**
 * Locks a file as soon as the process of an earlier server that holds it has ended. @throws LockHeldError when it is
 * still held after `waitMs`; otherwise as `ArchiveLock`
 */
export async function lockWhenFree(path: string, clock: Clock, waitMs: number): Promise<ArchiveLock> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  for (;;) {
    try {
      return new ArchiveLock(path);
    } catch (error) {
      if (!(error instanceof LockHeldError) || clock.monotonicMs() >= deadlineMs) throw error;
      await delay(clock, retryMs);
    }
  }
}

/** The locks of the processes that only record that exist at all: of an earlier server, or of one that runs. */
export function recorderLocks(catalog: string): string[] {
  return recorderLockPaths(catalog).filter((path) => existsSync(path));
}

/** Locks an archive that no server uses. @throws LockHeldError while one does; otherwise as `ArchiveLock` */
export function lockUnused(catalog: string): ArchiveLock {
  const lock = new ArchiveLock(lockPath(catalog));
  try {
    for (const path of recorderLocks(catalog)) new ArchiveLock(path).release();
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lockedDatabase(path: string, lock: LockFile): DatabaseSync {
  try {
    return lock(path);
  } catch (error) {
    if (sqliteTroubleOf(error) !== 'damaged') throw lockFailure(path, error, lock);
  }
  // SQLite reads the file only when no other process holds the lock, so the file is damaged and useless.
  try {
    truncateSync(path);
    return lock(path);
  } catch (error) {
    throw lockFailure(path, error, lock);
  }
}

function lockFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // No journal file.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function lockFailure(path: string, error: unknown, lock: LockFile): Error {
  if (sqliteTroubleOf(error) === 'busy') {
    if (hasLocks(path, lock)) return new LockHeldError(path, error);
    return new Fault('Unavailable', `${path} is on a file system without locks.`, { cause: error });
  }
  if (!isSqliteError(error) && (error as NodeJS.ErrnoException).code === undefined) return error as Error;
  return new Fault('Unavailable', `${path} cannot be locked: ${(error as Error).message}.`, { cause: error });
}

/**
 * Whether a file next to it, which no other process knows, can be locked. SQLite reports `ENOLCK`, as from a
 * share without a lock service, the same way as a lock held by another process.
 */
function hasLocks(path: string, lock: LockFile): boolean {
  const probe = `${path}.${randomUUID()}`;
  try {
    lock(probe).close();
    return true;
  } catch (error) {
    return sqliteTroubleOf(error) !== 'busy';
  } finally {
    rmSync(probe, { force: true });
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}
