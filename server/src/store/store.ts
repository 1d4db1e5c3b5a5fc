import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Annotations } from './annotations.ts';
import { Audit } from './audit.ts';
import { Bookmarks } from './bookmarks.ts';
import type { Database } from './database.ts';
import { migrationsFor } from './migrations.ts';
import { Mosaics } from './mosaics.ts';
import { Permissions } from './permissions.ts';
import { ResetCodes } from './reset-codes.ts';
import { Sessions } from './sessions.ts';
import { Settings } from './settings.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import { StreamList } from './stream-list.ts';
import { Streams, type Redact } from './streams.ts';
import { Tokens } from './tokens.ts';
import { Users } from './users.ts';

export interface StoreOptions {
  /** Path of the SQLite file; it and its folder are made when missing. */
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
  readonly #db: Kysely<Database>;

  private constructor(db: Kysely<Database>, redact: Redact) {
    this.#db = db;
    this.users = new Users(db);
    this.sessions = new Sessions(db);
    this.tokens = new Tokens(db);
    this.streams = new Streams(db, redact);
    this.streamList = new StreamList(db);
    this.permissions = new Permissions(db);
    this.mosaics = new Mosaics(db);
    this.bookmarks = new Bookmarks(db);
    this.annotations = new Annotations(db);
    this.settings = new Settings(db);
    this.audit = new Audit(db);
    this.resetCodes = new ResetCodes(db);
  }

  /** Opens the database and brings its tables to the present. */
  static async open(options: StoreOptions): Promise<Store> {
    await mkdir(dirname(options.file), { recursive: true });
    // Nobody else on the machine reads it: cameras' passwords are in it. What SQLite puts beside it takes its mode.
    await (await open(options.file, 'a', 0o600)).close();
    const db = new Kysely<Database>({ dialect: new NodeSqliteDialect(options.file) });
    const migrations = migrationsFor('sqlite');
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) {
      await db.destroy();
      throw new Error(`The database ${options.file} cannot be brought to this version.`, { cause: error });
    }
    return new Store(db, options.redact);
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }
}
