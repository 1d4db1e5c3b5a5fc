import type { NotificationFailure, TargetSettings } from '@vidette/contract/notifications';
import { createHash } from 'node:crypto';
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import { isUniqueViolation } from './constraint.ts';
import type { Database, NotificationTargetRow } from './database.ts';
import { jsonColumn, rowMapping, type Edited } from './row-mapping.ts';
import type { Seal } from './seal.ts';

/** Where notifications of a user go. Times are milliseconds since the epoch. */
interface StoredTarget {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly settings: TargetSettings;
  readonly createdMs: number;
  readonly acceptedMs: number | null;
  /** The first failure since the last success. */
  readonly failingMs: number | null;
  /** Consecutive failures. */
  readonly failures: number;
  /** Nothing is sent before. */
  readonly retryMs: number;
  readonly failure: NotificationFailure | null;
  /** Notifications that were given up. */
  readonly dropped: number;
  /** Identifies a browser by its push service's address; null for other types. */
  readonly deviceKey: string | null;
  /** The session in which a browser was added: it ends with it. Null for other types, and without a session. */
  readonly sessionId: string | null;
}

/** What sending to a target needs. */
export interface DeliveryTarget extends StoredTarget {
  /** The key of its signatures; undefined if there is none, or it can't be read. */
  readonly secret: string | undefined;
}

export interface TargetRecord extends DeliveryTarget {
  /** In the queue. */
  readonly waiting: number;
}

export type NewTarget = Pick<StoredTarget, 'userId' | 'name' | 'settings' | 'createdMs'> & {
  readonly secret: string | null;
  /** Of a browser. */
  readonly sessionId?: string | null;
};
export type TargetChanges = Edited<StoredTarget, 'name' | 'settings'> & { secret?: string };

/** The result of a delivery, as it is stored. */
export type TargetResult = Edited<
  StoredTarget,
  'acceptedMs' | 'failingMs' | 'failures' | 'retryMs' | 'failure'
>;

const mapping = rowMapping<NotificationTargetRow, StoredTarget>({
  id: 'id',
  userId: 'user_id',
  name: 'name',
  settings: jsonColumn('settings'),
  createdMs: 'created_ms',
  acceptedMs: 'accepted_ms',
  failingMs: 'failing_ms',
  failures: 'failures',
  retryMs: 'retry_ms',
  failure: jsonColumn('failure'),
  dropped: 'dropped',
  deviceKey: 'device_key',
  sessionId: 'session_id',
});

/** Targets of notifications, and which node is sending to each. */
export class NotificationTargets {
  readonly #db: Kysely<Database>;
  readonly #seal: Seal;

  constructor(db: Kysely<Database>, seal: Seal) {
    this.#db = db;
    this.#seal = seal;
  }

  async byId(id: number): Promise<TargetRecord | undefined> {
    const row = await this.#withWaiting().where('notification_targets.id', '=', id).executeTakeFirst();
    return row && this.#record(row);
  }

  /** Without the length of its queue: counting that before each delivery would cost more, the longer the queue is. */
  async deliveryTarget(id: number): Promise<DeliveryTarget | undefined> {
    const row = await this.#db
      .selectFrom('notification_targets')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && this.#deliveryTarget(row);
  }

  /** The browser with this address at its push service. */
  async byEndpoint(endpoint: string): Promise<TargetRecord | undefined> {
    const row = await this.#withWaiting()
      .where('device_key', '=', deviceKeyOfEndpoint(endpoint))
      .executeTakeFirst();
    return row && this.#record(row);
  }

  /** A user's, by name. */
  async ofUser(userId: number): Promise<TargetRecord[]> {
    const rows = await this.#withWaiting()
      .where('user_id', '=', userId)
      .orderBy('name')
      .orderBy('id')
      .execute();
    return rows.map((row) => this.#record(row));
  }

  /** Those that have accepted nothing since that time, of one user or of all. */
  async failingSince(timeMs: number, userId: number | undefined): Promise<TargetRecord[]> {
    const rows = await this.#withWaiting()
      .where('failing_ms', '<=', timeMs)
      .$if(userId !== undefined, (found) => found.where('user_id', '=', userId ?? 0))
      .orderBy('failing_ms')
      .limit(failingMax)
      .execute();
    return rows.map((row) => this.#record(row));
  }

  /** A browser that is a target already, of whichever user, is that no longer. */
  async add({ secret, sessionId = null, ...target }: NewTarget): Promise<TargetRecord> {
    const deviceKey = deviceKeyOf(target.settings);
    const none = { failure: null, failures: 0, retryMs: 0, dropped: 0 };
    return this.#replacing(async (db) => {
      if (deviceKey !== null) {
        await db.deleteFrom('notification_targets').where('device_key', '=', deviceKey).execute();
      }
      const row = await db
        .insertInto('notification_targets')
        .values({
          ...mapping.row({ ...target, ...none, deviceKey, sessionId }),
          secret: secret === null ? null : this.#seal.seal(secret, placeOf(target.userId)),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return this.#record({ ...row, waiting: 0 });
    });
  }

  /** A changed target is tried again immediately. */
  async save({ id, userId }: TargetRecord, { secret, ...changes }: TargetChanges): Promise<void> {
    const { settings } = changes;
    const deviceKey = settings === undefined ? undefined : deviceKeyOf(settings);
    await this.#replacing(async (db) => {
      if (deviceKey) {
        await db
          .deleteFrom('notification_targets')
          .where('device_key', '=', deviceKey)
          .where('id', '!=', id)
          .execute();
      }
      await db
        .updateTable('notification_targets')
        .set({
          ...mapping.columns({ ...changes, deviceKey, retryMs: 0, failures: 0 }),
          ...(secret === undefined ? {} : { secret: this.#seal.seal(secret, placeOf(userId)) }),
        })
        .where('id', '=', id)
        .execute();
    });
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('notification_targets').where('id', '=', id).execute();
  }

  /**
   * Targets with notifications that are due, those that work first. A time further ahead than `pauseMaxMs` was
   * stored before the clock was set back.
   */
  async due(nowMs: number, pauseMaxMs: number, node: string): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('notification_targets as t')
      .select('t.id')
      .where((of) => of.or([of('t.retry_ms', '<=', nowMs), of('t.retry_ms', '>', nowMs + pauseMaxMs)]))
      .where((of) => of.or([of('t.lease_ms', '<=', nowMs), of('t.lease_node', '=', node)]))
      .where((of) =>
        of.exists(of.selectFrom('outbox').select('outbox.id').whereRef('outbox.target_id', '=', 't.id')),
      )
      .orderBy('t.failures')
      .orderBy('t.retry_ms')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Reserves a target for a node, or extends that; false while another node is sending to it. */
  async claim(id: number, node: string, nowMs: number, untilMs: number): Promise<boolean> {
    const row = await this.#db
      .updateTable('notification_targets')
      .set({ lease_node: node, lease_ms: untilMs })
      .where('id', '=', id)
      .where((of) =>
        of.or([of('lease_ms', '<=', nowMs), of('lease_node', '=', node), of('lease_node', 'is', null)]),
      )
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async release(id: number, node: string): Promise<void> {
    await this.#db
      .updateTable('notification_targets')
      .set({ lease_node: null, lease_ms: 0 })
      .where('id', '=', id)
      .where('lease_node', '=', node)
      .execute();
  }

  note(id: number, result: TargetResult): Promise<void> {
    return noteResult(this.#db, id, result);
  }

  /**
   * A transaction that removes a browser's earlier target before it writes the new one. On PostgreSQL two of them don't see each
   * other's row until one has ended; the other then removes it in a second attempt.
   */
  async #replacing<Result>(write: (db: Transaction<Database>) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#db.transaction().execute(write);
      } catch (error) {
        if (!isUniqueViolation(error) || attempt === replaceAttempts) throw error;
      }
    }
  }

  #withWaiting() {
    return this.#db
      .selectFrom('notification_targets')
      .selectAll('notification_targets')
      .select((of) =>
        of
          .selectFrom('outbox')
          .select((rows) => rows.fn.countAll<number>().as('n'))
          .whereRef('outbox.target_id', '=', 'notification_targets.id')
          .as('waiting'),
      );
  }

  #record(row: Selectable<NotificationTargetRow> & { waiting: number | null }): TargetRecord {
    return { ...this.#deliveryTarget(row), waiting: Number(row.waiting) };
  }

  #deliveryTarget(row: Selectable<NotificationTargetRow>): DeliveryTarget {
    const target = mapping.read(row);
    const secret = row.secret === null ? undefined : this.#seal.open(row.secret, placeOf(target.userId));
    return { ...target, secret };
  }
}

/** For one browser that is added several times simultaneously: each attempt fails only because another succeeded. */
const replaceAttempts = 20;
/** Of the health warning's targets. */
const failingMax = 20;

/** Null unless the target is a browser. */
function deviceKeyOf(settings: TargetSettings): string | null {
  return settings.type === 'push' ? deviceKeyOfEndpoint(settings.endpoint) : null;
}

function deviceKeyOfEndpoint(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('hex');
}

function placeOf(userId: number): string {
  return `notification_targets.secret of ${userId}`;
}

/** Stores the result of a delivery. */
export async function noteResult(db: Kysely<Database>, id: number, result: TargetResult): Promise<void> {
  await db.updateTable('notification_targets').set(mapping.columns(result)).where('id', '=', id).execute();
}

/** Counts notifications of a target that were given up. */
export async function countDropped(db: Kysely<Database>, id: number, dropped: number): Promise<void> {
  await db
    .updateTable('notification_targets')
    .set({ dropped: sql<number>`dropped + ${dropped}` })
    .where('id', '=', id)
    .execute();
}
