import type { ExportFailure } from '@vidette/contract/entities';
import type { Kysely } from 'kysely';
import type { Database, ExportFileRow, ExportRow } from './database.ts';
import { jsonColumn, rowMapping, type Edited } from './row-mapping.ts';

/** A stream as it was when the export was requested. */
export interface ExportedStream {
  readonly uid: string;
  readonly name: string;
}

/** What an export shows that is a digest. Times are milliseconds since the epoch. */
export interface ExportedDigest {
  readonly speed: number;
  /** Of the file, ms. */
  readonly lengthMs: number;
  /** IANA name: for the clock in the picture. */
  readonly timeZone: string;
  readonly language: 'en' | 'ru';
  readonly parts: readonly ExportedPart[];
}

/** A clip or a gap. Few bytes each, because there may be thousands. */
export type ExportedPart = readonly [
  type: 'clip' | 'gap',
  /** Place of its stream in those of the export. */
  stream: number,
  fromMs: number,
  toMs: number,
];

/** A package of footage, or a digest. Times are milliseconds since the epoch. */
export interface ExportRecord {
  readonly id: number;
  /** Who requested it. */
  readonly userId: number;
  readonly name: string;
  readonly streams: readonly ExportedStream[];
  readonly startMs: number;
  readonly endMs: number;
  readonly status: 'queued' | 'running' | 'ready' | 'failed' | typeof cancelledStatus;
  /** Null unless it has failed. */
  readonly failure: ExportFailure | null;
  readonly expectedBytes: number;
  /** Of the whole file; null until it is ready. */
  readonly packageBytes: number | null;
  readonly createdMs: number;
  /** When its files are deleted; null while it is not finished. */
  readonly expiresMs: number | null;
  /** The node that has its files; null: made when there was only one node. */
  readonly nodeId: string | null;
  /** Null: it is a package. */
  readonly digest: ExportedDigest | null;
}

export type NewExport = Omit<ExportRecord, 'id'>;
export type ExportChanges = Edited<ExportRecord, 'status' | 'failure' | 'packageBytes' | 'expiresMs'>;

/** A file of a package that is complete and flushed. */
export interface ExportFileRecord {
  readonly exportId: number;
  /** From 0, in the order of the package. */
  readonly position: number;
  /** Its entry in the manifest, unchecked: its writer knows the shape. */
  readonly facts: unknown;
}

const mapping = rowMapping<ExportRow, ExportRecord>({
  id: 'id',
  userId: 'user_id',
  name: 'name',
  streams: jsonColumn('streams'),
  startMs: 'start_ms',
  endMs: 'end_ms',
  status: 'status',
  failure: 'failure',
  expectedBytes: 'expected_bytes',
  packageBytes: 'package_bytes',
  createdMs: 'created_ms',
  expiresMs: 'expires_ms',
  nodeId: 'node_id',
  digest: jsonColumn('digest'),
});

const fileMapping = rowMapping<ExportFileRow, ExportFileRecord>({
  exportId: 'export_id',
  position: 'position',
  facts: jsonColumn('facts'),
});

/**
 * State of an export that was removed on a node other than its own: it is hidden, and its own node deletes it
 * with its files.
 */
export const cancelledStatus = 'cancelled';

/** Packages of footage that users requested, and which of their files are finished. */
export class ExportRecords {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async byId(id: number): Promise<ExportRecord | undefined> {
    const row = await this.#db
      .selectFrom('exports')
      .selectAll()
      .where('id', '=', id)
      .where('status', '!=', cancelledStatus)
      .executeTakeFirst();
    return row && mapping.read(row);
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
    const rows = await found
      .selectAll()
      .orderBy('id', 'desc')
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items: rows.map(mapping.read), total: Number(n) };
  }

  async all(): Promise<ExportRecord[]> {
    const rows = await this.#db.selectFrom('exports').selectAll().orderBy('id').execute();
    return rows.map(mapping.read);
  }

  /** The next one for a node to process: started exports come before waiting ones, oldest first. */
  async next(nodeId: string): Promise<ExportRecord | undefined> {
    const row = await this.#ofNode(nodeId)
      .selectAll()
      .where('status', 'in', ['queued', 'running'])
      .orderBy('status', 'desc')
      .orderBy('id')
      .executeTakeFirst();
    return row && mapping.read(row);
  }

  /** Those whose files on a node are due for deletion. */
  async expired(nodeId: string, nowMs: number): Promise<ExportRecord[]> {
    const rows = await this.#ofNode(nodeId).selectAll().where('expires_ms', '<=', nowMs).execute();
    return rows.map(mapping.read);
  }

  /** Exports that users removed on other nodes, while this node has the files. */
  async cancelled(nodeId: string): Promise<ExportRecord[]> {
    const rows = await this.#ofNode(nodeId).selectAll().where('status', '=', cancelledStatus).execute();
    return rows.map(mapping.read);
  }

  /**
   * Those of nodes that are no longer in the cluster, which nothing else deletes: removed by their users, or expired.
   */
  async orphaned(self: string, nowMs: number): Promise<ExportRecord[]> {
    const rows = await this.#db
      .selectFrom('exports')
      .selectAll()
      .where('node_id', 'is not', null)
      .where('node_id', '!=', self)
      .where('node_id', 'not in', (of) => of.selectFrom('nodes').select('nodes.id'))
      .where((of) => of.or([of('status', '=', cancelledStatus), of('expires_ms', '<=', nowMs)]))
      .execute();
    return rows.map(mapping.read);
  }

  async add(record: NewExport): Promise<number> {
    const { id } = await this.#db
      .insertInto('exports')
      .values(mapping.row(record))
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** A cancelled export stays cancelled. */
  async save(id: number, changes: ExportChanges): Promise<void> {
    await this.#db
      .updateTable('exports')
      .set(mapping.columns(changes))
      .where('id', '=', id)
      .where('status', '!=', cancelledStatus)
      .execute();
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('exports').where('id', '=', id).execute();
  }

  /** Finished files, in the order in which they were written. */
  async files(id: number): Promise<ExportFileRecord[]> {
    const rows = await this.#db
      .selectFrom('export_files')
      .selectAll()
      .where('export_id', '=', id)
      .orderBy('position')
      .execute();
    return rows.map(fileMapping.read);
  }

  async addFile(file: ExportFileRecord): Promise<void> {
    await this.#db.insertInto('export_files').values(fileMapping.row(file)).execute();
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
