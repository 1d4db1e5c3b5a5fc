import { sql, type Kysely } from 'kysely';
import type { Database, Engine } from './database.ts';

/** Whose rights, sessions or tokens changed, or on which stream; either may be null. */
export interface AccessChange {
  readonly userId: number | null;
  readonly streamUid: string | null;
}

/** The position up to which changes are known. Opaque to callers. */
export interface AccessMark {
  /** PostgreSQL: when the server that answered was started; numbers of another one are meaningless here. */
  readonly server: string;
  /** PostgreSQL: every transaction below it had ended. */
  readonly transactionId: bigint;
  readonly lastId: number;
  /** Changes of transactions at or above `transactionId` that were already reported. */
  readonly reported: ReadonlySet<number>;
}

export interface AccessNews {
  readonly mark: AccessMark;
  /** Undefined: too many to list, or the mark is unknown, so everything may have changed. */
  readonly changes: readonly AccessChange[] | undefined;
}

interface ChangeRow {
  readonly id: number | null;
  readonly user_id: number | null;
  readonly stream_uid: string | null;
  readonly oldest_id: number | null;
  readonly newest_id: number | null;
}

/** If one read finds more changes than this, they are not listed individually. */
const listMax = 1_000;
/** How many are kept for nodes that were away for a while. */
const keptMax = 20_000;

/** The database's record of changes in access rights (`access-triggers.ts`). */
export class AccessChanges {
  readonly #db: Kysely<Database>;
  readonly #engine: Engine;

  constructor(db: Kysely<Database>, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** The changes since a mark; without one nothing is known. */
  since(mark: AccessMark | undefined): Promise<AccessNews> {
    return this.#engine === 'sqlite' ? this.#sinceInSqlite(mark) : this.#sinceInPostgres(mark);
  }

  /** Deletes changes that every node has read long ago. */
  async prune(): Promise<void> {
    await sql`delete from access_changes where id <= (select max(id) from access_changes) - ${keptMax}`.execute(
      this.#db,
    );
  }

  /** One writer at a time: rows appear in the order of their numbers. */
  async #sinceInSqlite(mark: AccessMark | undefined): Promise<AccessNews> {
    const { rows } = await sql<ChangeRow>`
      select c.id, c.user_id, c.stream_uid, s.oldest_id, s.newest_id
      from (select min(id) as oldest_id, max(id) as newest_id from access_changes) s
      left join access_changes c on c.id > ${mark?.lastId ?? Number.MAX_SAFE_INTEGER}
      order by c.id limit ${listMax + 1}`.execute(this.#db);
    const next = {
      server: '',
      transactionId: 0n,
      lastId: Math.max(rows[0]?.newest_id ?? 0, mark?.lastId ?? 0),
      reported: new Set<number>(),
    };
    return { mark: next, changes: mark && listed(rows, mark) };
  }

  /**
   * A row may appear after others with higher numbers, when its transaction ends later. So all rows of
   * transactions are read that had not ended at the mark, except those already reported. A crash, or a standby that
   * takes over, lets transaction ids start lower again, because ids that left nothing durable are forgotten: a
   * higher row number of a lower transaction is read too, and after a restart nothing is known.
   */
  async #sinceInPostgres(mark: AccessMark | undefined): Promise<AccessNews> {
    const from = (mark?.transactionId ?? 0n).toString();
    const { rows } = await sql<ChangeRow & { readonly transaction_id: string; readonly server: string }>`
      select s.transaction_id, s.server, s.oldest_id, s.newest_id, c.id, c.user_id, c.stream_uid
      from (select pg_snapshot_xmin(pg_current_snapshot())::text as transaction_id,
        extract(epoch from pg_postmaster_start_time())::text as server,
        (select min(id) from access_changes) as oldest_id,
        (select max(id) from access_changes) as newest_id) s
      left join lateral (select id, user_id, stream_uid from access_changes
        where transaction_id >= ${from}::text::xid8 or id > ${mark?.lastId ?? 0}
        order by id desc limit ${listMax + 1}) c on true`.execute(this.#db);
    const transactionId = BigInt(rows[0]?.transaction_id ?? 0);
    const server = rows[0]?.server ?? '';
    const lastId = rows[0]?.newest_id ?? 0;
    const reported = new Set(rows.flatMap(({ id }) => id ?? []));
    const next = { server, transactionId, lastId, reported };
    // A different database, such as one restored from a backup, has its own numbers.
    const isOther =
      !mark || server !== mark.server || transactionId < mark.transactionId || lastId < mark.lastId;
    return { mark: next, changes: isOther ? undefined : listed(rows, mark) };
  }
}

/** Undefined when rows are missing that were never reported. */
function listed(rows: readonly ChangeRow[], mark: AccessMark): readonly AccessChange[] | undefined {
  const fresh = rows.filter(({ id }) => id !== null && !mark.reported.has(id));
  if (fresh.length === 0) return [];
  const oldestId = rows[0]?.oldest_id ?? 0;
  if (rows.length > listMax || oldestId > mark.lastId + 1) return undefined;
  return fresh.map(({ user_id: userId, stream_uid: streamUid }) => ({ userId, streamUid }));
}
