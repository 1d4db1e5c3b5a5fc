import { randomUUID } from 'node:crypto';
import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveUpReserve, withReserve } from '../../base/disk-reserve.ts';
import { Fault } from '../../base/fault.ts';
import { isSqliteError, sqliteTroubleOf } from '../../base/sqlite-trouble.ts';
import { CATALOG_VERSION } from '../version/version.ts';
import { createCatalog, upgradeCatalog } from './catalog-schema.ts';
import { systemCode, archiveFileMode } from '../segments/segments.ts';

/** Up to this size all pages are checked when the server starts (0.3 s on a disk of 300 MB/s). */
const wholeCheckBytes = 96 * 1024 * 1024;

/**
 * The catalog file is not a catalog, or parts of it are overwritten or missing. The recorded files are not
 * affected.
 */
export class CatalogDamaged extends Fault {
  constructor(path: string, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(
      'Unavailable',
      `The archive’s catalog ${path} is damaged (${what}). Stop the server and run \`vidette rebuild-index\`: ` +
        'it rebuilds the catalog from the recorded files and keeps the damaged one next to it.',
      { cause },
    );
  }
}

/** A newer version of this program has used the catalog. */
export class CatalogTooNew extends Fault {
  constructor(path: string, version: number) {
    super(
      'Unavailable',
      `A newer version of Vidette has used the archive’s catalog ${path} (version ${version}; this one supports ${CATALOG_VERSION}).  ` +
        'Install that version again, or rebuild the catalog from the files with `vidette rebuild-index`.',
    );
  }
}

/**
 * Opens the catalog for its one writer, creating it if it doesn't exist.
 * WAL with synchronous=FULL: under NORMAL a power failure loses acknowledged rows.
 * @throws CatalogDamaged; Fault when it was written by a newer version or can't be reached
 */
export function openCatalogForWriting(path: string, newArchiveId: string = randomUUID()): DatabaseSync {
  // After a kill SQLite maps the log through a shared memory file and checkpoints it into the catalog: that
  // needs disk space.
  giveUpReserve(dirname(path));
  makePrivate(path);
  return opened(path, {}, (database) => {
    withReserve(dirname(path), () => database.exec('PRAGMA journal_mode = WAL'));
    database.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000');
    // A WAL that grew because of a slow reader is truncated to this at the next checkpoint.
    database.exec('PRAGMA journal_size_limit = 16777216');
    if (!hasTables(database)) createCatalog(database, newArchiveId);
    upgradeCatalog(database, versionOf(database));
  });
}

/**
 * A second connection for queries; it never writes. @throws as `openCatalogForWriting`, and Fault for an older
 * version.
 */
export function openCatalogForReading(path: string): DatabaseSync {
  return opened(path, { readOnly: true }, (database) => {
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA cache_size = -16384');
  });
}

/**
 * Checks for damage before the catalog is used: all its pages up to `wholeCheckBytes`, else its tables of
 * streams and the ends of its indexes. @throws as `openCatalogForWriting`
 */
export function assertCatalogIsWhole(path: string): void {
  const database = openCatalogForWriting(path);
  try {
    if (statSync(path).size <= wholeCheckBytes) {
      const [row] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
      if (row?.quick_check !== 'ok') throw new CatalogDamaged(path, row?.quick_check);
    }
    for (const sql of samples) database.prepare(sql).all();
  } catch (error) {
    throw isSqliteError(error) ? catalogFault(path, error) : error;
  } finally {
    database.close();
  }
}

const samples = [
  'SELECT * FROM stream',
  'SELECT * FROM segment ORDER BY stream_id, start_ticks LIMIT 100',
  'SELECT * FROM segment ORDER BY stream_id DESC, start_ticks DESC LIMIT 100',
  'SELECT * FROM fragment_index ORDER BY id DESC LIMIT 10',
  'SELECT * FROM init ORDER BY id LIMIT 10',
  'SELECT * FROM interruption LIMIT 10',
  'SELECT * FROM active_folder LIMIT 10',
  'SELECT * FROM pending_removal LIMIT 10',
  'SELECT * FROM damage LIMIT 10',
];

/**
 * Binds the catalog to another marker, before anything is recorded in it. @throws as `openCatalogForWriting`
 */
export function setArchiveId(path: string, archiveId: string): void {
  const database = openCatalogForWriting(path);
  try {
    database.prepare('UPDATE archive SET archive_id = ?').run(archiveId);
  } finally {
    database.close();
  }
}

function opened(
  path: string,
  options: { readOnly?: boolean },
  prepare: (database: DatabaseSync) => void,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, options);
    prepare(database);
    assertVersion(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw catalogFault(path, error);
  }
}

/** Maps a foreign error to one that an operator can act on. */
function catalogFault(path: string, error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  const trouble = sqliteTroubleOf(error);
  // The statement doesn't match the tables, so this is not a catalog.
  if (trouble === undefined || trouble === 'damaged') return new CatalogDamaged(path, error);
  const message = `The archive’s catalog ${path} cannot be opened: ${(error as Error).message}.`;
  return new Fault('Unavailable', message, { cause: error });
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('SELECT version FROM archive').get()?.['version']);
}

function assertVersion(database: DatabaseSync, path: string): void {
  const version = versionOf(database);
  if (version === CATALOG_VERSION) return;
  if (!Number.isInteger(version)) throw new CatalogDamaged(path, 'it has no version');
  if (version > CATALOG_VERSION) throw new CatalogTooNew(path, version);
  throw new Fault(
    'Unavailable',
    `The archive’s catalog ${path} has version ${version}, not ${CATALOG_VERSION}: start the server once to migrate it.`,
  );
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'archive'`).get() !== undefined;
}

/**
 * A new catalog is readable by the server and its group; the files that SQLite creates next to it inherit its
 * mode.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', archiveFileMode));
  } catch (error) {
    // The file exists; for other errors SQLite's message is better.
    if (systemCode(error) === undefined) throw error;
  }
}
