import { sql, type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { keyOf, type BookmarkRow, type Database } from './database.ts';
import { containsAll } from './search.ts';
import type { ListViewer } from './stream-list.ts';

export type BookmarkRecord = Selectable<BookmarkRow> & {
  readonly uid: string;
  readonly stream_name: string;
  readonly creator_login: string | null;
};
export type NewBookmark = Omit<Insertable<BookmarkRow>, 'note_key'>;
export type BookmarkChanges = Omit<Updateable<BookmarkRow>, 'id' | 'note_key'>;

export interface BookmarkQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly stream?: string | undefined;
  /** All must be found in the note or the stream's name. */
  readonly words: readonly string[];
}

export class Bookmarks {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  byId(id: number): Promise<BookmarkRecord | undefined> {
    return this.#withNames().where('bookmarks.id', '=', id).executeTakeFirst();
  }

  /** Latest bookmarks first, on streams whose archive the viewer may watch. */
  async list(viewer: ListViewer, query: BookmarkQuery): Promise<{ items: BookmarkRecord[]; total: number }> {
    const found = this.#withNames()
      .where(containsAll(['bookmarks.note_key', 'streams.name_key'], query.words))
      .$if(query.stream !== undefined, (rows) =>
        rows.where('bookmarks.stream_id', '=', (of) =>
          of
            .selectFrom('streams as asked')
            .select('asked.id')
            .where('asked.uid', '=', query.stream ?? ''),
        ),
      )
      .$if(!viewer.isAdmin, (rows) => rows.where(mayWatchArchive(viewer)));
    const { n } = await found
      .clearSelect()
      .select((of) => of.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    const items = await found
      .orderBy('bookmarks.start_ms', 'desc')
      .orderBy('bookmarks.id', 'desc')
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items, total: Number(n) };
  }

  async add(bookmark: NewBookmark): Promise<number> {
    const { id } = await this.#db
      .insertInto('bookmarks')
      .values({ ...bookmark, note_key: keyOf(bookmark.note) })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async save(id: number, changes: BookmarkChanges): Promise<void> {
    const note = changes.note === undefined ? {} : { note_key: keyOf(changes.note) };
    await this.#db
      .updateTable('bookmarks')
      .set({ ...changes, ...note })
      .where('id', '=', id)
      .execute();
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('bookmarks').where('id', '=', id).execute();
  }

  #withNames() {
    // The cross join fixes the order, from the bookmarks to their streams: SQLite would rather scan ten
    // thousand streams for those with bookmarks, of which it assumes very many while the table is empty.
    return this.#db
      .selectFrom('bookmarks')
      .crossJoin('streams')
      .whereRef('streams.id', '=', 'bookmarks.stream_id')
      .leftJoin('users', 'users.id', 'bookmarks.user_id')
      .selectAll('bookmarks')
      .select(['streams.uid', 'streams.name as stream_name', 'users.login as creator_login']);
  }
}

function mayWatchArchive(viewer: ListViewer) {
  return sql<boolean>`(streams.created_by = ${viewer.userId} or exists (select 1 from permissions as p
    where p.user_id = ${viewer.userId} and p.stream_id = streams.id and p.can_view = 1 and p.can_archive = 1))`;
}
