import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { moveFile } from '../../base/durable.ts';
import { isSqliteError } from '../../base/sqlite-trouble.ts';

/** The files that SQLite creates next to a database. */
const companions = ['-wal', '-shm', '-journal'];

/**
 * Renames a database to `FILE + suffix` with all acknowledged changes: after the process is killed the newest
 * ones are only in the write-ahead log, which is checkpointed into the file first, or moved with it if the file
 * is too damaged for that. Undefined when there is no such file. No other process may have the file open.
 * @throws system errors
 */
export async function setDatabaseAside(file: string, suffix: string): Promise<string | undefined> {
  if (!existsSync(file)) {
    // A log without its database must not be applied to the next one.
    await removeCompanions(file);
    return undefined;
  }
  emptyLog(file);
  const target = `${file}${suffix}`;
  await moveFile(file, target);
  for (const companion of companions) {
    if (existsSync(`${file}${companion}`)) await moveFile(`${file}${companion}`, `${target}${companion}`);
  }
  return target;
}

/** Removes a database that is no longer needed. @throws system errors */
export async function removeDatabase(file: string): Promise<void> {
  await rm(file, { force: true });
  await removeCompanions(file);
}

async function removeCompanions(file: string): Promise<void> {
  for (const companion of companions) await rm(`${file}${companion}`, { force: true });
}

/** The last connection to close checkpoints the log into the file and removes it. */
function emptyLog(file: string): void {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  } catch (error) {
    // Too damaged to open: the log is moved unchanged.
    if (!isSqliteError(error)) throw error;
  } finally {
    database?.close();
  }
}
