import type { Kysely, Selectable } from 'kysely';
import type { Database, SessionRow } from './database.ts';

export type SessionRecord = Selectable<SessionRow>;

export class Sessions {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async add(session: SessionRecord): Promise<void> {
    await this.#db.insertInto('sessions').values(session).execute();
  }

  bySecretHash(secretHash: string): Promise<SessionRecord | undefined> {
    return this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('secret_hash', '=', secretHash)
      .executeTakeFirst();
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
