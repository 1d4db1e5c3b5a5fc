import type { Kysely, Selectable } from 'kysely';
import type { Database, SessionRow } from './database.ts';
import type { UserRecord } from './users.ts';

export type SessionRecord = Selectable<SessionRow>;

/** What is asked of a session whose secret was shown. */
export interface OpenSession {
  readonly id: string;
  readonly lastSeenMs: number;
}

export class Sessions {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async add(session: SessionRecord): Promise<void> {
    await this.#db.insertInto('sessions').values(session).execute();
  }

  /** A session and whose it is, by one question: it is the one that pages ask most. */
  async bySecretHash(secretHash: string): Promise<{ session: OpenSession; user: UserRecord } | undefined> {
    const row = await this.#db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .selectAll('users')
      .select(['sessions.id as session_id', 'sessions.last_seen_ms as session_seen_ms'])
      .where('sessions.secret_hash', '=', secretHash)
      .executeTakeFirst();
    if (!row) return undefined;
    const { session_id: id, session_seen_ms: lastSeenMs, ...user } = row;
    return { session: { id, lastSeenMs }, user };
  }

  /** The last seen first. */
  ofUser(userId: number): Promise<SessionRecord[]> {
    return this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('last_seen_ms', 'desc')
      .orderBy('id')
      .execute();
  }

  async touch(id: string, lastSeenMs: number, ip: string): Promise<void> {
    await this.#db
      .updateTable('sessions')
      .set({ last_seen_ms: lastSeenMs, ip })
      .where('id', '=', id)
      .execute();
  }

  /** Returns the ended session's id, or undefined when the user has no such session. */
  async remove(userId: number, id: string): Promise<string | undefined> {
    const row = await this.#db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return row?.id;
  }

  /** Ends the sessions of a user, but for the one to keep. Returns the ids of those that ended. */
  async removeOfUser(userId: number, keepId: string | undefined): Promise<string[]> {
    const rows = await this.#db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .$if(keepId !== undefined, (query) => query.where('id', '!=', keepId ?? ''))
      .returning('id')
      .execute();
    return rows.map((row) => row.id);
  }

  async removeUnseenSince(timeMs: number): Promise<void> {
    await this.#db.deleteFrom('sessions').where('last_seen_ms', '<', timeMs).execute();
  }
}
