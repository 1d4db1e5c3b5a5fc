import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { Database, GrantRow } from './database.ts';
import { flag } from './row-mapping.ts';

export interface StreamRights {
  readonly view: boolean;
  readonly archive: boolean;
  readonly share: boolean;
  readonly edit: boolean;
}

/** The granter for rights that administrators grant, all of them together. */
const byAdministrators = 0;

/** A right as it was granted. */
export interface Grant {
  /** The login that was entered, folded by `keyOf`. */
  readonly loginKey: string;
  /** Null: the login is unknown, or the user has been deleted. */
  readonly userId: number | null;
  readonly rights: StreamRights;
}

interface StoredGrant extends Grant {
  readonly streamId: number;
  readonly granterId: number;
}

/**
 * Who may do what with which stream. The effective rights are in one table, `permissions`, which is read by
 * stream and by user; it contains the union of all grants, and `grants` records who granted what, so that
 * granters can revoke what they granted and no more.
 */
export class Permissions {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async ofStream(streamId: number): Promise<{ user: string; userId: number; rights: StreamRights }[]> {
    const rows = await this.#db
      .selectFrom('permissions')
      .innerJoin('users', 'users.id', 'permissions.user_id')
      .select(['users.login', 'users.id', 'can_view', 'can_archive', 'can_share', 'can_edit'])
      .where('permissions.stream_id', '=', streamId)
      .orderBy('users.login_sort')
      .execute();
    return rows.map((row) => ({ user: row.login, userId: row.id, rights: rightsOf(row) }));
  }

  async ofUser(userId: number): Promise<{ stream: string; streamName: string; rights: StreamRights }[]> {
    const rows = await this.#db
      .selectFrom('permissions')
      .innerJoin('streams', 'streams.id', 'permissions.stream_id')
      .select(['streams.uid', 'streams.name', 'can_view', 'can_archive', 'can_share', 'can_edit'])
      .where('permissions.user_id', '=', userId)
      .orderBy('streams.name_sort')
      .orderBy('streams.id')
      .execute();
    return rows.map((row) => ({ stream: row.uid, streamName: row.name, rights: rightsOf(row) }));
  }

  /** The rights that one user granted on a stream, as entered, by login. */
  async grantsOf(streamId: number, granterId: number): Promise<Grant[]> {
    const rows = await this.#db
      .selectFrom('grants')
      .selectAll()
      .where('stream_id', '=', streamId)
      .where('granter_id', '=', granterId)
      .orderBy('login_key')
      .execute();
    return rows.map(grantOf);
  }

  /**
   * Replaces all users' rights on one stream. Grants of other users that are also in the new list stay theirs.
   * @param rows one for each login; those of unknown logins are stored so that the granter sees them, and grant
   * nothing
   */
  async replaceOfStream(
    streamId: number,
    rows: readonly { userId: number | null; loginKey?: string; rights: StreamRights }[],
    granterId = byAdministrators,
  ): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      const stored = await db.selectFrom('grants').selectAll().where('stream_id', '=', streamId).execute();
      const others = stored.map(grantOf).filter((grant) => grant.granterId !== granterId);
      await db
        .deleteFrom('grants')
        .where('stream_id', '=', streamId)
        .where((row) => row.or([row('user_id', 'is not', null), row('granter_id', '=', granterId)]))
        .execute();
      const wanted = rows.map(({ userId, loginKey, rights }) => ({
        streamId,
        granterId,
        userId,
        loginKey: loginKey ?? `#${userId}`,
        rights,
      }));
      await insertGrants(
        db,
        mergeGrants(wanted, others, ({ userId }) => userId),
      );
      await db.deleteFrom('permissions').where('stream_id', '=', streamId).execute();
      await addUp(db, sql`stream_id = ${streamId}`);
    });
  }

  /** Replaces the rights that one user granted on a stream; other users' grants are not changed. */
  async replaceGrants(streamId: number, granterId: number, rows: readonly Grant[]): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      const before = await db
        .deleteFrom('grants')
        .where('stream_id', '=', streamId)
        .where('granter_id', '=', granterId)
        .returning('user_id')
        .execute();
      await insertGrants(
        db,
        rows.map((row) => ({ ...row, streamId, granterId })),
      );
      const touched = new Set([...before.map((row) => row.user_id), ...rows.map(({ userId }) => userId)]);
      const userIds = [...touched].filter((id) => id !== null);
      for (let start = 0; start < userIds.length; start += batch) {
        const some = sql.join(userIds.slice(start, start + batch));
        const those = sql<SqlBool>`stream_id = ${streamId} and user_id in (${some})`;
        await db.deleteFrom('permissions').where(those).execute();
        await addUp(db, those);
      }
    });
  }

  /** Replaces one user's rights on all streams, as administrators do. */
  async replaceOfUser(
    userId: number,
    rows: readonly { streamId: number; rights: StreamRights }[],
  ): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      const stored = await db.deleteFrom('grants').where('user_id', '=', userId).returningAll().execute();
      const others = stored.map(grantOf).filter(({ granterId }) => granterId !== byAdministrators);
      const wanted = rows.map((row) => ({
        ...row,
        granterId: byAdministrators,
        userId,
        loginKey: `#${userId}`,
      }));
      await insertGrants(
        db,
        mergeGrants(wanted, others, ({ streamId }) => streamId),
      );
      await db.deleteFrom('permissions').where('user_id', '=', userId).execute();
      await addUp(db, sql`user_id = ${userId}`);
    });
  }
}

/** Engines limit the number of values in one statement. */
const batch = 1_000;

/**
 * The grants to store so that each key gets the requested rights and nothing else: grants of others stay if
 * they do not exceed these, and only the missing rights are granted in addition.
 */
function mergeGrants(
  wanted: readonly StoredGrant[],
  others: readonly StoredGrant[],
  keyOf: (grant: StoredGrant) => number | null,
): StoredGrant[] {
  const ofOthers = Map.groupBy(others, keyOf);
  return wanted.flatMap((grant) => {
    const key = keyOf(grant);
    if (key === null || grant.userId === null) return [grant];
    const kept = ofOthers.get(key) ?? [];
    const given = kept.reduce((sum, { rights }) => both(sum, rights), noRights);
    if (rightNames.some((name) => given[name] && !grant.rights[name])) return [grant];
    return rightNames.every((name) => given[name] === grant.rights[name]) ? kept : [...kept, grant];
  });
}

const rightNames = ['view', 'archive', 'share', 'edit'] as const;
const noRights: StreamRights = { view: false, archive: false, share: false, edit: false };

function both(a: StreamRights, b: StreamRights): StreamRights {
  return {
    view: a.view || b.view,
    archive: a.archive || b.archive,
    share: a.share || b.share,
    edit: a.edit || b.edit,
  };
}

async function insertGrants(db: Kysely<Database>, grants: readonly StoredGrant[]): Promise<void> {
  for (let start = 0; start < grants.length; start += batch) {
    const values = grants
      .slice(start, start + batch)
      .map(({ streamId, granterId, loginKey, userId, rights }) => ({
        stream_id: streamId,
        granter_id: granterId,
        login_key: loginKey,
        user_id: userId,
        can_view: flag(rights.view),
        can_archive: flag(rights.archive),
        can_share: flag(rights.share),
        can_edit: flag(rights.edit),
      }));
    await db.insertInto('grants').values(values).execute();
  }
}

/** Writes the effective rights of the given grants into `permissions`. */
async function addUp(db: Kysely<Database>, which: RawBuilder<SqlBool>): Promise<void> {
  await sql`insert into permissions (user_id, stream_id, can_view, can_archive, can_share, can_edit)
    select user_id, stream_id, max(can_view), max(can_archive), max(can_share), max(can_edit)
    from grants where user_id is not null and ${which} group by user_id, stream_id`.execute(db);
}

function grantOf(row: GrantRow): StoredGrant {
  return {
    streamId: row.stream_id,
    granterId: row.granter_id,
    loginKey: row.login_key,
    userId: row.user_id,
    rights: rightsOf(row),
  };
}

function rightsOf(row: {
  can_view: number;
  can_archive: number;
  can_share: number;
  can_edit: number;
}): StreamRights {
  return {
    view: row.can_view === 1,
    archive: row.can_archive === 1,
    share: row.can_share === 1,
    edit: row.can_edit === 1,
  };
}
