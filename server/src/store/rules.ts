import type { Rule } from '@vidette/contract/notifications';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Database, Engine, RuleRow } from './database.ts';
import { entriesByIds } from './journal-pages.ts';
import type { RuleEvent } from './outbox.ts';
import { flagColumn, jsonColumn, rowMapping, type Edited } from './row-mapping.ts';
import { tagsOf } from './stream-tags.ts';

/** A transaction in which rules act. */
export type StoreTransaction = Transaction<Database>;

/** What a rule does and when, besides its name and whether it is enabled. */
export type RuleDefinition = Omit<Rule, 'id' | 'name' | 'isEnabled' | 'createdAt' | 'firedAt'>;

/** An event that must last before the rule acts on it. */
export interface PendingEvent extends Omit<RuleEvent, 'endMs'> {
  /** When it has lasted long enough. */
  readonly dueMs: number;
}

/** What a rule remembers between events. Times are milliseconds since the epoch. */
export interface RuleState {
  /** When the last events matched, for conditions that count; oldest first. */
  readonly matchedMs: readonly number[];
  /** When it acted within the last hour, and the last time; oldest first. */
  readonly firedMs: readonly number[];
  /** Matching events that its limits held back since it acted. */
  readonly suppressed: number;
  /** Open events that have not lasted long enough yet. */
  readonly pending: readonly PendingEvent[];
  /** The last events that matched, by id: a change of such an entry is no new event. */
  readonly handled: readonly number[];
}

/** A user's rule. */
export interface RuleRecord {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly definition: RuleDefinition;
  readonly state: RuleState;
  /** When the first pending event is due; null without one. */
  readonly dueMs: number | null;
  readonly createdMs: number;
  readonly firedMs: number | null;
}

export type NewRule = Omit<RuleRecord, 'id' | 'state' | 'dueMs' | 'firedMs'>;
export type RuleChanges = Edited<
  RuleRecord,
  'name' | 'isEnabled' | 'definition' | 'state' | 'dueMs' | 'firedMs'
>;

/** Members of definitions that were stored before these existed. */
const laterMembers = {
  unattended: false,
  otherRule: null,
  exports: null,
  hold: null,
} satisfies Partial<RuleDefinition>;

const mapping = rowMapping<RuleRow, RuleRecord>({
  id: 'id',
  userId: 'user_id',
  name: 'name',
  isEnabled: flagColumn('is_enabled'),
  definition: jsonColumn('definition'),
  state: jsonColumn('state'),
  dueMs: 'due_ms',
  createdMs: 'created_ms',
  firedMs: 'fired_ms',
});

function read(row: Selectable<RuleRow>): RuleRecord {
  const rule = mapping.read(row);
  return { ...rule, definition: { ...laterMembers, ...rule.definition } };
}

/** The state of a rule that has seen nothing. */
export const newRuleState: RuleState = {
  matchedMs: [],
  firedMs: [],
  suppressed: 0,
  pending: [],
  handled: [],
};

/** A stream as rules select it. */
export interface RuleStream {
  readonly id: number;
  readonly name: string;
  readonly tags: readonly string[];
}

/** What a user may do with the footage of a stream. */
export interface FootageRights {
  readonly archive: boolean;
  readonly edit: boolean;
}

/** Rules of users; those that act run in the transaction of the events. */
export class Rules {
  readonly #db: Kysely<Database>;
  readonly #engine: Engine;

  constructor(db: Kysely<Database>, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** A user's, by name. */
  async ofUser(userId: number): Promise<RuleRecord[]> {
    const rows = await this.#db
      .selectFrom('rules')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('name')
      .orderBy('id')
      .execute();
    return rows.map(read);
  }

  async byId(id: number): Promise<RuleRecord | undefined> {
    const row = await this.#db.selectFrom('rules').selectAll().where('id', '=', id).executeTakeFirst();
    return row && read(row);
  }

  async add(rule: NewRule): Promise<number> {
    const { id } = await this.#db
      .insertInto('rules')
      .values(mapping.row({ ...rule, state: newRuleState }))
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async save(id: number, changes: RuleChanges): Promise<void> {
    await this.#db.updateTable('rules').set(mapping.columns(changes)).where('id', '=', id).execute();
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('rules').where('id', '=', id).execute();
  }

  /** A transaction in which rules act. */
  transaction<Result>(act: (transaction: StoreTransaction) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(act);
  }

  /** Enabled rules of users who are not blocked. */
  async enabled(db: Kysely<Database>): Promise<RuleRecord[]> {
    const rows = await db
      .selectFrom('rules')
      .innerJoin('users', 'users.id', 'rules.user_id')
      .selectAll('rules')
      .where('rules.is_enabled', '=', 1)
      .where('users.is_blocked', '=', 0)
      .orderBy('rules.id')
      .execute();
    return rows.map(read);
  }

  /** Enabled rules with a pending event that is due. */
  async due(nowMs: number): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('rules')
      .select('id')
      .where('due_ms', '<=', nowMs)
      .where('is_enabled', '=', 1)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** When the first pending event of an enabled rule is due; null without one. */
  async firstDueMs(): Promise<number | null> {
    const row = await this.#db
      .selectFrom('rules')
      .select((of) => of.fn.min('due_ms').as('due_ms'))
      .where('is_enabled', '=', 1)
      .executeTakeFirst();
    return row?.due_ms ?? null;
  }

  /** The current states of these rules, which no other transaction changes until this one ends. */
  async lock(transaction: Kysely<Database>, ids: readonly number[]): Promise<RuleRecord[]> {
    if (ids.length === 0) return [];
    const rows = await transaction
      .selectFrom('rules')
      .selectAll()
      .where('id', 'in', ids)
      .orderBy('id')
      .$if(this.#engine === 'postgres', (found) => found.forUpdate())
      .execute();
    return rows.map(read);
  }

  async saveState(transaction: Kysely<Database>, id: number, changes: RuleChanges): Promise<void> {
    await transaction.updateTable('rules').set(mapping.columns(changes)).where('id', '=', id).execute();
  }

  /** When a user who is not blocked last used the server in a session, or had its page open; null: never. */
  async lastPresenceMs(db: Kysely<Database>): Promise<number | null> {
    const row = await db
      .selectFrom('users')
      .select((of) => of.fn.max('last_seen_ms').as('seen_ms'))
      .where('is_blocked', '=', 0)
      .executeTakeFirst();
    return row?.seen_ms ?? null;
  }

  /** When a user's rule acted last; oldest first, empty for one that does not exist. */
  async firedMs(userId: number, id: number, db: Kysely<Database>): Promise<readonly number[]> {
    const row = await db
      .selectFrom('rules')
      .selectAll()
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row ? read(row).state.firedMs : [];
  }

  /** The streams of these uids, with their tags. */
  async streams(uids: readonly string[], db: Kysely<Database> = this.#db): Promise<Map<string, RuleStream>> {
    if (uids.length === 0) return new Map();
    const rows = await db
      .selectFrom('streams')
      .select(['id', 'uid', 'name'])
      .where('uid', 'in', uids)
      .execute();
    const tags = await tagsOf(
      db,
      rows.map(({ id }) => id),
    );
    return new Map(rows.map(({ id, uid, name }) => [uid, { id, name, tags: tags.get(id) ?? [] }]));
  }

  /** Those of the journal's entries that a user may see now; none if the user is blocked. */
  async visible(
    userId: number,
    entryIds: readonly number[],
    db: Kysely<Database> = this.#db,
  ): Promise<Set<number>> {
    const user = await db
      .selectFrom('users')
      .select(['is_admin', 'is_blocked'])
      .where('id', '=', userId)
      .executeTakeFirst();
    if (!user || user.is_blocked === 1) return new Set();
    const seen = await entriesByIds(db, { userId, isAdmin: user.is_admin === 1 }, entryIds);
    return new Set(seen.map(({ id }) => id));
  }

  /** Whether a user may watch the archive of a stream now, and edit the stream. */
  async footageRights(userId: number, streamId: number, db: Kysely<Database>): Promise<FootageRights> {
    const row = await db
      .selectFrom('users')
      .innerJoin('streams', (join) => join.on('streams.id', '=', streamId))
      .leftJoin('permissions as p', (join) =>
        join.onRef('p.stream_id', '=', 'streams.id').onRef('p.user_id', '=', 'users.id'),
      )
      .select(['users.is_admin', 'streams.created_by', 'p.can_view', 'p.can_archive', 'p.can_edit'])
      .where('users.id', '=', userId)
      .executeTakeFirst();
    if (!row) return { archive: false, edit: false };
    const hasAll = row.is_admin === 1 || row.created_by === userId;
    const may = (right: number | null) => hasAll || (row.can_view === 1 && right === 1);
    return { archive: may(row.can_archive), edit: may(row.can_edit) };
  }

  /** In the transaction of the event. */
  async addBookmark(
    transaction: Kysely<Database>,
    bookmark: {
      streamId: number;
      userId: number;
      startMs: number;
      note: string;
      noteKey: string;
      createdMs: number;
    },
  ): Promise<void> {
    const { streamId, userId, startMs, note, noteKey, createdMs } = bookmark;
    await transaction
      .insertInto('bookmarks')
      .values({
        stream_id: streamId,
        user_id: userId,
        start_ms: startMs,
        end_ms: null,
        note,
        note_key: noteKey,
        created_ms: createdMs,
      })
      .execute();
  }

  /** Those of the targets that are the user's. */
  async ownTargets(
    userId: number,
    ids: readonly number[],
    db: Kysely<Database> = this.#db,
  ): Promise<number[]> {
    if (ids.length === 0) return [];
    const rows = await db
      .selectFrom('notification_targets')
      .select('id')
      .where('user_id', '=', userId)
      .where('id', 'in', ids)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }
}
