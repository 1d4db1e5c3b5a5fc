import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Dialect, Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import { makeFolders } from '../base/durable.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { AccessChanges } from './access-changes.ts';
import { ClusterTables } from './cluster-tables.ts';
import type { Database, Engine } from './database.ts';
import { migrationsFor } from './migrations.ts';
import type { PoolLimits } from './postgres-pool.ts';
import { postgresColumnTypes } from './postgres-types.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import { assertSqliteIsWhole, copyBeforeMigrating, sqliteFault } from './sqlite-state.ts';

/** In the data folder. */
export const sqliteFileName = 'vidette.sqlite';

/**
 * The location of the database: a SQLite file, created if missing, or an existing database on a PostgreSQL
 * server.
 */
export type DatabasePlace =
  | { readonly file: string }
  /** As in `postgres://user:password@host:5432/vidette`; `folder` is where this server stores its key. */
  | { readonly url: string; readonly folder: string };

export interface OpenDatabase {
  readonly db: Kysely<Database>;
  readonly engine: Engine;
  /** The SQLite file. */
  readonly file?: string;
  /** Folder of the key that decrypts its sealed values. */
  readonly keyFolder: string;
}

/** Every table of the current version: a missing one was lost. The type requires the list to be complete. */
const tables: Readonly<Record<keyof Database | 'access_changes', true>> = {
  users: true,
  sessions: true,
  session_proofs: true,
  tokens: true,
  streams: true,
  stream_tags: true,
  permissions: true,
  grants: true,
  failed_attempts: true,
  mosaics: true,
  bookmarks: true,
  annotations: true,
  journal: true,
  exports: true,
  export_files: true,
  rules: true,
  rule_exports: true,
  holds: true,
  notification_targets: true,
  outbox: true,
  settings: true,
  audit: true,
  reset_codes: true,
  nodes: true,
  stream_nodes: true,
  stream_purges: true,
  cluster: true,
  access_changes: true,
};

/** The configured location: the file in the data folder unless `database` names a server. */
export function databasePlace(config: { dataDir: string; database: string | null }): DatabasePlace {
  const { dataDir, database } = config;
  return database === null ? { file: join(dataDir, sqliteFileName) } : { url: database, folder: dataDir };
}

/**
 * Opens the database and migrates it to the current schema; a SQLite file is copied first, and a line in `log`
 * states where, or what should have been copied.
 * @throws Fault Unavailable with a message that names the remedy, or the engine's error
 */
export async function openDatabase(place: DatabasePlace, log?: Log): Promise<OpenDatabase> {
  const opened = 'url' in place ? await openPostgres(place) : await openSqlite(place.file);
  try {
    await migrate(opened, log);
    await assertTables(opened);
    return opened;
  } catch (error) {
    await opened.db.destroy();
    throw opened.file === undefined ? error : sqliteFault(opened.file, error);
  }
}

/**
 * Whether the steps that made the tables of an existing database are those of this version. Changes nothing.
 * @throws Fault Unavailable when it can't be read, or the engine's error
 */
export async function isCurrent(place: DatabasePlace): Promise<boolean> {
  const { db, engine } = 'url' in place ? await openPostgres(place) : await openSqlite(place.file);
  try {
    const taken = await stepsOf(db);
    const known = Object.keys(migrationsFor(engine));
    return taken.length === known.length && taken.every((name) => known.includes(name));
  } finally {
    await db.destroy();
  }
}

/** The same PostgreSQL on two separate connections with short query timeouts, because a lease does not wait. */
export async function openClusterTables(url: string): Promise<ClusterTables> {
  const dialect = await postgresDialect(url, { connectionsMax: 2, connectMs: 2_000, answerMs: 3_000 });
  const db = new Kysely<Database>({ dialect });
  return new ClusterTables(db, new AccessChanges(db, 'postgres'));
}

async function openSqlite(file: string): Promise<OpenDatabase> {
  const keyFolder = dirname(file);
  await makeFolders(keyFolder, 0o750);
  await assertSqliteIsWhole(file);
  // No other user on the machine may read it. The files that SQLite creates beside it inherit its mode.
  await (await open(file, 'a', 0o600)).close();
  const db = new Kysely<Database>({ dialect: new NodeSqliteDialect(file) });
  return { db, engine: 'sqlite', file, keyFolder };
}

/** A server with the embedded database does not load the driver. */
async function postgresDialect(url: string, limits?: PoolLimits): Promise<Dialect> {
  const { SerialPostgresDialect } = await import('./postgres-dialect.ts');
  return new SerialPostgresDialect(url, limits);
}

async function openPostgres({ url, folder }: { url: string; folder: string }): Promise<OpenDatabase> {
  await makeFolders(folder, 0o750);
  return {
    db: new Kysely<Database>({ dialect: await postgresDialect(url) }),
    engine: 'postgres',
    keyFolder: folder,
  };
}

/**
 * The last step that a version must know to work on the database; stored there, for versions that know fewer.
 */
const floorKey = 'schema.floor';

/**
 * Migrates to the current schema; the tables of a newer version are kept, if it declares that this one may work
 * on them.
 */
async function migrate({ db, engine, file }: OpenDatabase, log: Log | undefined): Promise<void> {
  const migrations = migrationsFor(engine);
  const taken = await stepsOf(db);
  if (taken.some((name) => !(name in migrations))) {
    const floor = await floorOf(db);
    if (floor !== undefined && floor in migrations) return;
    throw new Fault(
      'Unavailable',
      'A newer version has used this database, and this version does not support it: update the server. ' +
        (file === undefined
          ? 'To go back, restore the copy made with pg_dump before the update.'
          : 'To go back, replace the database with the copy that the update made next to it (`vidette.sqlite.before-...`), or restore a backup.'),
    );
  }
  const next = Object.keys(migrations).find((name) => !taken.includes(name));
  const isUpdate = taken.length > 0 && next !== undefined;
  const copy = file !== undefined && isUpdate ? await copyBeforeMigrating(file, next) : undefined;
  if (isUpdate) log?.warn({ step: next }, migratingLine(copy));
  const migrator = new Migrator({
    db: engine === 'postgres' ? db.withPlugin(postgresColumnTypes) : db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Fault) throw error;
  if (error !== undefined) {
    const what = error instanceof Error ? error.message : 'for an unknown reason';
    const kept = copy === undefined ? '' : ` A copy from before is kept as ${copy}.`;
    throw new Fault('Unavailable', `The database cannot be migrated to this version (${what}).${kept}`, {
      cause: error,
    });
  }
  const floor = Object.keys(migrations).findLast((name) => !migrations[name]?.isAdditive);
  if (floor !== undefined && (await floorOf(db)) !== floor) await saveFloor(db, floor);
}

/** The copy that an operator needs to go back, made before anything changes. */
function migratingLine(copy: string | undefined): string {
  return copy === undefined
    ? 'The database on PostgreSQL is being migrated to this version. No copy of it is made: to go back, restore ' +
        'the dump that pg_dump made before the update, with secret.key and vidette.yaml of that time'
    : `The database is being migrated to this version. A copy from before is kept as ${copy}`;
}

/** A lost table is reported once, here, and not by every query that uses it. */
async function assertTables({ db, file }: OpenDatabase): Promise<void> {
  const found = new Set((await db.introspection.getTables()).map(({ name }) => name));
  const missing = Object.keys(tables).filter((name) => !found.has(name));
  if (missing.length === 0) return;
  const cure =
    file === undefined
      ? 'restore it from a copy that pg_dump made'
      : 'restore a backup with `vidette restore FILE`';
  throw new Fault('Unavailable', `The database is missing ${missing.join(', ')}: ${cure}.`);
}

/** The names of all applied steps; empty for an empty database. */
async function stepsOf(db: Kysely<Database>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return [];
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return rows.map(({ name }) => name);
}

async function floorOf(db: Kysely<Database>): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', floorKey).executeTakeFirst();
  return row && (JSON.parse(row.value) as string);
}

async function saveFloor(db: Kysely<Database>, floor: string): Promise<void> {
  const value = JSON.stringify(floor);
  await db
    .insertInto('settings')
    .values({ key: floorKey, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
