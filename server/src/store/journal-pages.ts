import type { JournalKind } from '@vidette/contract/journal';
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { keyOf } from '../base/search-key.ts';
import type { Database } from './database.ts';
import { newestRevision } from './journal-revision.ts';
import { journalMapping, type JournalRecord } from './journal-row.ts';
import { flag } from './row-mapping.ts';
import { containsAll } from './search.ts';
import { mayWatchArchive, type ListViewer } from './stream-list.ts';
import { isToBeRecorded } from './stream-row.ts';

/** The last entry of a page: the next one begins after it. */
interface JournalCursor {
  readonly startMs: number;
  readonly id: number;
}

export interface JournalQuery {
  /** Entries that begin at or after it. */
  readonly fromMs?: number | undefined;
  /** Entries that begin before it. */
  readonly toMs?: number | undefined;
  /** Entries that end at or after it, or are going on. */
  readonly endFromMs?: number | undefined;
  /** Uids; none: all. */
  readonly streams: readonly string[];
  /** None: all. */
  readonly kinds: readonly JournalKind[];
  readonly tag?: string | undefined;
  /** All of them must be found in the entry or the name of its stream. */
  readonly words: readonly string[];
  readonly isReviewed?: boolean | undefined;
  /** Of streams that are to be recorded and whose archive the viewer may watch. */
  readonly onlyRecorded?: boolean | undefined;
  readonly after?: JournalCursor | undefined;
  readonly limit: number;
}

export interface SeenJournalEntry extends JournalRecord {
  readonly uid: string | null;
  readonly streamName: string | null;
}

export interface JournalPage {
  readonly items: SeenJournalEntry[];
  readonly next: JournalCursor | null;
}

/** Which entries are marked: these, or all that began until a time. */
export type JournalReview = { readonly isReviewed: boolean } & (
  { readonly ids: readonly number[] } | { readonly untilMs: number }
);

/**
 * Rows that one query examines at most. What a filter without an index finds rarely takes several queries, none of which
 * holds up the others: SQLite is read in the thread that serves all requests.
 */
const scanMax = 20_000;
/** Ids in one statement. */
const idsMax = 500;

/** Newest first. A page may have fewer items than its limit although there is a next one. */
export async function journalPage(
  db: Kysely<Database>,
  viewer: ListViewer,
  query: JournalQuery,
): Promise<JournalPage> {
  const narrow = await narrowed(db, query);
  if (!narrow) return { items: [], next: null };
  const examined = examinedRows(narrow);
  const { rows } = await sql<Row>`select j.*, s.uid as uid, s.name as stream_name
    from (${examined}) j left join streams s on s.id = j.stream_id
    where ${mayBeSeen(viewer)} and ${matches(viewer, query)}
    order by j.start_ms desc, j.id desc limit ${query.limit + 1}`.execute(db);
  const items = rows.slice(0, query.limit).map(read);
  const last = items.at(-1);
  if (rows.length > query.limit && last) return { items, next: { startMs: last.startMs, id: last.id } };
  const edge = await sql<{ start_ms: number; id: number }>`
    select start_ms, id from (${examined}) j order by start_ms desc, id desc
    limit 1 offset ${scanMax - 1}`.execute(db);
  const [end] = edge.rows;
  return { items, next: end ? { startMs: Number(end.start_ms), id: Number(end.id) } : null };
}

/** Those of the entries that a viewer may see, in no particular order. */
export async function entriesByIds(
  db: Kysely<Database>,
  viewer: ListViewer,
  ids: readonly number[],
): Promise<SeenJournalEntry[]> {
  const found: SeenJournalEntry[] = [];
  for (let start = 0; start < ids.length; start += idsMax) {
    const { rows } = await sql<Row>`select j.*, s.uid as uid, s.name as stream_name
      from journal j left join streams s on s.id = j.stream_id
      where j.id in (${sql.join(ids.slice(start, start + idsMax))}) and ${mayBeSeen(viewer)}`.execute(db);
    found.push(...rows.map(read));
  }
  return found;
}

/** The ids of entries written after a revision; without one, only the newest revision. */
export async function entriesSince(
  db: Kysely<Database>,
  revision: number | undefined,
): Promise<{ ids: number[]; revision: number }> {
  const now = await newestRevision(db);
  if (revision === undefined || now <= revision) return { ids: [], revision: now };
  const rows = await db
    .selectFrom('journal')
    .select(['id', 'revision'])
    .where('revision', '>', revision)
    .orderBy('revision')
    .limit(idsMax)
    .execute();
  const last = rows.length < idsMax ? now : Number(rows.at(-1)?.revision ?? now);
  return { ids: rows.map(({ id }) => id), revision: last };
}

/** Counts at most `limit`, among the newest unreviewed entries. */
export async function unreviewedCount(
  db: Kysely<Database>,
  viewer: ListViewer,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from (
    select j.id from (select * from journal where is_reviewed = 0
      order by start_ms desc, id desc limit ${scanMax}) j
    left join streams s on s.id = j.stream_id
    where ${mayBeSeen(viewer)} limit ${limit}) counted`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

/** Marks those of the entries that a viewer may see. */
export async function markReviewed(
  db: Kysely<Database>,
  viewer: ListViewer,
  review: JournalReview,
): Promise<void> {
  const to = flag(review.isReviewed);
  const from = flag(!review.isReviewed);
  if ('ids' in review) {
    for (let start = 0; start < review.ids.length; start += idsMax) {
      const ids = sql.join(review.ids.slice(start, start + idsMax));
      await sql`update journal set is_reviewed = ${to} where id in (
        select j.id from journal j left join streams s on s.id = j.stream_id
        where j.id in (${ids}) and ${mayBeSeen(viewer)})`.execute(db);
    }
    return;
  }
  let changed: number;
  do {
    const result = await sql`update journal set is_reviewed = ${to} where id in (
      select j.id from journal j left join streams s on s.id = j.stream_id
      where j.is_reviewed = ${from} and j.start_ms <= ${review.untilMs} and ${mayBeSeen(viewer)}
      order by j.start_ms desc limit ${scanMax})`.execute(db);
    changed = Number(result.numAffectedRows ?? 0n);
  } while (changed === scanMax);
}

type Row = Parameters<typeof journalMapping.read>[0] & { uid: string | null; stream_name: string | null };

function read(row: Row): SeenJournalEntry {
  return { ...journalMapping.read(row), uid: row.uid, streamName: row.stream_name };
}

interface Narrowed extends Pick<JournalQuery, 'fromMs' | 'toMs' | 'after'> {
  readonly streamId: number | undefined;
  readonly kind: JournalKind | undefined;
}

/** What an index finds. Undefined: no entry can match. */
async function narrowed(db: Kysely<Database>, query: JournalQuery): Promise<Narrowed | undefined> {
  const { streams, kinds } = query;
  const [uid] = streams;
  let streamId: number | undefined;
  if (streams.length === 1 && uid !== undefined) {
    streamId = (await db.selectFrom('streams').select('id').where('uid', '=', uid).executeTakeFirst())?.id;
    if (streamId === undefined) return undefined;
  }
  return { ...query, streamId, kind: kinds.length === 1 ? kinds[0] : undefined };
}

/** The newest entries that an index finds, as many as one query examines. */
function examinedRows({ fromMs, toMs, after, streamId, kind }: Narrowed) {
  const conditions: RawBuilder<SqlBool>[] = [sql`1 = 1`];
  if (fromMs !== undefined) conditions.push(sql`start_ms >= ${fromMs}`);
  if (toMs !== undefined) conditions.push(sql`start_ms < ${toMs}`);
  if (after !== undefined) conditions.push(sql`(start_ms, id) < (${after.startMs}, ${after.id})`);
  if (streamId !== undefined) conditions.push(sql`stream_id = ${streamId}`);
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`);
  return sql`select * from journal where ${sql.join(conditions, sql` and `)}
    order by start_ms desc, id desc limit ${scanMax}`;
}

function matches(viewer: ListViewer, query: JournalQuery): RawBuilder<SqlBool> {
  const { endFromMs, streams, kinds, tag, words, isReviewed, onlyRecorded } = query;
  const conditions: RawBuilder<SqlBool>[] = [containsAll(['j.search_key', 's.name_key'], words)];
  if (streams.length > 1) conditions.push(sql`s.uid in (${sql.join(streams)})`);
  if (kinds.length > 1) conditions.push(sql`j.kind in (${sql.join(kinds)})`);
  if (isReviewed !== undefined) conditions.push(sql`j.is_reviewed = ${flag(isReviewed)}`);
  if (endFromMs !== undefined)
    conditions.push(sql`(j.open_key is not null or coalesce(j.end_ms, j.start_ms) >= ${endFromMs})`);
  if (onlyRecorded) conditions.push(sql`${isToBeRecorded('s')} and ${mayWatchArchive(viewer, 's')}`);
  if (tag !== undefined)
    conditions.push(sql`exists (select 1 from stream_tags t
      where t.stream_id = j.stream_id and t.tag_key = ${keyOf(tag)})`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

/**
 * Who may see an entry: one that belongs to a user, only they; of a stream, those who may view it, or watch its archive
 * where it is about footage, or share it where it is about its link; of the server, administrators.
 */
function mayBeSeen({ userId, isAdmin }: ListViewer): RawBuilder<SqlBool> {
  const isOwn = sql<SqlBool>`(j.user_id is null or j.user_id = ${userId})`;
  if (isAdmin) return isOwn;
  return sql`(${isOwn} and ((j.stream_id is null and j.user_id is not null) or s.created_by = ${userId}
    or exists (select 1 from permissions p where p.stream_id = j.stream_id and p.user_id = ${userId}
      and p.can_view = 1
      and (p.can_archive = 1 or j.kind not in ('motion', 'annotation', 'gap'))
      and (p.can_share = 1 or j.kind <> 'share-opened'))))`;
}
