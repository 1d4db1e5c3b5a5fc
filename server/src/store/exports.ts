import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { Database, ExportFileRow, ExportRow } from './database.ts';

export type ExportRecord = Selectable<ExportRow>;
export type NewExport = Insertable<ExportRow>;
export type ExportChanges = Omit<Updateable<ExportRow>, 'id'>;
export type ExportFileRecord = Selectable<ExportFileRow>;

/**
 * An export that was removed on another node than its own: it is hidden, and its node deletes it with its
 * files.
 */
export const cancelledStatus = 'cancelled';

/** Packages of footage that users requested, and which of their files are finished. */
export class ExportRecords {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  byId(id: number): Promise<ExportRecord | undefined> {
    return this.#db
      .selectFrom('exports')
      .selectAll()
      .where('id', '=', id)
      .where('status', '!=', cancelledStatus)
      .executeTakeFirst();
  }

  /** One user's, newest first. */
  async list(
    userId: number,
    query: { page: number; pageSize: number },
  ): Promise<{ items: ExportRecord[]; total: number }> {
    const found = this.#db
      .selectFrom('exports')
      .where('user_id', '=', userId)
      .where('status', '!=', cancelledStatus);
    const { n } = await found.select((of) => of.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
    const items = await found
      .selectAll()
      .orderBy('id', 'desc')
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items, total: Number(n) };
  }

  all(): Promise<ExportRecord[]> {
    return this.#db.selectFrom('exports').selectAll().orderBy('id').execute();
  }

  /** The next one for a node to process: begun exports come before waiting ones, the oldest first. */
  next(nodeId: string): Promise<ExportRecord | undefined> {
    return this.#ofNode(nodeId)
      .selectAll()
      .where('status', 'in', ['queued', 'running'])
      .orderBy('status', 'desc')
      .orderBy('id')
      .executeTakeFirst();
  }

  /** Those whose files on a node are due for deletion. */
  expired(nodeId: string, nowMs: number): Promise<ExportRecord[]> {
    return this.#ofNode(nodeId).selectAll().where('expires_ms', '<=', nowMs).execute();
  }

  /** Removed by users on other nodes, while this node has their files. */
  cancelled(nodeId: string): Promise<ExportRecord[]> {
    return this.#ofNode(nodeId).selectAll().where('status', '=', cancelledStatus).execute();
  }

  /**
   * Those of nodes that are no longer in the cluster, which nothing else deletes: removed by their users, or expired.
   */
  async orphaned(self: string, nowMs: number): Promise<ExportRecord[]> {
    return this.#db
      .selectFrom('exports')
      .selectAll()
      .where('node_id', 'is not', null)
      .where('node_id', '!=', self)
      .where('node_id', 'not in', (of) => of.selectFrom('nodes').select('nodes.id'))
      .where((of) => of.or([of('status', '=', cancelledStatus), of('expires_ms', '<=', nowMs)]))
      .execute();
  }

  async add(record: NewExport): Promise<number> {
    const { id } = await this.#db
      .insertInto('exports')
      .values(record)
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** A cancelled one stays cancelled. */
  async save(id: number, changes: ExportChanges): Promise<void> {
    await this.#db
      .updateTable('exports')
      .set(changes)
      .where('id', '=', id)
      .where('status', '!=', cancelledStatus)
      .execute();
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('exports').where('id', '=', id).execute();
  }

  /** Finished files, in the order in which they were written. */
  files(id: number): Promise<ExportFileRecord[]> {
    return this.#db
      .selectFrom('export_files')
      .selectAll()
      .where('export_id', '=', id)
      .orderBy('position')
      .execute();
  }

  async addFile(file: Insertable<ExportFileRow>): Promise<void> {
    await this.#db.insertInto('export_files').values(file).execute();
  }

  async removeFiles(id: number): Promise<void> {
    await this.#db.deleteFrom('export_files').where('export_id', '=', id).execute();
  }

  #ofNode(nodeId: string) {
    return this.#db
      .selectFrom('exports')
      .where((of) => of.or([of('node_id', '=', nodeId), of('node_id', 'is', null)]));
  }
}
