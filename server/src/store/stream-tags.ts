import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import { PreparedQuery } from './prepared-query.ts';

/** Tags by stream, in the order in which they were entered; of all streams without a list of ids. */
export async function tagsOf(
  db: Kysely<Database>,
  streamIds?: readonly number[],
): Promise<Map<number, string[]>> {
  const tags = new Map<number, string[]>();
  if (streamIds?.length === 0) return tags;
  const rows = await db
    .selectFrom('stream_tags')
    .select(['stream_id', 'tag'])
    .$if(streamIds !== undefined, (query) => query.where('stream_id', 'in', streamIds ?? []))
    .orderBy('stream_id')
    .orderBy('position')
    .execute();
  for (const { stream_id: id, tag } of rows) {
    const list = tags.get(id);
    if (list) list.push(tag);
    else tags.set(id, [tag]);
  }
  return tags;
}

/** The tags of one stream, in that order. */
export function preparedTags(db: Kysely<Database>): PreparedQuery<{ streamId: number }, { tag: string }> {
  return new PreparedQuery(db, ({ streamId }) =>
    db.selectFrom('stream_tags').select('tag').where('stream_id', '=', streamId).orderBy('position'),
  );
}
