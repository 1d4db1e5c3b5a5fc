import type { JournalKind } from '@vidette/contract/journal';
import type { Kysely } from 'kysely';
import type { Database, OutboxRow } from './database.ts';
import { countDropped, noteResult, type TargetResult } from './notification-targets.ts';
import { jsonColumn, rowMapping } from './row-mapping.ts';

/** The event that a rule acted on. Times are milliseconds since the epoch. */
export interface RuleEvent {
  /** Of the journal entry. */
  readonly id: number;
  readonly kind: JournalKind;
  /** Uid; null: it concerns the server. */
  readonly stream: string | null;
  readonly startMs: number;
  /** Null: a moment, or it had not ended. */
  readonly endMs: number | null;
  readonly note: string;
  /** The reason, as in the journal; null without one. */
  readonly code: string | null;
}

/** What a rule sends. */
interface Notification {
  readonly rule: { readonly id: number; readonly name: string };
  readonly event: RuleEvent;
  /** Events that the rule's limits held back since the last notification. */
  readonly suppressed: number;
}

/** A notification in the queue of a target. */
export interface Delivery {
  readonly id: number;
  readonly targetId: number;
  /** Idempotency key: a repeated delivery has the same. */
  readonly key: string;
  readonly payload: Notification;
  readonly createdMs: number;
  /** Attempts that the target answered with a refusal. */
  readonly refusals: number;
}

export type NewDelivery = Omit<Delivery, 'id' | 'refusals'>;

const mapping = rowMapping<OutboxRow, Delivery>({
  id: 'id',
  targetId: 'target_id',
  key: 'key',
  payload: jsonColumn('payload'),
  createdMs: 'created_ms',
  refusals: 'refusals',
});

/** Rows of one statement. */
const batchMax = 100;

/** Notifications that were not delivered yet, in the order in which they were written. */
export class Outbox {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** In the transaction of what caused them; one that is in the queue already is not added again. */
  async add(transaction: Kysely<Database>, deliveries: readonly NewDelivery[]): Promise<void> {
    for (let from = 0; from < deliveries.length; from += batchMax) {
      const rows = deliveries.slice(from, from + batchMax).map((one) => mapping.row({ ...one, refusals: 0 }));
      await transaction
        .insertInto('outbox')
        .values(rows)
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
    }
  }

  async isEmpty(): Promise<boolean> {
    const row = await this.#db.selectFrom('outbox').select('id').limit(1).executeTakeFirst();
    return row === undefined;
  }

  /** The oldest of a target. */
  async next(targetId: number, count: number): Promise<Delivery[]> {
    const rows = await this.#db
      .selectFrom('outbox')
      .selectAll()
      .where('target_id', '=', targetId)
      .orderBy('id')
      .limit(count)
      .execute();
    return rows.map(mapping.read);
  }

  /** The target accepted these: they leave the queue, and the target gets a new state, in one write. */
  async accept(targetId: number, ids: readonly number[], result: TargetResult): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      await db.deleteFrom('outbox').where('id', 'in', ids).execute();
      await noteResult(db, targetId, result);
    });
  }

  /** They are given up. */
  async drop(targetId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#db.transaction().execute(async (db) => {
      await db.deleteFrom('outbox').where('id', 'in', ids).execute();
      await countDropped(db, targetId, ids.length);
    });
  }

  /** The target answered these with a refusal. */
  async noteRefusal(ids: readonly number[]): Promise<void> {
    await this.#db
      .updateTable('outbox')
      .set((of) => ({ refusals: of('refusals', '+', 1) }))
      .where('id', 'in', ids)
      .execute();
  }

  /**
   * Gives up what is older than that time, and, of each target, the oldest beyond `perTarget`. Returns how many.
   */
  async trim(beforeMs: number, perTarget: number): Promise<number> {
    const targets = await this.#db.selectFrom('notification_targets').select('id').execute();
    let dropped = 0;
    for (const { id } of targets) {
      const firstBeyond = await this.#db
        .selectFrom('outbox')
        .select('id')
        .where('target_id', '=', id)
        .orderBy('id', 'desc')
        .offset(perTarget)
        .limit(1)
        .executeTakeFirst();
      dropped += await this.#db.transaction().execute(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom('outbox')
          .where('target_id', '=', id)
          .where((of) => of.or([of('created_ms', '<', beforeMs), of('id', '<=', firstBeyond?.id ?? 0)]))
          .executeTakeFirst();
        const count = Number(numDeletedRows);
        if (count > 0) await countDropped(db, id, count);
        return count;
      });
    }
    return dropped;
  }
}
