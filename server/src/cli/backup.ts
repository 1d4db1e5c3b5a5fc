import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveLock, LockHeldError, lockUnused, setDatabaseAside } from '../archive/catalog/catalog.ts';
import { catalogPath } from '../archive/segments/segments.ts';
import type { Clock } from '../base/clock.ts';
import { freeSuffix, makeFolders, moveFile, replaceFile } from '../base/durable.ts';
import { configFileName } from '../config/load.ts';
import { extractDatabase, readBackup, writeBackup } from '../store/backup.ts';
import { keyFileName, readKey, writeKey } from '../store/seal.ts';

const databaseName = 'vidette.sqlite';

export interface BackupOptions {
  readonly dataDir: string;
  /** The backup file. */
  readonly file: string;
  readonly out: (line: string) => void;
}

/**
 * `vidette backup FILE`: writes the configuration, the database and its key to one file, without the archive;
 * works while the server runs.
 */
export async function backUp(
  options: BackupOptions & { readonly clock: Clock; readonly version: string },
): Promise<number> {
  const { dataDir, file, out, clock, version } = options;
  const database = join(dataDir, databaseName);
  if (!existsSync(database)) {
    out(`There is no database in ${dataDir}.`);
    return 1;
  }
  const configFile = join(dataDir, configFileName);
  await writeBackup(database, file, async () => ({
    createdMs: clock.wallMs(),
    version,
    configText: existsSync(configFile) ? await readFile(configFile, 'utf8') : null,
    key: (await readKey(dataDir))?.toString('base64') ?? null,
  }));
  out(
    `Backed up to ${file}. It contains the cameras' passwords with their key, and the password of the mail server: protect it like the passwords in it.`,
  );
  return 0;
}

/**
 * `vidette restore FILE`: restores configuration, database and key; existing files are kept beside them as
 * `.old`, `.old.2` and so on. The server must be stopped.
 */
export async function restore({ dataDir, file, out }: BackupOptions): Promise<number> {
  if (!existsSync(file)) {
    out(`There is no file ${file}.`);
    return 1;
  }
  const facts = await readBackup(file);
  if (!facts) {
    out(
      `${file} is not a complete backup: it was truncated, or bytes of it were changed. Nothing was restored.`,
    );
    return 1;
  }
  await makeFolders(dataDir, 0o750);
  const lock = takeLock(dataDir);
  if (!lock) {
    out('The server is running: stop it first.');
    return 1;
  }
  let kept: string | undefined;
  try {
    const database = join(dataDir, databaseName);
    const next = `${database}.new`;
    await extractDatabase(file, next);
    const [keyFile, configFile] = [join(dataDir, keyFileName), join(dataDir, configFileName)];
    const suffix = await freeSuffix([database, keyFile, configFile], 'old');
    await setDatabaseAside(database, suffix);
    if (facts.key !== null) {
      await keepOld(keyFile, suffix);
      await writeKey(dataDir, Buffer.from(facts.key, 'base64'));
    }
    await moveFile(next, database);
    await keepOld(configFile, suffix);
    if (facts.configText !== null) await replaceFile(configFile, facts.configText, 0o600);
    kept = existsSync(`${database}${suffix}`) ? `${database}${suffix}` : undefined;
  } finally {
    lock.release();
  }
  out(`Restored the backup of ${new Date(facts.createdMs).toISOString()} by version ${facts.version}.`);
  if (!facts.isProven) {
    out('An earlier version made this backup, without a digest: it cannot be checked for changed bytes.');
  }
  if (kept !== undefined) out(`The previous database is kept as ${kept}.`);
  return 0;
}

/** Undefined while a server uses this folder. */
function takeLock(dataDir: string): ArchiveLock | undefined {
  try {
    return lockUnused(catalogPath(join(dataDir, 'archive')));
  } catch (error) {
    if (error instanceof LockHeldError) return undefined;
    throw error;
  }
}

async function keepOld(file: string, suffix: string): Promise<void> {
  if (existsSync(file)) await moveFile(file, `${file}${suffix}`);
}
