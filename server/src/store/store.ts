import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { AccessChanges } from './access-changes.ts';
import { Annotations } from './annotations.ts';
import { Audit } from './audit.ts';
import { Bookmarks } from './bookmarks.ts';
import type { Database } from './database.ts';
import { ExportRecords } from './exports.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { Holds } from './holds.ts';
import { Journal } from './journal.ts';
import { Mosaics } from './mosaics.ts';
import { Nodes } from './nodes.ts';
import { NotificationTargets } from './notification-targets.ts';
import { openDatabase, type DatabasePlace, type OpenDatabase } from './open-database.ts';
import { Outbox } from './outbox.ts';
import { Permissions } from './permissions.ts';
import { ResetCodes } from './reset-codes.ts';
import { RuleExports } from './rule-exports.ts';
import { Rules } from './rules.ts';
import { keyFileName, makeKey, readKey, Seal } from './seal.ts';
import { Sessions } from './sessions.ts';
import { StoredSettings } from './settings.ts';
import { renewSortKeys } from './sort-keys.ts';
import { holdsSealed, StreamAddresses } from './stream-addresses.ts';
import { StreamListing } from './stream-list.ts';
import { Streams, type Redact } from './streams.ts';
import { Tokens } from './tokens.ts';
import { Users } from './users.ts';
import { WriteWatch } from './write-watch.ts';

export type StoreOptions = DatabasePlace & {
  /** A source address without the parts that only its editors may see. */
  readonly redact: Redact;
  readonly log?: Log;
};

/** Configuration and accounts: one member per entity, with only SQL behind it. */
export class Store {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly streams: Streams;
  readonly streamList: StreamListing;
  readonly permissions: Permissions;
  readonly mosaics: Mosaics;
  readonly bookmarks: Bookmarks;
  readonly annotations: Annotations;
  readonly journal: Journal;
  readonly exports: ExportRecords;
  readonly settings: StoredSettings;
  readonly rules: Rules;
  readonly ruleExports: RuleExports;
  readonly holds: Holds;
  readonly notificationTargets: NotificationTargets;
  readonly outbox: Outbox;
  /** The key beside the database, from which other keys are derived. */
  readonly secret: Uint8Array;
  readonly audit: Audit;
  readonly resetCodes: ResetCodes;
  readonly failedAttempts: FailedAttempts;
  readonly nodes: Nodes;
  readonly accessChanges: AccessChanges;
  readonly #db: Kysely<Database>;
  readonly #engine: OpenDatabase['engine'];
  readonly #file: string | undefined;
  readonly #addresses: StreamAddresses;

  private constructor(
    { db, engine, file }: OpenDatabase,
    redact: Redact,
    addresses: StreamAddresses,
    secret: Uint8Array,
  ) {
    this.secret = secret;
    this.#db = db;
    this.#engine = engine;
    this.#addresses = addresses;
    this.users = new Users(db);
    this.sessions = new Sessions(db);
    this.tokens = new Tokens(db);
    this.streams = new Streams(db, redact, addresses);
    this.streamList = new StreamListing(db, addresses, engine);
    this.permissions = new Permissions(db);
    this.mosaics = new Mosaics(db);
    this.bookmarks = new Bookmarks(db);
    this.annotations = new Annotations(db);
    this.journal = new Journal(db, engine);
    this.exports = new ExportRecords(db);
    this.settings = new StoredSettings(db);
    this.rules = new Rules(db, engine);
    this.ruleExports = new RuleExports(db);
    this.holds = new Holds(db);
    this.notificationTargets = new NotificationTargets(db, new Seal(Buffer.from(secret)));
    this.outbox = new Outbox(db);
    this.audit = new Audit(db);
    this.resetCodes = new ResetCodes(db);
    this.failedAttempts = new FailedAttempts(db);
    this.nodes = new Nodes(db);
    this.accessChanges = new AccessChanges(db, engine);
    this.#file = file;
  }

  /** Detects writes to SQLite's file, for one observer; undefined with PostgreSQL. */
  watchWrites(): WriteWatch | undefined {
    return this.#file === undefined ? undefined : new WriteWatch(this.#file);
  }

  /**
   * Opens the database, migrates it to the current schema and seals values that are still in clear.
   * @throws Fault when it does not answer, or when the key that it needs is missing or damaged
   */
  static async open(options: StoreOptions): Promise<Store> {
    const opened = await openDatabase(options, options.log);
    const { db, engine, keyFolder } = opened;
    try {
      const key = await keyFor(db, keyFolder);
      const addresses = new StreamAddresses(new Seal(key));
      await addresses.sealAll(db);
      await renewSortKeys(db);
      if (engine === 'sqlite') await addresses.sweep(db);
      return new Store(opened, options.redact, addresses, key);
    } catch (error) {
      await db.destroy();
      throw error;
    }
  }

  /**
   * The search index of version 0.1 contained more of the streams' addresses than may be shown: it is rebuilt,
   * once, and the old content is erased from the file.
   */
  async renewSearch(): Promise<void> {
    if ((await this.settings.get(searchTextKey)) === searchTextVersion) return;
    await this.streams.deriveAll();
    if (this.#engine === 'sqlite') await this.#addresses.sweep(this.#db, { isForced: true });
    await this.settings.set(searchTextKey, searchTextVersion);
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }
}

const searchTextKey = 'streams.searchText';
/** To be increased when the content of the streams' search text changes. */
const searchTextVersion = 1;

/** The key in the folder. A new one is created only if no sealed value needs a lost one. */
async function keyFor(db: Kysely<Database>, folder: string): Promise<Buffer> {
  const key = await readKey(folder);
  if (key) return key;
  if (await holdsSealed(db)) {
    throw new Fault(
      'InternalServerError',
      `${join(folder, keyFileName)} is missing: without it the addresses of the streams cannot be read. Restore it from a backup.`,
    );
  }
  return makeKey(folder);
}
