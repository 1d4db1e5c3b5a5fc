import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { keyOf, type Database, type UserRow } from './database.ts';
import { containsAll } from './search.ts';

export type UserRecord = Selectable<UserRow>;
export type NewUser = Omit<Insertable<UserRow>, 'login_key' | 'email_key' | 'full_name_key'>;
export type UserChanges = Omit<Updateable<UserRow>, 'id' | 'login_key' | 'email_key' | 'full_name_key'>;

export interface UserQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly sort: 'login_key' | 'created_ms' | 'last_seen_ms';
  readonly descending: boolean;
  /** All must be found in login, e-mail or full name. */
  readonly words: readonly string[];
}

export class Users {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** One transaction, which no other writing transaction runs beside, on any node. `work` uses only what it is given. */
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

  byId(id: number): Promise<UserRecord | undefined> {
    return this.#db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  }

  byLogin(login: string): Promise<UserRecord | undefined> {
    return this.#db.selectFrom('users').selectAll().where('login_key', '=', keyOf(login)).executeTakeFirst();
  }

  /**
   * Ids by `keyOf(login)`, of those that exist: one query for a long list, because one query each would stall
   * the server.
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

  /** Of several users with one address, the oldest account. */
  byEmail(email: string): Promise<UserRecord | undefined> {
    return this.#db
      .selectFrom('users')
      .selectAll()
      .where('email_key', '=', keyOf(email))
      .orderBy('id')
      .executeTakeFirst();
  }

  async list(query: UserQuery): Promise<{ items: UserRecord[]; total: number }> {
    const found = this.#db
      .selectFrom('users')
      .where(containsAll(['login_key', 'email_key', 'full_name_key'], query.words));
    const { n } = await found.select((of) => of.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
    const direction = query.descending ? 'desc' : 'asc';
    const items = await found
      .selectAll()
      // Engines differ in where they sort those who were never seen.
      .orderBy(query.sort, (by) => (query.descending ? by.desc().nullsLast() : by.asc().nullsFirst()))
      .orderBy('id', direction)
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items, total: Number(n) };
  }

  async add(user: NewUser): Promise<UserRecord> {
    return this.#db
      .insertInto('users')
      .values({
        ...user,
        login_key: keyOf(user.login),
        email_key: keyOf(user.email),
        full_name_key: keyOf(user.full_name),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  async save(id: number, changes: UserChanges): Promise<UserRecord> {
    return this.#db
      .updateTable('users')
      .set({
        ...changes,
        ...(changes.login === undefined ? {} : { login_key: keyOf(changes.login) }),
        ...(changes.email === undefined ? {} : { email_key: keyOf(changes.email) }),
        ...(changes.full_name === undefined ? {} : { full_name_key: keyOf(changes.full_name) }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('users').where('id', '=', id).execute();
  }

  async touch(id: number, lastSeenMs: number): Promise<void> {
    await this.#db.updateTable('users').set({ last_seen_ms: lastSeenMs }).where('id', '=', id).execute();
  }
}
