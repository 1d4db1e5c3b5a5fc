import type { Kysely, Selectable } from 'kysely';
import { keyOf } from '../base/search-key.ts';
import type { BookmarkRow, Database } from './database.ts';
import { rowMapping, type Edited } from './row-mapping.ts';
import { containsAll } from './search.ts';
import { mayWatchArchive, type ListViewer } from './stream-list.ts';

/** A user's mark on the timeline of a stream. Times are milliseconds since the epoch. */
interface StoredBookmark {
  readonly id: number;
  readonly streamId: number;
  /** The author's id; null when that user has been deleted. */
  readonly userId: number | null;
  readonly startMs: number;
  /** Null: it marks a point in time. */
  readonly endMs: number | null;
  readonly note: string;
  readonly createdMs: number;
}

export interface BookmarkRecord extends StoredBookmark {
  /** Of the stream. */
  readonly uid: string;
  readonly streamName: string;
  /** The author's login; null when that user has been deleted. */
  readonly creatorLogin: string | null;
}

export type NewBookmark = Omit<StoredBookmark, 'id'>;
export type BookmarkChanges = Edited<StoredBookmark, 'startMs' | 'endMs' | 'note'>;

const mapping = rowMapping<BookmarkRow, StoredBookmark>({
  id: 'id',
  streamId: 'stream_id',
  userId: 'user_id',
  startMs: 'start_ms',
  endMs: 'end_ms',
  note: 'note',
  createdMs: 'created_ms',
});

export interface BookmarkQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly stream?: string | undefined;
  /** All words must be found in the note or the stream's name. */
  readonly words: readonly string[];
}

export class Bookmarks {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async byId(id: number): Promise<BookmarkRecord | undefined> {
    const row = await this.#withNames().where('bookmarks.id', '=', id).executeTakeFirst();
    return row && recordOf(row);
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
      .where(mayWatchArchive(viewer, 'streams'));
    const { n } = await found
      .clearSelect()
      .select((of) => of.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    const rows = await found
      .orderBy('bookmarks.start_ms', 'desc')
      .orderBy('bookmarks.id', 'desc')
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    return { items: rows.map(recordOf), total: Number(n) };
  }

  async add(bookmark: NewBookmark): Promise<number> {
    const { id } = await this.#db
      .insertInto('bookmarks')
      .values({ ...mapping.row(bookmark), note_key: keyOf(bookmark.note) })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async save(id: number, changes: BookmarkChanges): Promise<void> {
    const columns = mapping.columns(changes);
    if (Object.keys(columns).length === 0) return;
    const note = changes.note === undefined ? {} : { note_key: keyOf(changes.note) };
    await this.#db
      .updateTable('bookmarks')
      .set({ ...columns, ...note })
      .where('id', '=', id)
      .execute();
  }

  async remove(id: number): Promise<void> {
    await this.#db.deleteFrom('bookmarks').where('id', '=', id).execute();
  }

  #withNames() {
    // The cross join fixes the order, from the bookmarks to their streams: SQLite would otherwise scan ten
    // thousand streams for those with bookmarks, because it assumes very many bookmarks while the table is
    // empty.
    return this.#db
      .selectFrom('bookmarks')
      .crossJoin('streams')
      .whereRef('streams.id', '=', 'bookmarks.stream_id')
      .leftJoin('users', 'users.id', 'bookmarks.user_id')
      .selectAll('bookmarks')
      .select(['streams.uid', 'streams.name as stream_name', 'users.login as creator_login']);
  }
}

function recordOf(
  row: Selectable<BookmarkRow> & { uid: string; stream_name: string; creator_login: string | null },
): BookmarkRecord {
  const { uid, stream_name: streamName, creator_login: creatorLogin } = row;
  return { ...mapping.read(row), uid, streamName, creatorLogin };
}
