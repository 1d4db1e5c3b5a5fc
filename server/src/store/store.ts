import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Fault } from '../base/fault.ts';
import { Annotations } from './annotations.ts';
import { Audit } from './audit.ts';
import { Bookmarks } from './bookmarks.ts';
import type { Database } from './database.ts';
import { migrationsFor } from './migrations.ts';
import { Mosaics } from './mosaics.ts';
import { Nodes } from './nodes.ts';
import { Permissions } from './permissions.ts';
import { ResetCodes } from './reset-codes.ts';
import { keyFileName, makeKey, readKey, Seal } from './seal.ts';
import { Sessions } from './sessions.ts';
import { Settings } from './settings.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import { holdsSealed, StreamAddresses } from './stream-addresses.ts';
import { StreamList } from './stream-list.ts';
import { Streams, type Redact } from './streams.ts';
import { Tokens } from './tokens.ts';
import { Users } from './users.ts';

export interface StoreOptions {
  /** Path of the SQLite file; it, its folder and the key beside it are made when missing. */
  readonly file: string;
  /** A source address without what only its editors may see. */
  readonly redact: Redact;
}

/** Configuration and accounts: one member per entity, nothing but SQL behind them. */
export class Store {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly streams: Streams;
  readonly streamList: StreamList;
  readonly permissions: Permissions;
  readonly mosaics: Mosaics;
  readonly bookmarks: Bookmarks;
  readonly annotations: Annotations;
  readonly settings: Settings;
  readonly audit: Audit;
  readonly resetCodes: ResetCodes;
  readonly nodes: Nodes;
  readonly #db: Kysely<Database>;

  private constructor(db: Kysely<Database>, redact: Redact, addresses: StreamAddresses) {
    this.#db = db;
    this.users = new Users(db);
    this.sessions = new Sessions(db);
    this.tokens = new Tokens(db);
    this.streams = new Streams(db, redact, addresses);
    this.streamList = new StreamList(db, addresses);
    this.permissions = new Permissions(db);
    this.mosaics = new Mosaics(db);
    this.bookmarks = new Bookmarks(db);
    this.annotations = new Annotations(db);
    this.settings = new Settings(db);
    this.audit = new Audit(db);
    this.resetCodes = new ResetCodes(db);
    this.nodes = new Nodes(db);
  }

  /**
   * Opens the database, brings its tables to the present and seals what is still in clear.
   * @throws Fault when the key of a database that needs one is missing or damaged
   */
  static async open(options: StoreOptions): Promise<Store> {
    await mkdir(dirname(options.file), { recursive: true });
    // Nobody else on the machine reads it. What SQLite puts beside it takes its mode.
    await (await open(options.file, 'a', 0o600)).close();
    const db = new Kysely<Database>({ dialect: new NodeSqliteDialect(options.file) });
    const migrations = migrationsFor('sqlite');
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) {
      await db.destroy();
      throw new Error(`The database ${options.file} cannot be brought to this version.`, { cause: error });
    }
    try {
      const addresses = new StreamAddresses(await sealOf(db, options.file));
      await addresses.sealAll(db);
      return new Store(db, options.redact, addresses);
    } catch (error) {
      await db.destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }
}

/** With the key beside the database. A new one is made only where nothing waits for a lost one. */
async function sealOf(db: Kysely<Database>, file: string): Promise<Seal> {
  const folder = dirname(file);
  const key = await readKey(folder);
  if (key) return new Seal(key);
  if (await holdsSealed(db)) {
    throw new Fault(
      'InternalServerError',
      `${join(folder, keyFileName)} is missing: without it the addresses of the streams in ${file} cannot be read. Put it back from a backup.`,
    );
  }
  return new Seal(await makeKey(folder));
}
