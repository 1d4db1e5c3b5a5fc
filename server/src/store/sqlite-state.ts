import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFile, syncFolder } from '../base/durable.ts';
import { giveUpReserve, withReserve } from '../base/disk-reserve.ts';
import { Fault } from '../base/fault.ts';
import { isSqliteError, sqliteTroubleOf } from '../base/sqlite-trouble.ts';

/** Up to this size all pages are checked at startup; the database of a hundred streams is a few MB. */
const wholeCheckBytes = 256 * 1024 * 1024;
/** Number of pre-migration copies to keep. */
const keptCopies = 3;

/**
 * Checks the database file for damage before it is used. A missing or empty file is a new one.
 * @throws Fault Unavailable, whose message names the remedy
 */
export async function assertSqliteIsWhole(file: string): Promise<void> {
  const bytes = await sizeOf(file);
  if (bytes === 0) return;
  // After a kill, opening it needs free space.
  giveUpReserve(dirname(file));
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(file);
    database = opened;
    opened.exec('PRAGMA busy_timeout = 5000');
    withReserve(dirname(file), () => opened.prepare('SELECT * FROM sqlite_schema').all());
    const [row] = (bytes <= wholeCheckBytes ? opened.prepare('PRAGMA quick_check(1)').all() : []) as {
      quick_check?: string;
    }[];
    if (row !== undefined && row.quick_check !== 'ok') throw damaged(file, row.quick_check);
  } catch (error) {
    throw sqliteFault(file, error);
  } finally {
    database?.close();
  }
}

/** Maps SQLite's errors about the database file to helpful messages. Other errors are passed on. */
export function sqliteFault(file: string, error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  const trouble = sqliteTroubleOf(error);
  if (trouble === 'damaged') return damaged(file, (error as Error).message, error);
  if (trouble === 'full') {
    return new Fault('Unavailable', `The disk of ${file} is full: free some space.`, { cause: error });
  }
  const message = `The database ${file} cannot be opened: ${(error as Error).message}.`;
  return new Fault('Unavailable', message, { cause: error });
}

/**
 * Copies the current database to a file beside it, before its tables change, so that the previous version can
 * be restored. The newest of the earlier copies are kept. Resolves to the file name.
 * @throws Fault Unavailable on a full disk; system errors
 */
export async function copyBeforeMigrating(file: string, step: string): Promise<string> {
  const prefix = `${basename(file)}.before-`;
  const target = join(dirname(file), `${prefix}${step}`);
  // Left by an interrupted attempt, or by a migration that failed: the database is unchanged since.
  await rm(target, { force: true });
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    database.prepare('VACUUM INTO ?').run(target);
  } catch (error) {
    await rm(target, { force: true });
    throw sqliteFault(file, error);
  } finally {
    database.close();
  }
  await chmod(target, 0o600);
  await syncFile(target);
  await syncFolder(dirname(target));
  const copies = (await readdir(dirname(file))).filter((name) => name.startsWith(prefix)).sort();
  for (const name of copies.slice(0, -keptCopies)) await rm(join(dirname(file), name), { force: true });
  return target;
}

function damaged(file: string, what: unknown, cause?: unknown): Fault {
  return new Fault(
    'Unavailable',
    `The database ${file} is damaged (${String(what)}). Restore a backup with \`vidette restore FILE\`, which keeps the damaged file beside it. ` +
      'Without a backup, move the file away: the recordings are kept, and the server can be set up again after `vidette allow-setup`.',
    { cause },
  );
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
