import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { CATALOG_VERSION, createCatalog, upgradeCatalog } from './catalog-schema.ts';

/**
 * Opens the catalog for its one writer, making it when it is not there.
 * WAL with synchronous=FULL: under NORMAL a power cut takes back rows that were acknowledged.
 * @throws Error when the file was made by a newer version.
 */
export function openCatalogForWriting(path: string, newArchiveId: string = randomUUID()): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000');
    // A WAL that a slow reader let grow is cut back to this at the next checkpoint.
    database.exec('PRAGMA journal_size_limit = 16777216');
    if (!hasTables(database)) createCatalog(database, newArchiveId);
    upgradeCatalog(database, versionOf(database));
    assertVersion(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A second connection for questions; it never writes. @throws Error when the file was made by another version. */
export function openCatalogForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA cache_size = -16384');
    assertVersion(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('SELECT version FROM archive').get()?.['version']);
}

function assertVersion(database: DatabaseSync, path: string): void {
  const version = versionOf(database);
  if (version === CATALOG_VERSION) return;
  const advice = version < CATALOG_VERSION ? ': start the server once, it brings it up to date' : '';
  throw new Error(`${path} is of version ${version}, not ${CATALOG_VERSION}${advice}`);
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'archive'`).get() !== undefined;
}

/** Held by the one process that writes an archive; the system lets go of it when the process dies. */
export class ArchiveLock {
  readonly #database: DatabaseSync;

  /** @throws Error when another process holds it. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.#database.close();
      throw new Error(`another process writes the archive (it holds ${path})`, { cause: error });
    }
  }

  release(): void {
    this.#database.close();
  }
}
