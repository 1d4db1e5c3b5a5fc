import type { Kysely } from 'kysely';
import type { Database, SessionRow } from './database.ts';
import { rowMapping } from './row-mapping.ts';
import { userMapping, type UserRecord } from './users.ts';

/** A user signed in with one browser. Times are milliseconds since the epoch. */
export interface SessionRecord {
  /** Public: names the session in lists, grants no access. */
  readonly id: string;
  /** SHA-256 of the secret in the cookie, hex. */
  readonly secretHash: string;
  readonly userId: number;
  readonly createdMs: number;
  readonly lastSeenMs: number;
  readonly ip: string;
  readonly userAgent: string;
}

const mapping = rowMapping<SessionRow, SessionRecord>({
  id: 'id',
  secretHash: 'secret_hash',
  userId: 'user_id',
  createdMs: 'created_ms',
  lastSeenMs: 'last_seen_ms',
  ip: 'ip',
  userAgent: 'user_agent',
});

/** The part of a session that is read when its secret is presented. */
export interface OpenSessionRecord {
  readonly id: string;
  readonly lastSeenMs: number;
  /** When the password was last entered in it; 0: never. */
  readonly provedMs: number;
}

export class Sessions {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async add(session: SessionRecord): Promise<void> {
    await this.#db.insertInto('sessions').values(mapping.row(session)).execute();
  }

  /** A session and its user, in one query: it is the most frequent query of the page. */
  async bySecretHash(
    secretHash: string,
  ): Promise<{ session: OpenSessionRecord; user: UserRecord } | undefined> {
    const row = await this.#db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .leftJoin('session_proofs', 'session_proofs.session_id', 'sessions.id')
      .selectAll('users')
      .select([
        'sessions.id as session_id',
        'sessions.last_seen_ms as session_seen_ms',
        'session_proofs.proved_ms',
      ])
      .where('sessions.secret_hash', '=', secretHash)
      .executeTakeFirst();
    if (!row) return undefined;
    const { session_id: id, session_seen_ms: lastSeenMs, proved_ms: provedMs } = row;
    return { session: { id, lastSeenMs, provedMs: provedMs ?? 0 }, user: userMapping.read(row) };
  }

  /** Most recently used first. */
  async ofUser(userId: number): Promise<SessionRecord[]> {
    const rows = await this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('last_seen_ms', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(mapping.read);
  }

  async touch(id: string, lastSeenMs: number, ip: string): Promise<void> {
    await this.#db
      .updateTable('sessions')
      .set({ last_seen_ms: lastSeenMs, ip })
      .where('id', '=', id)
      .execute();
  }

  /** Records that the password was entered in it. */
  async noteProof(id: string, provedMs: number): Promise<void> {
    await this.#db
      .insertInto('session_proofs')
      .values({ session_id: id, proved_ms: provedMs })
      .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ proved_ms: provedMs }))
      .execute();
  }

  /** Replaces the secret of the session. */
  async replaceSecret(id: string, secretHash: string): Promise<void> {
    await this.#db.updateTable('sessions').set({ secret_hash: secretHash }).where('id', '=', id).execute();
  }

  /**
   * The browser gets no further notifications. Returns the ended session's id, or undefined when the user has no such
   * session.
   */
  async remove(userId: number, id: string): Promise<string | undefined> {
    return this.#db.transaction().execute(async (db) => {
      const row = await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      if (row) await db.deleteFrom('notification_targets').where('session_id', '=', row.id).execute();
      return row?.id;
    });
  }

  /**
   * Ends the sessions of a user, except the one to keep, and the notifications to all browsers but that one's. Returns
   * the ids of the ended ones.
   */
  async removeOfUser(userId: number, keepId: string | undefined): Promise<string[]> {
    return this.#db.transaction().execute(async (db) => {
      const rows = await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .$if(keepId !== undefined, (query) => query.where('id', '!=', keepId ?? ''))
        .returning('id')
        .execute();
      await db
        .deleteFrom('notification_targets')
        .where('user_id', '=', userId)
        .where('device_key', 'is not', null)
        .$if(keepId !== undefined, (query) =>
          query.where((of) => of.or([of('session_id', 'is', null), of('session_id', '!=', keepId ?? '')])),
        )
        .execute();
      return rows.map((row) => row.id);
    });
  }

  async removeUnseenSince(timeMs: number): Promise<void> {
    await this.#db.deleteFrom('sessions').where('last_seen_ms', '<', timeMs).execute();
  }
}
