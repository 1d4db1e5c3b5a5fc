import type { Kysely, Updateable } from 'kysely';
import { databaseNow } from './cluster-tables.ts';
import { keyOf, sortKeyOf } from '../base/search-key.ts';
import type { Database, NodeRow } from './database.ts';
import { nodeMapping, type NodeRecord } from './node-row.ts';

/** The servers that share this database. */
export class Nodes {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** By name. */
  async all(): Promise<NodeRecord[]> {
    const rows = await this.#db.selectFrom('nodes').selectAll().orderBy('name_key').orderBy('id').execute();
    // A handful: sorted here, without a column for it.
    const sorted = rows.map((row) => ({ row, key: sortKeyOf(row.name_key) }));
    sorted.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    return sorted.map(({ row }) => nodeMapping.read(row));
  }

  async byId(id: string): Promise<NodeRecord | undefined> {
    const row = await this.#db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirst();
    return row && nodeMapping.read(row);
  }

  /** Records that a node has started. A new one is named after its id; a drained one stays drained. */
  async register(id: string, version: string, startedMs: number): Promise<NodeRecord> {
    const run = { version, started_ms: startedMs, last_seen_ms: startedMs };
    const row = await this.#db
      .insertInto('nodes')
      .values({ id, name: id, name_key: keyOf(id), is_drained: 0, joined_ms: startedMs, ...run })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(run))
      .returningAll()
      .executeTakeFirstOrThrow();
    return nodeMapping.read(row);
  }

  /**
   * Stores the address and the public key of this node for the other nodes. False when another key is
   * registered under this name.
   */
  async introduce(id: string, address: string, publicKey: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('nodes')
      .set({ address, public_key: publicKey })
      .where('id', '=', id)
      .where((where) => where.or([where('public_key', 'is', null), where('public_key', '=', publicKey)]))
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  /** Adds a node that joins. False when there is one with this name and another key. */
  async welcome(id: string, publicKey: string, nowMs: number): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('nodes')
      .values({
        id,
        name: id,
        name_key: keyOf(id),
        is_drained: 0,
        version: '',
        joined_ms: nowMs,
        started_ms: nowMs,
        last_seen_ms: nowMs,
        public_key: publicKey,
      })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ public_key: publicKey })
          .where((of) => of.or([of('nodes.public_key', 'is', null), of('nodes.public_key', '=', publicKey)])),
      )
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  /** Which nodes have had a stream, in chronological order. */
  async assignmentsOf(uid: string): Promise<{ node: string; fromMs: number; toMs: number | null }[]> {
    const rows = await this.#db
      .selectFrom('stream_nodes')
      .select(['node_id', 'from_ms', 'to_ms'])
      .where('stream_uid', '=', uid)
      .orderBy('epoch')
      .execute();
    return rows.map(({ node_id: node, from_ms: fromMs, to_ms: toMs }) => ({ node, fromMs, toMs }));
  }

  /** Whether a node's lease holds, by the clock of the database, which must be PostgreSQL. */
  async isThere(id: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('nodes')
      .select('id')
      .where('id', '=', id)
      .where('lease_until_ms', '>=', databaseNow)
      .executeTakeFirst();
    return row !== undefined;
  }

  async touch(id: string, lastSeenMs: number): Promise<void> {
    await this.#db.updateTable('nodes').set({ last_seen_ms: lastSeenMs }).where('id', '=', id).execute();
  }

  /** Whether the node exists. */
  async setDrained(id: string, isDrained: boolean): Promise<boolean> {
    return this.#change(id, nodeMapping.columns({ isDrained }));
  }

  /** Whether the node exists. */
  async rename(id: string, name: string): Promise<boolean> {
    return this.#change(id, { name, name_key: keyOf(name) });
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('nodes').where('id', '=', id).execute();
  }

  /** How many streams are configured on each node. */
  async streamCounts(): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom('streams')
      .select((of) => ['node_id', of.fn.countAll<number>().as('n')])
      .groupBy('node_id')
      .execute();
    return new Map(rows.map((row) => [row.node_id, Number(row.n)]));
  }

  /** Assigns all streams to the only node: recordings under its earlier names are its own. */
  async adoptStreams(id: string): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      await db.updateTable('streams').set({ node_id: id }).where('node_id', '!=', id).execute();
      await db.updateTable('stream_nodes').set({ node_id: id }).where('node_id', '!=', id).execute();
    });
  }

  async #change(id: string, changes: Updateable<NodeRow>): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('nodes')
      .set(changes)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}
