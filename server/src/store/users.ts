import type { Kysely } from 'kysely';
import { keyOf, sortKeyOf } from '../base/search-key.ts';
import type { Database, UserRow } from './database.ts';
import { flagColumn, jsonColumn, rowMapping, type Edited } from './row-mapping.ts';
import { containsAll } from './search.ts';

/** A user with an account. Times are milliseconds since the epoch. */
export interface UserRecord {
  readonly id: number;
  readonly login: string;
  readonly email: string;
  readonly fullName: string;
  readonly language: 'en' | 'ru';
  /** PHC string; null when the password is managed elsewhere. */
  readonly passwordHash: string | null;
  readonly isAdmin: boolean;
  /** Number of streams that the user may add; 0: read-only; -1: no limit. */
  readonly maxStreamCreation: number;
  /** Whether this viewer gets transcoding, if it is configured for all viewers. */
  readonly canConvert: boolean;
  /** The account is managed elsewhere: its profile and password can't be changed here. */
  readonly isManaged: boolean;
  readonly mustChangePassword: boolean;
  readonly isBlocked: boolean;
  readonly createdMs: number;
  /** Null: never. */
  readonly lastSeenMs: number | null;
  /** The user's own settings, not validated; missing ones have their defaults. */
  readonly preferences: Readonly<Record<string, unknown>>;
}

type Defaulted = 'canConvert' | 'preferences';
/** By default transcoding is allowed and there are no preferences. */
export type NewUser = Omit<UserRecord, 'id' | Defaulted> & Partial<Pick<UserRecord, Defaulted>>;
export type UserChanges = Edited<UserRecord, Exclude<keyof UserRecord, 'id'>>;

/** Also used by `sessions.ts`, which joins users to their sessions. */
export const userMapping = rowMapping<UserRow, UserRecord>({
  id: 'id',
  login: 'login',
  email: 'email',
  fullName: 'full_name',
  language: 'language',
  passwordHash: 'password_hash',
  isAdmin: flagColumn('is_admin'),
  maxStreamCreation: 'max_stream_creation',
  canConvert: flagColumn('can_convert'),
  isManaged: flagColumn('is_managed'),
  mustChangePassword: flagColumn('must_change_password'),
  isBlocked: flagColumn('is_blocked'),
  createdMs: 'created_ms',
  lastSeenMs: 'last_seen_ms',
  preferences: jsonColumn('preferences'),
});

const sortColumns = { login: 'login_sort', createdMs: 'created_ms', lastSeenMs: 'last_seen_ms' } as const;

export interface UserQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly sort: keyof typeof sortColumns;
  readonly descending: boolean;
  /** All words must be found in the login, e-mail or full name. */
  readonly words: readonly string[];
}

export class Users {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /**
   * One transaction, serialised with all other writing transactions, on any node. `work` uses only its
   * arguments.
   */
  inTransaction<T>(work: (users: Users) => Promise<T>): Promise<T> {
    return this.#db.transaction().execute((db) => work(new Users(db)));
  }

  async count(): Promise<number> {
    const row = await this.#db
      .selectFrom('users')
      .select((of) => of.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(row.n);
  }

  /** Administrators who can sign in. */
  async countActiveAdmins(): Promise<number> {
    const row = await this.#db
      .selectFrom('users')
      .select((of) => of.fn.countAll<number>().as('n'))
      .where('is_admin', '=', 1)
      .where('is_blocked', '=', 0)
      .executeTakeFirstOrThrow();
    return Number(row.n);
  }

  async byId(id: number): Promise<UserRecord | undefined> {
    const row = await this.#db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
    return row && userMapping.read(row);
  }

  async byLogin(login: string): Promise<UserRecord | undefined> {
    const row = await this.#db
      .selectFrom('users')
      .selectAll()
      .where('login_key', '=', keyOf(login))
      .executeTakeFirst();
    return row && userMapping.read(row);
  }

  /**
   * Ids by `keyOf(login)`, of those that exist: a single query for a long list, because one query each would
   * stall the server.
   */
  async idsByLoginKey(logins: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (let start = 0; start < logins.length; start += 1_000) {
      const rows = await this.#db
        .selectFrom('users')
        .select(['login_key', 'id'])
        .where('login_key', 'in', logins.slice(start, start + 1_000).map(keyOf))
        .execute();
      for (const row of rows) found.set(row.login_key, row.id);
    }
    return found;
  }

  /** If several users have the address, the oldest account. */
  async byEmail(email: string): Promise<UserRecord | undefined> {
    const row = await this.#db
      .selectFrom('users')
      .selectAll()
      .where('email_key', '=', keyOf(email))
      .orderBy('id')
      .executeTakeFirst();
    return row && userMapping.read(row);
  }

  async list(query: UserQuery): Promise<{ items: UserRecord[]; total: number }> {
    const found = this.#db
      .selectFrom('users')
      .where(containsAll(['login_key', 'email_key', 'full_name_key'], query.words));
    const { n } = await found.select((of) => of.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
    const direction = query.descending ? 'desc' : 'asc';
    const rows = await found
      .selectAll()
      // Engines differ in where they sort users who were never seen.
      .orderBy(sortColumns[query.sort], (by) =>
        query.descending ? by.desc().nullsLast() : by.asc().nullsFirst(),
      )
      .orderBy('id', direction)
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items: rows.map(userMapping.read), total: Number(n) };
  }

  async add(user: NewUser): Promise<UserRecord> {
    const row = await this.#db
      .insertInto('users')
      .values({
        ...userMapping.row(user),
        ...loginKeys(user.login),
        email_key: keyOf(user.email),
        full_name_key: keyOf(user.fullName),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return userMapping.read(row);
  }

  async save(id: number, changes: UserChanges): Promise<UserRecord> {
    const row = await this.#db
      .updateTable('users')
      .set({
        ...userMapping.columns(changes),
        ...(changes.login === undefined ? {} : loginKeys(changes.login)),
        ...(changes.email === undefined ? {} : { email_key: keyOf(changes.email) }),
        ...(changes.fullName === undefined ? {} : { full_name_key: keyOf(changes.fullName) }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return userMapping.read(row);
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('users').where('id', '=', id).execute();
  }

  async touch(id: number, lastSeenMs: number): Promise<void> {
    await this.#db.updateTable('users').set({ last_seen_ms: lastSeenMs }).where('id', '=', id).execute();
  }
}

function loginKeys(login: string) {
  const key = keyOf(login);
  return { login_key: key, login_sort: sortKeyOf(key) };
}
