import { sql, type Kysely, type RawBuilder, type Selectable, type Transaction } from 'kysely';
import type { AccessChanges } from './access-changes.ts';
import type { Database, NodeRow } from './database.ts';
import { nodeMapping, type NodeRecord } from './node-row.ts';
import { flag, rowMapping } from './row-mapping.ts';
import type { StreamRow } from './stream-row.ts';

/** How long a node's lease lasts after a renewal, and a leader's: both use only the database's clock. */
export const leaseMs = 5_000;

/** A node, and whether its lease holds. */
export interface ClusterMember extends NodeRecord {
  readonly isThere: boolean;
}

/** What all nodes know about a stream. */
export interface StreamPlace extends StoredPlace {
  /** How long the handover has taken so far, by the database's clock; 0 when there is none. */
  readonly handoverAgeMs: number;
}

interface StoredPlace {
  readonly uid: string;
  /** The node that runs it. */
  readonly nodeId: string;
  /** The number of nodes that have had it. */
  readonly epoch: number;
  /** The node that it is being handed to, which already records it, under the next epoch. */
  readonly nextNodeId: string | null;
  /** The cluster's version as of the last change that its node must read. */
  readonly changed: number;
  /** As last reported by the node that runs it. */
  readonly status: string;
  /** Why it fails: code of the catalogue, and message; null unless it does. */
  readonly failureCode: string | null;
  readonly failureReason: string | null;
}

const placeColumns = [
  'uid',
  'node_id',
  'epoch',
  'next_node_id',
  'changed',
  'status',
  'failure_code',
  'failure_reason',
] as const;

const placeMapping = rowMapping<Pick<StreamRow, (typeof placeColumns)[number]>, StoredPlace>({
  uid: 'uid',
  nodeId: 'node_id',
  epoch: 'epoch',
  nextNodeId: 'next_node_id',
  changed: 'changed',
  status: 'status',
  failureCode: 'failure_code',
  failureReason: 'failure_reason',
});

/** Moves a stream from one node, as of an epoch, to another immediately. */
interface Take {
  readonly kind: 'take';
  readonly uid: string;
  readonly epoch: number;
  readonly to: string;
  /** The node that it is taken from because its lease has expired; null: regardless of that node's state. */
  readonly gone: string | null;
}

/** Lets another node start in parallel with the stream's own; `to` null: cancels the handover. */
interface HandOver {
  readonly kind: 'hand-over';
  readonly uid: string;
  readonly epoch: number;
  readonly to: string | null;
}

export type Move = Take | HandOver;

export interface ClusterTablesRun {
  readonly id: string;
  /** Distinguishes this process from another under the same id. */
  readonly runId: string;
  readonly version: string;
  readonly capacity: number | null;
  /** Of `node.key`, base64url. */
  readonly publicKey: string;
}

/**
 * Result of starting under an id. unknown: the cluster has other nodes, and none has invited this one, or it
 * was removed. taken: another process holds the lease.
 */
export type Joining = 'joined' | 'taken' | 'unknown';

/** What a node reports to the others with every renewal. */
export interface NodeReport {
  readonly activeStreams: number;
  readonly cannotRecord: boolean;
}

/** The database's own milliseconds: no node's clock is trusted. */
export const databaseNow: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

const now = databaseNow;

/**
 * The shared state of several nodes on one PostgreSQL: which nodes are up, which one is the leader, which node
 * has which stream.
 */
export class ClusterTables {
  /** On the same connections: access changes are read as soon as the assignments are. */
  readonly accessChanges: AccessChanges;
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>, accessChanges: AccessChanges) {
    this.#db = db;
    this.accessChanges = accessChanges;
  }

  /**
   * Acquires a lease under this id. A removed node stays removed until it is invited again: only an invitation
   * can admit it.
   */
  async join({ id, runId, version, capacity, publicKey }: ClusterTablesRun): Promise<Joining> {
    const run = {
      version,
      capacity,
      run_id: runId,
      started_ms: now,
      last_seen_ms: now,
      lease_until_ms: sql<number>`${now} + ${leaseMs}`,
      active_streams: 0,
    };
    return this.#db.transaction().execute(async (db) => {
      const nodes = await db.selectFrom('nodes').select(['id', 'public_key']).execute();
      // The very first server invites itself, and a node that knows its key may change its name.
      const isOpen = nodes.every(({ public_key }) => public_key === null);
      const isKnown = nodes.some((node) => node.id === id || node.public_key === publicKey);
      if (!isOpen && !isKnown) return 'unknown';
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('nodes')
        .values({ id, name: id, name_key: id.toLowerCase(), is_drained: 0, joined_ms: now, ...run })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(run)
            .where((of) => of.or([of('nodes.lease_until_ms', '<', now), of('nodes.run_id', '=', runId)])),
        )
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n ? 'joined' : 'taken';
    });
  }

  /**
   * Renews the lease, and returns the database's own milliseconds. Undefined when the node is removed, or
   * another process runs under its id.
   */
  async renew(
    id: string,
    runId: string,
    report: NodeReport,
    clockAheadMs: number | null,
  ): Promise<number | undefined> {
    const row = await this.#db
      .updateTable('nodes')
      .set({
        lease_until_ms: sql<number>`${now} + ${leaseMs}`,
        last_seen_ms: now,
        active_streams: report.activeStreams,
        cannot_record: flag(report.cannotRecord),
        clock_ahead_ms: clockAheadMs,
      })
      .where('id', '=', id)
      .where('run_id', '=', runId)
      .returning(now.as('now_ms'))
      .executeTakeFirst();
    return row?.now_ms;
  }

  /** Releases the lease, and with it the leadership. */
  async leave(id: string, runId: string): Promise<void> {
    await this.#db
      .updateTable('nodes')
      .set({ lease_until_ms: 0, last_seen_ms: now, active_streams: 0 })
      .where('id', '=', id)
      .where('run_id', '=', runId)
      .execute();
    await this.#db.updateTable('cluster').set({ leader_until_ms: 0 }).where('leader_id', '=', id).execute();
  }

  /** Acquires or keeps the leadership; false while another node holds it. */
  async lead(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('cluster')
      .set({ leader_id: id, leader_until_ms: sql<number>`${now} + ${leaseMs}` })
      .where((of) => of.or([of('leader_id', '=', id), of('leader_until_ms', '<', now)]))
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  async members(): Promise<ClusterMember[]> {
    const rows = await this.#db.selectFrom('nodes').selectAll().select(isThere).orderBy('id').execute();
    return rows.map(memberOf);
  }

  /** Number of the latest change that nodes must read. */
  async version(): Promise<number> {
    const { version } = await this.#db.selectFrom('cluster').select('version').executeTakeFirstOrThrow();
    return version;
  }

  async places(): Promise<StreamPlace[]> {
    const rows = await this.#db
      .selectFrom('streams')
      .select(placeColumns)
      .select(sql<number>`coalesce(${now} - handover_ms, 0)`.as('handover_age_ms'))
      .execute();
    return rows.map((row) => ({ ...placeMapping.read(row), handoverAgeMs: row.handover_age_ms }));
  }

  /**
   * Makes moves that were planned on the cluster's state at `version`; none of them if something has changed
   * since, a node they take from has returned, or a node they give to is gone. Returns whether they were made.
   */
  async move(version: number, moves: readonly Move[]): Promise<boolean> {
    return this.#db.transaction().execute(async (db) => {
      // Locked, so that no lease is renewed in between: a later renewal sees which streams were taken.
      const members = await db.selectFrom('nodes').selectAll().select(isThere).forUpdate().execute();
      const there = new Set(members.filter((member) => member.is_there).map(({ id }) => id));
      if (moves.some(({ to }) => to !== null && !there.has(to))) return false;
      if (moves.some((move) => move.kind === 'take' && move.gone !== null && there.has(move.gone)))
        return false;
      const found = await db.selectFrom('cluster').select('version').executeTakeFirstOrThrow();
      if (found.version !== version) return false;
      const next = await bumpVersion(db);
      for (const move of moves) {
        if (move.kind === 'hand-over') await handOver(db, move, next);
        else await take(db, move, next);
      }
      return true;
    });
  }

  /**
   * Completes a handover: from now on the new node has the stream. Returns whether the handover was still
   * pending.
   */
  async complete(uid: string, epoch: number, to: string): Promise<boolean> {
    return this.#db.transaction().execute(async (db) => {
      const row = await db
        .selectFrom('streams')
        .select('handover_ms')
        .where('uid', '=', uid)
        .where('epoch', '=', epoch)
        .where('next_node_id', '=', to)
        .executeTakeFirst();
      if (!row) return false;
      await give(db, { uid, epoch, to, fromMs: row.handover_ms }, await bumpVersion(db));
      return true;
    });
  }

  /** Which nodes have or had each stream, and so may have footage of it. */
  async keepers(): Promise<Map<string, Set<string>>> {
    const rows = await this.#db
      .selectFrom('stream_nodes')
      .select(['stream_uid', 'node_id'])
      .distinct()
      .execute();
    const keepers = new Map<string, Set<string>>();
    for (const { stream_uid, node_id } of rows) {
      const known = keepers.get(stream_uid);
      if (known) known.add(node_id);
      else keepers.set(stream_uid, new Set([node_id]));
    }
    return keepers;
  }

  /** Closes the cluster's own connections. */
  close(): Promise<void> {
    return this.#db.destroy();
  }
}

const isThere = sql<boolean>`lease_until_ms >= ${now}`.as('is_there');

function memberOf(row: Selectable<NodeRow> & { is_there: boolean }): ClusterMember {
  return { ...nodeMapping.read(row), isThere: row.is_there };
}

/**
 * Records a change that nodes must read, and returns its number. Later changes wait until this transaction is
 * done.
 */
export async function bumpVersion(db: Transaction<Database>): Promise<number> {
  const { version } = await db
    .updateTable('cluster')
    .set((of) => ({ version: of('version', '+', 1) }))
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

async function handOver(
  db: Transaction<Database>,
  { uid, epoch, to }: HandOver,
  changed: number,
): Promise<void> {
  await db
    .updateTable('streams')
    .set({ next_node_id: to, handover_ms: to === null ? null : now, changed })
    .where('uid', '=', uid)
    .where('epoch', '=', epoch)
    .execute();
}

/** The stream's status on its new node is not known yet. */
async function take(db: Transaction<Database>, move: Take, changed: number): Promise<void> {
  await give(db, { ...move, fromMs: null }, changed);
  await db
    .updateTable('streams')
    .set({ status: 'pending', failure_code: null, failure_reason: null })
    .where('uid', '=', move.uid)
    .where('is_paused', '=', 0)
    .execute();
}

interface Gift {
  readonly uid: string;
  readonly epoch: number;
  readonly to: string;
  /** When it started recording; null: not yet. */
  readonly fromMs: number | null;
}

async function give(db: Transaction<Database>, gift: Gift, changed: number): Promise<void> {
  const { uid, epoch, to, fromMs } = gift;
  const { numUpdatedRows } = await db
    .updateTable('streams')
    .set({ node_id: to, epoch: epoch + 1, next_node_id: null, handover_ms: null, changed })
    .where('uid', '=', uid)
    .where('epoch', '=', epoch)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  await db
    .updateTable('stream_nodes')
    .set({ to_ms: now })
    .where('stream_uid', '=', uid)
    .where('epoch', '=', epoch)
    .execute();
  await db
    .insertInto('stream_nodes')
    .values({ stream_uid: uid, epoch: epoch + 1, node_id: to, from_ms: fromMs ?? now })
    .execute();
}
