import type { Kysely } from 'kysely';
import type { Database, RuleExportRow } from './database.ts';
import { rowMapping } from './row-mapping.ts';

/** An export that a rule wants, until the footage exists. Times are milliseconds since the epoch. */
export interface RuleExport {
  readonly id: number;
  /** The owner of the rule. */
  readonly userId: number;
  readonly ruleName: string;
  /** Of the journal entry. */
  readonly entryId: number;
  readonly leadSeconds: number;
  readonly trailSeconds: number;
  readonly createdMs: number;
  /** When to look at it next; null: it is done, and only counts for the limit. */
  readonly dueMs: number | null;
}

const mapping = rowMapping<RuleExportRow, RuleExport>({
  id: 'id',
  userId: 'user_id',
  ruleName: 'rule_name',
  entryId: 'entry_id',
  leadSeconds: 'lead_seconds',
  trailSeconds: 'trail_seconds',
  createdMs: 'created_ms',
  dueMs: 'due_ms',
});

/** Exports that rules want. */
export class RuleExports {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** How many a user's rules have wanted since a time. */
  async countSince(userId: number, sinceMs: number, db: Kysely<Database>): Promise<number> {
    const { n } = await db
      .selectFrom('rule_exports')
      .select((of) => of.fn.countAll<number>().as('n'))
      .where('user_id', '=', userId)
      .where('created_ms', '>', sinceMs)
      .executeTakeFirstOrThrow();
    return Number(n);
  }

  /** In the transaction of what caused it. */
  async add(transaction: Kysely<Database>, wanted: Omit<RuleExport, 'id'>): Promise<void> {
    await transaction.insertInto('rule_exports').values(mapping.row(wanted)).execute();
  }

  /** Those to look at now, oldest first. */
  async due(nowMs: number, limit: number): Promise<RuleExport[]> {
    const rows = await this.#db
      .selectFrom('rule_exports')
      .selectAll()
      .where('due_ms', '<=', nowMs)
      .orderBy('due_ms')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(mapping.read);
  }

  /** Looked at again then; false if another node has taken it since it was read. */
  async postpone({ id, dueMs }: RuleExport, nextMs: number): Promise<boolean> {
    const row = await this.#db
      .updateTable('rule_exports')
      .set({ due_ms: nextMs })
      .where('id', '=', id)
      .where('due_ms', '=', dueMs)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async finish(id: number): Promise<void> {
    await this.#db.updateTable('rule_exports').set({ due_ms: null }).where('id', '=', id).execute();
  }

  /** Removes those that are done and older. */
  async trim(beforeMs: number): Promise<void> {
    await this.#db
      .deleteFrom('rule_exports')
      .where('due_ms', 'is', null)
      .where('created_ms', '<=', beforeMs)
      .execute();
  }
}
