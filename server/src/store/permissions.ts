import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import { flag } from './database.ts';

export interface Rights {
  readonly view: boolean;
  readonly archive: boolean;
  readonly share: boolean;
  readonly edit: boolean;
}

/** Who may do what with which stream: one table, read and written from the stream's side and from the user's. */
export class Permissions {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async ofStream(streamId: number): Promise<{ user: string; rights: Rights }[]> {
    const rows = await this.#db
      .selectFrom('permissions')
      .innerJoin('users', 'users.id', 'permissions.user_id')
      .select(['users.login', 'can_view', 'can_archive', 'can_share', 'can_edit'])
      .where('permissions.stream_id', '=', streamId)
      .orderBy('users.login_key')
      .execute();
    return rows.map((row) => ({ user: row.login, rights: rightsOf(row) }));
  }

  async ofUser(userId: number): Promise<{ stream: string; streamName: string; rights: Rights }[]> {
    const rows = await this.#db
      .selectFrom('permissions')
      .innerJoin('streams', 'streams.id', 'permissions.stream_id')
      .select(['streams.uid', 'streams.name', 'can_view', 'can_archive', 'can_share', 'can_edit'])
      .where('permissions.user_id', '=', userId)
      .orderBy('streams.name_key')
      .orderBy('streams.id')
      .execute();
    return rows.map((row) => ({ stream: row.uid, streamName: row.name, rights: rightsOf(row) }));
  }

  /** Replaces everybody's rights on one stream. */
  async replaceOfStream(
    streamId: number,
    rows: readonly { userId: number; rights: Rights }[],
  ): Promise<void> {
    await this.#replace(
      'stream_id',
      streamId,
      rows.map((row) => ({ ...row, streamId })),
    );
  }

  /** Replaces one user's rights on all streams. */
  async replaceOfUser(userId: number, rows: readonly { streamId: number; rights: Rights }[]): Promise<void> {
    await this.#replace(
      'user_id',
      userId,
      rows.map((row) => ({ ...row, userId })),
    );
  }

  async #replace(
    side: 'stream_id' | 'user_id',
    id: number,
    rows: readonly { userId: number; streamId: number; rights: Rights }[],
  ): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      await db.deleteFrom('permissions').where(side, '=', id).execute();
      // Engines limit how many values one statement may carry.
      for (let start = 0; start < rows.length; start += 1_000) {
        const values = rows.slice(start, start + 1_000).map(({ userId, streamId, rights }) => ({
          user_id: userId,
          stream_id: streamId,
          can_view: flag(rights.view),
          can_archive: flag(rights.archive),
          can_share: flag(rights.share),
          can_edit: flag(rights.edit),
        }));
        await db.insertInto('permissions').values(values).execute();
      }
    });
  }
}

function rightsOf(row: {
  can_view: number;
  can_archive: number;
  can_share: number;
  can_edit: number;
}): Rights {
  return {
    view: row.can_view === 1,
    archive: row.can_archive === 1,
    share: row.can_share === 1,
    edit: row.can_edit === 1,
  };
}
