import { hash } from 'node:crypto';
import { chmod, open, readFile, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { moveFile, syncFile } from '../base/durable.ts';
import { keyBytes } from './seal.ts';

/** The contents of a backup besides the database. */
export interface BackupFacts {
  readonly createdMs: number;
  /** Version of the product that made it. */
  readonly version: string;
  /** Text of `vidette.yaml`; null when there was no such file. */
  readonly configText: string | null;
  /** The key that seals addresses in the database, base64; null when there was none yet. */
  readonly key: string | null;
}

const factsTable = 'vidette_backup';
const digestTable = 'vidette_backup_digest';
/**
 * Prefix of the text in the backup that holds its digest; while the digest is computed, zeros take its place.
 */
const digestMark = 'vidette-backup-sha256:';
const noDigest = `${digestMark}${'0'.repeat(64)}`;

/**
 * Writes database and configuration into one file that only its owner reads: a consistent snapshot of a SQLite
 * database, whatever a running server writes meanwhile, with the metadata in a separate table. The file is
 * created atomically. The metadata are read after the copy: a server that seals for the first time creates its
 * key before.
 * @throws system and SQLite errors
 */
export async function writeBackup(
  databaseFile: string,
  target: string,
  readFacts: () => Promise<BackupFacts>,
): Promise<void> {
  const part = `${target}.part`;
  await rm(part, { force: true });
  try {
    const handle = await open(part, 'wx', 0o600);
    await handle.close();
    const source = new DatabaseSync(databaseFile, { readOnly: true });
    try {
      source.exec('PRAGMA busy_timeout = 5000');
      source.prepare('VACUUM INTO ?').run(part);
    } finally {
      source.close();
    }
    const facts = await readFacts();
    const copy = new DatabaseSync(part);
    try {
      copy.exec(`CREATE TABLE ${factsTable} (facts TEXT NOT NULL)`);
      copy
        .prepare(`INSERT INTO ${factsTable} (facts) VALUES (?)`)
        .run(JSON.stringify({ ...facts, hasDigest: true }));
      copy.exec(`CREATE TABLE ${digestTable} (digest TEXT NOT NULL)`);
      copy.prepare(`INSERT INTO ${digestTable} (digest) VALUES (?)`).run(noDigest);
    } finally {
      copy.close();
    }
    await sign(part);
    await syncFile(part);
    await moveFile(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** What a backup states about itself. */
export interface ReadBackup extends BackupFacts {
  /** False: made by an earlier version, so that corruption can't be detected. */
  readonly isProven: boolean;
}

/**
 * The metadata of a backup; undefined when the file is not a backup, or when any byte of it has changed.
 * @throws system errors
 */
export async function readBackup(file: string): Promise<ReadBackup | undefined> {
  // SQLite would report a missing file as an unreadable one.
  const handle = await open(file, 'r');
  await handle.close();
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const [check] = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
    const row = database.prepare(`SELECT facts FROM ${factsTable}`).get() as { facts: string } | undefined;
    if (check?.integrity_check !== 'ok' || !row) return undefined;
    // Backups from before addresses were sealed have no key.
    const said = JSON.parse(row.facts) as Omit<BackupFacts, 'key'> &
      Partial<BackupFacts> & { hasDigest?: true };
    const { hasDigest, ...known } = said;
    const isProven = await isAsSigned(file, database);
    if (isProven === false || (isProven === undefined && hasDigest)) return undefined;
    const facts = { key: null, ...known, isProven: isProven === true };
    const isWhole = facts.key === null || Buffer.from(facts.key, 'base64').length === keyBytes;
    return isWhole ? facts : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR') return undefined;
    throw error;
  } finally {
    database?.close();
  }
}

/** Writes the database of a backup to a new file that a server can open. @throws system and SQLite errors */
export async function extractDatabase(backupFile: string, target: string): Promise<void> {
  await rm(target, { force: true });
  const source = new DatabaseSync(backupFile, { readOnly: true });
  try {
    source.prepare('VACUUM INTO ?').run(target);
  } finally {
    source.close();
  }
  const database = new DatabaseSync(target);
  try {
    database.exec(`DROP TABLE ${factsTable}; DROP TABLE IF EXISTS ${digestTable}`);
  } finally {
    database.close();
  }
  await chmod(target, 0o600);
  await syncFile(target);
}

/** Writes the digest of all other bytes of the backup into it. */
async function sign(file: string): Promise<void> {
  const bytes = await readFile(file);
  const at = bytes.indexOf(noDigest);
  if (at < 0 || bytes.indexOf(noDigest, at + 1) >= 0)
    throw new Error('the backup has no place for its digest');
  const handle = await open(file, 'r+');
  try {
    const digest = Buffer.from(`${digestMark}${hash('sha256', bytes, 'hex')}`);
    await handle.write(digest, 0, digest.length, at);
  } finally {
    await handle.close();
  }
}

/** Undefined when it contains no digest. */
async function isAsSigned(file: string, database: DatabaseSync): Promise<boolean | undefined> {
  const hasTable =
    database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(digestTable) !== undefined;
  const bytes = await readFile(file);
  const at = bytes.indexOf(digestMark);
  if (!hasTable && at < 0) return undefined;
  const said = String(database.prepare(`SELECT digest FROM ${digestTable}`).get()?.['digest']);
  const place = bytes.indexOf(said);
  if (said.length !== noDigest.length || place < 0) return false;
  bytes.write(noDigest, place, 'latin1');
  return said === `${digestMark}${hash('sha256', bytes, 'hex')}`;
}
