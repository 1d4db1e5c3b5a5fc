import type { MosaicLayout } from '@vidette/contract/entities';
import type { Kysely, Selectable } from 'kysely';
import { keyOf, sortKeyOf } from '../base/search-key.ts';
import type { Database, MosaicRow } from './database.ts';
import { flagColumn, jsonColumn, rowMapping, type Edited } from './row-mapping.ts';
import { containsAll } from './search.ts';
import type { ListViewer } from './stream-list.ts';

/** A wall of several streams. */
interface StoredMosaic {
  readonly id: number;
  readonly name: string;
  readonly layout: MosaicLayout;
  /** Whether every user may open it. */
  readonly isShared: boolean;
  /** How long a page is shown before the next one; 0: pages do not change automatically. */
  readonly rotationSeconds: number;
  /** The author's id; null when that user has been deleted. */
  readonly createdBy: number | null;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

export interface MosaicRecord extends StoredMosaic {
  /** The author's login; null when that user has been deleted. */
  readonly creatorLogin: string | null;
}

export type NewMosaic = Omit<StoredMosaic, 'id'>;
export type MosaicChanges = Edited<StoredMosaic, 'name' | 'layout' | 'isShared' | 'rotationSeconds'>;

const mapping = rowMapping<MosaicRow, StoredMosaic>({
  id: 'id',
  name: 'name',
  layout: jsonColumn('layout'),
  isShared: flagColumn('is_shared'),
  rotationSeconds: 'rotation_seconds',
  createdBy: 'created_by',
  createdMs: 'created_ms',
});

export class Mosaics {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async byId(id: number): Promise<MosaicRecord | undefined> {
    const row = await this.#withCreator().where('mosaics.id', '=', id).executeTakeFirst();
    return row && recordOf(row);
  }

  /** The viewer's own and the shared ones; all of them for an administrator. */
  async list(
    viewer: ListViewer,
    query: { page: number; pageSize: number; words: readonly string[] },
  ): Promise<{ items: MosaicRecord[]; total: number }> {
    const found = this.#withCreator()
      .where(containsAll(['mosaics.name_key'], query.words))
      .$if(!viewer.isAdmin, (rows) =>
        rows.where((of) =>
          of.or([of('mosaics.created_by', '=', viewer.userId), of('mosaics.is_shared', '=', 1)]),
        ),
      );
    const { n } = await found
      .clearSelect()
      .select((of) => of.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    const rows = await found
      .orderBy('mosaics.name_sort')
      .orderBy('mosaics.id')
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items: rows.map(recordOf), total: Number(n) };
  }

  async add(mosaic: NewMosaic): Promise<number> {
    const { id } = await this.#db
      .insertInto('mosaics')
      .values({ ...mapping.row(mosaic), ...derived(mosaic.name) })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async save(id: number, changes: MosaicChanges): Promise<void> {
    const columns = mapping.columns(changes);
    if (Object.keys(columns).length === 0) return;
    const name = changes.name === undefined ? {} : derived(changes.name);
    await this.#db
      .updateTable('mosaics')
      .set({ ...columns, ...name })
      .where('id', '=', id)
      .execute();
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('mosaics').where('id', '=', id).execute();
  }

  #withCreator() {
    return this.#db
      .selectFrom('mosaics')
      .leftJoin('users', 'users.id', 'mosaics.created_by')
      .selectAll('mosaics')
      .select('users.login as creator_login');
  }
}

function derived(name: string) {
  const key = keyOf(name);
  return { name_key: key, name_sort: sortKeyOf(key) };
}

function recordOf(row: Selectable<MosaicRow> & { creator_login: string | null }): MosaicRecord {
  return { ...mapping.read(row), creatorLogin: row.creator_login };
}
