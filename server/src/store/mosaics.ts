import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { keyOf, type Database, type MosaicRow } from './database.ts';
import { containsAll } from './search.ts';
import type { ListViewer } from './stream-list.ts';

export type MosaicRecord = Selectable<MosaicRow> & { readonly creator_login: string | null };
export type NewMosaic = Omit<Insertable<MosaicRow>, 'name_key'>;
export type MosaicChanges = Omit<Updateable<MosaicRow>, 'id' | 'name_key'>;

export class Mosaics {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  byId(id: number): Promise<MosaicRecord | undefined> {
    return this.#withCreator().where('mosaics.id', '=', id).executeTakeFirst();
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
    const items = await found
      .orderBy('mosaics.name_key')
      .orderBy('mosaics.id')
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items, total: Number(n) };
  }

  async add(mosaic: NewMosaic): Promise<number> {
    const { id } = await this.#db
      .insertInto('mosaics')
      .values({ ...mosaic, name_key: keyOf(mosaic.name) })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async save(id: number, changes: MosaicChanges): Promise<void> {
    const name = changes.name === undefined ? {} : { name_key: keyOf(changes.name) };
    await this.#db
      .updateTable('mosaics')
      .set({ ...changes, ...name })
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
