import { holdLimits, type HoldEndCause } from '@vidette/contract/constants';
import type { Kysely, Selectable } from 'kysely';
import type { Database, HoldRow } from './database.ts';
import { rowMapping } from './row-mapping.ts';

/** Footage of an event that a rule holds. Times are milliseconds since the epoch. */
interface StoredHold {
  readonly id: number;
  readonly streamId: number;
  /** Owner of the rule; null when that user has been deleted. */
  readonly userId: number | null;
  readonly ruleName: string;
  /** Of the journal entry. */
  readonly entryId: number;
  readonly startMs: number;
  /** While the event goes on, the latest possible end. */
  readonly endMs: number;
  /** To hold after the end of the event; null: `endMs` is final. */
  readonly trailSeconds: number | null;
  /** Until then it is in effect. */
  readonly untilMs: number;
  readonly createdMs: number;
  /** It has ended early, which the journal does not tell yet; null: it is in effect. */
  readonly endCause: HoldEndCause | null;
}

export interface HoldRecord extends StoredHold {
  readonly uid: string;
  /** Owner's login; null when that user has been deleted. */
  readonly ownerLogin: string | null;
}

export type NewHold = Omit<StoredHold, 'id' | 'endCause'>;
/** One that has ended early. */
export interface EndedHold extends HoldRecord {
  readonly endCause: HoldEndCause;
}

const mapping = rowMapping<HoldRow, StoredHold>({
  id: 'id',
  streamId: 'stream_id',
  userId: 'user_id',
  ruleName: 'rule_name',
  entryId: 'entry_id',
  startMs: 'start_ms',
  endMs: 'end_ms',
  trailSeconds: 'trail_seconds',
  untilMs: 'until_ms',
  createdMs: 'created_ms',
  endCause: 'end_cause',
});

/** Whether footage of a stream is held. */
export async function hasHolds(db: Kysely<Database>, streamId: number): Promise<boolean> {
  const row = await db
    .selectFrom('holds')
    .select('id')
    .where('stream_id', '=', streamId)
    .where('end_cause', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Footage that rules hold. */
export class Holds {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** In the transaction of the event; the oldest ones beyond the limits end. */
  async add(transaction: Kysely<Database>, hold: NewHold): Promise<void> {
    const { streamId } = hold;
    await transaction
      .insertInto('holds')
      .values(mapping.row({ ...hold, endCause: null }))
      .execute();
    await endBeyond(transaction, holdLimits.perStreamMax, streamId);
    await endBeyond(transaction, holdLimits.max);
  }

  /** Those in effect, oldest first. */
  async active(): Promise<HoldRecord[]> {
    const rows = await this.#withNames().where('end_cause', 'is', null).orderBy('holds.id').execute();
    return rows.map(recordOf);
  }

  /** Those in effect of a stream, newest footage first. */
  async ofStream(streamId: number): Promise<HoldRecord[]> {
    const rows = await this.#withNames()
      .where('stream_id', '=', streamId)
      .where('end_cause', 'is', null)
      .orderBy('start_ms', 'desc')
      .orderBy('holds.id', 'desc')
      .execute();
    return rows.map(recordOf);
  }

  /** Those in effect whose events go on, as far as known. */
  async unfinished(): Promise<HoldRecord[]> {
    const rows = await this.#withNames().where('trail_seconds', 'is not', null).execute();
    return rows.map(recordOf);
  }

  /** Its event has ended. */
  async finish(id: number, endMs: number): Promise<void> {
    await this.#db
      .updateTable('holds')
      .set({ end_ms: endMs, trail_seconds: null })
      .where('id', '=', id)
      .execute();
  }

  /** Ends those in effect early. */
  async end(ids: readonly number[], cause: HoldEndCause): Promise<void> {
    if (ids.length > 0) await endEarly(this.#db, ids, cause);
  }

  /** Removes those of a stream in effect: one, or all. @returns how many there were */
  async release(streamId: number, id?: number): Promise<number> {
    const rows = await this.#db
      .deleteFrom('holds')
      .where('stream_id', '=', streamId)
      .where('end_cause', 'is', null)
      .$if(id !== undefined, (found) => found.where('id', '=', id ?? 0))
      .returning('id')
      .execute();
    return rows.length;
  }

  /** Removes those that have reached their time. */
  async expire(nowMs: number): Promise<void> {
    await this.#db.deleteFrom('holds').where('until_ms', '<=', nowMs).execute();
  }

  /** Whether some have ended early. */
  async haveEnded(): Promise<boolean> {
    const row = await this.#db
      .selectFrom('holds')
      .select('id')
      .where('end_cause', 'is not', null)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Removes those that have ended early, in the transaction that tells it. */
  async takeEnded(transaction: Kysely<Database>): Promise<EndedHold[]> {
    const rows = await this.#withNames(transaction).where('end_cause', 'is not', null).execute();
    const ended = rows.map(recordOf).filter((hold): hold is EndedHold => hold.endCause !== null);
    const ids = ended.map(({ id }) => id);
    if (ids.length > 0) await transaction.deleteFrom('holds').where('id', 'in', ids).execute();
    return ended;
  }

  #withNames(db: Kysely<Database> = this.#db) {
    return db
      .selectFrom('holds')
      .innerJoin('streams', 'streams.id', 'holds.stream_id')
      .leftJoin('users', 'users.id', 'holds.user_id')
      .selectAll('holds')
      .select(['streams.uid', 'users.login as owner_login']);
  }
}

/** Ends the oldest of a stream, or of all, until as many are left. */
async function endBeyond(db: Kysely<Database>, most: number, streamId?: number): Promise<void> {
  const rows = await db
    .selectFrom('holds')
    .select('id')
    .where('end_cause', 'is', null)
    .$if(streamId !== undefined, (found) => found.where('stream_id', '=', streamId ?? 0))
    .orderBy('id', 'desc')
    .offset(most)
    .limit(holdLimits.max)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await endEarly(db, ids, 'number');
}

async function endEarly(db: Kysely<Database>, ids: readonly number[], cause: HoldEndCause): Promise<void> {
  await db
    .updateTable('holds')
    .set({ end_cause: cause, trail_seconds: null })
    .where('id', 'in', ids)
    .where('end_cause', 'is', null)
    .execute();
}

function recordOf(row: Selectable<HoldRow> & { uid: string; owner_login: string | null }): HoldRecord {
  const { uid, owner_login: ownerLogin } = row;
  return { ...mapping.read(row), uid, ownerLogin };
}
