import {
  sql,
  type Kysely,
  type OrderByItemBuilder,
  type RawBuilder,
  type Selectable,
  type SqlBool,
} from 'kysely';
import type { streamSorts } from '@vidette/contract/calls/streams';
import type { Database, Engine } from './database.ts';
import type { StreamRights } from './permissions.ts';
import { PreparedQuery } from './prepared-query.ts';
import { allOf, containsAll } from './search.ts';
import type { StreamAddresses } from './stream-addresses.ts';
import { keptHours, type StreamRecord, type StreamRow } from './stream-row.ts';
import { preparedTags, tagsOf } from './stream-tags.ts';

/** The user for whom a list is read. */
export interface ListViewer {
  readonly userId: number;
  readonly isAdmin: boolean;
}

/** The figures of the footage are sorted by only where the viewer may see them. */
export type StreamSort = (typeof streamSorts)[number];

/** Orders by what is not in the database. */
export type FigureSort = Extract<StreamSort, 'viewers' | 'share' | 'oldest' | 'bitrate'>;

export function isFigureSort(sort: StreamSort): sort is FigureSort {
  return sort === 'viewers' || sort === 'share' || sort === 'oldest' || sort === 'bitrate';
}

export interface StreamQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly sort: StreamSort;
  readonly descending: boolean;
  /** For a sort by figures: those of the streams that have one, by uid. */
  readonly figures?: ReadonlyMap<string, number>;
  /** A stream appears once under each of its tags, untagged streams at the end. */
  readonly byTag: boolean;
  readonly onlyAvailable: boolean;
  /** Those with a public link that the viewer may share. */
  readonly onlyPublic?: boolean;
  /** All words must be found in the name, source, tags or location name. */
  readonly words: readonly string[];
}

/** A stream with the viewer's rights on it. */
export interface SeenStream {
  readonly stream: StreamRecord;
  readonly rights: StreamRights;
  readonly createdBy: string | null;
}

interface ListedStreamRecord extends SeenStream {
  readonly group: string | null;
}

export interface StreamPage {
  readonly items: ListedStreamRecord[];
  readonly total: number;
  readonly groups: { name: string | null; total: number }[];
}

/** Streams under one tag; `key` is null for the untagged. */
interface StreamGroup {
  readonly key: string | null;
  readonly name: string | null;
  readonly total: number;
}

interface TouchedGroups {
  readonly keys: readonly string[];
  /** Number of rows before its first. */
  readonly before: number;
}

const allRights: StreamRights = { view: true, archive: true, share: true, edit: true };
const noRights: StreamRights = { view: false, archive: false, share: false, edit: false };

const nameSort = sql`streams.name_sort`;
const firstTag = sql`(select min(t.tag_sort) from stream_tags as t where t.stream_id = streams.id)`;

/**
 * Reads streams as one user may see them. Streams that the user may not view are neither listed nor counted.
 */
export class StreamListing {
  readonly #db: Kysely<Database>;

  readonly #addresses: StreamAddresses;

  readonly #engine: Engine;

  /** Most calls look up one stream. */
  readonly #one: PreparedQuery<{ uid: string; userId: number }, RowWithRights>;

  readonly #tagsOfOne: ReturnType<typeof preparedTags>;

  constructor(db: Kysely<Database>, addresses: StreamAddresses, engine: Engine) {
    this.#db = db;
    this.#addresses = addresses;
    this.#engine = engine;
    this.#one = new PreparedQuery(db, ({ uid, userId }) =>
      this.#withRights({ userId }).where('streams.uid', '=', uid),
    );
    this.#tagsOfOne = preparedTags(db);
  }

  /** One stream and the viewer's rights on it, which may be none. */
  async find(viewer: ListViewer, uid: string): Promise<SeenStream | undefined> {
    const [row] = await this.#one.rows({ uid, userId: viewer.userId });
    if (!row) return undefined;
    const tags = await this.#tagsOfOne.rows({ streamId: row.id });
    return this.#seen(
      viewer,
      row,
      tags.map(({ tag }) => tag),
    );
  }

  /** Those of the named streams that the viewer may view, in no particular order. */
  async findMany(viewer: ListViewer, uids: readonly string[]): Promise<SeenStream[]> {
    if (uids.length === 0) return [];
    const rows = await this.#withRights(viewer)
      .where('streams.uid', 'in', uids)
      .$if(!viewer.isAdmin, (found) => found.where(mayView(viewer)))
      .execute();
    return rows.map((row) => this.#seen(viewer, row, []));
  }

  async page(viewer: ListViewer, query: StreamQuery): Promise<StreamPage> {
    return query.byTag ? this.#pageByTag(viewer, query) : this.#plainPage(viewer, query);
  }

  /** Uids of the streams that the viewer may view; undefined for an administrator, who may view all. */
  async viewableUids(viewer: ListViewer): Promise<Set<string> | undefined> {
    if (viewer.isAdmin) return undefined;
    const rows = await this.#db.selectFrom('streams').select('uid').where(mayView(viewer)).execute();
    return new Set(rows.map((row) => row.uid));
  }

  /** Tags on the streams that the viewer may view, with the number of streams for each. */
  async tags(viewer: ListViewer): Promise<{ name: string; total: number }[]> {
    const rows = await this.#db
      .selectFrom('stream_tags')
      .innerJoin('streams', 'streams.id', 'stream_tags.stream_id')
      .where(mayView(viewer))
      .select((of) => [of.fn.min('stream_tags.tag').as('name'), of.fn.countAll<number>().as('n')])
      .groupBy('stream_tags.tag_key')
      .orderBy((of) => of.fn.min('stream_tags.tag_sort'))
      .orderBy('stream_tags.tag_key')
      .execute();
    return rows.map((row) => ({ name: String(row.name), total: Number(row.n) }));
  }

  async #plainPage(viewer: ListViewer, query: StreamQuery): Promise<StreamPage> {
    const { n } = await this.#db
      .selectFrom('streams')
      .select((of) => of.fn.countAll<number>().as('n'))
      .where(matches(viewer, query))
      .executeTakeFirstOrThrow();
    const direction = query.descending ? 'desc' : 'asc';
    let found = this.#withFigures(viewer, query).where(matches(viewer, query));
    for (const [by, inDirection] of orderOf(viewer, query)) found = found.orderBy(by, inDirection);
    const rows = await found
      .orderBy('streams.id', direction)
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .execute();
    const tags = await tagsOf(
      this.#db,
      rows.map((row) => row.id),
    );
    const items = rows.map((row) => ({ ...this.#seen(viewer, row, tags.get(row.id) ?? []), group: null }));
    return { items, total: Number(n), groups: [] };
  }

  async #pageByTag(viewer: ListViewer, query: StreamQuery): Promise<StreamPage> {
    const groups = await this.#groups(viewer, query);
    const total = groups.reduce((sum, group) => sum + group.total, 0);
    // Only the groups on the page are sorted: a few hundred of ten thousand streams.
    const offset = (query.page - 1) * query.pageSize;
    const tagged = groups.filter((group) => group.key !== null);
    const taggedTotal = tagged.reduce((sum, group) => sum + group.total, 0);
    const touched = groupsBetween(tagged, offset, offset + query.pageSize);
    const ofTags = touched.keys.length === 0 ? [] : await this.#rowsOfTags(viewer, query, touched, offset);
    const rest = query.pageSize - ofTags.length;
    const isUntaggedDue = total > taggedTotal && rest > 0;
    const untagged = isUntaggedDue
      ? await this.#untaggedRows(viewer, query, { limit: rest, offset: Math.max(0, offset - taggedTotal) })
      : [];
    const rows = [...ofTags, ...untagged];
    const tags = await tagsOf(this.#db, [...new Set(rows.map((row) => row.id))]);
    return {
      items: rows.map((row) => ({
        ...this.#seen(viewer, row, tags.get(row.id) ?? []),
        group: row.group_tag,
      })),
      total,
      groups: groups.map(({ name, total: ofGroup }) => ({ name, total: ofGroup })),
    };
  }

  /** All groups in order, untagged streams last. */
  async #groups(viewer: ListViewer, query: StreamQuery): Promise<StreamGroup[]> {
    if (viewer.isAdmin && query.words.length === 0 && !query.onlyAvailable && !query.onlyPublic)
      return this.#allGroups();
    const rows = await this.#db
      .selectFrom('streams')
      .leftJoin('stream_tags', 'stream_tags.stream_id', 'streams.id')
      .where(matches(viewer, query))
      .select((of) => [
        'stream_tags.tag_key as key',
        of.fn.min('stream_tags.tag').as('name'),
        of.fn.countAll<number>().as('n'),
      ])
      .groupBy('stream_tags.tag_key')
      .orderBy(sql`stream_tags.tag_key is null`)
      .orderBy((of) => of.fn.min('stream_tags.tag_sort'))
      .orderBy('stream_tags.tag_key')
      .execute();
    return rows.map(({ key, name, n }) => ({ key, name, total: Number(n) }));
  }

  /** The groups of all streams: counted in the tags table alone, which is three times as fast. */
  async #allGroups(): Promise<StreamGroup[]> {
    const rows = await this.#db
      .selectFrom('stream_tags')
      .select((of) => ['tag_key as key', of.fn.min('tag').as('name'), of.fn.countAll<number>().as('n')])
      .groupBy('tag_key')
      .orderBy((of) => of.fn.min('tag_sort'))
      .orderBy('tag_key')
      .execute();
    const { untagged } = await this.#db
      .selectNoFrom(
        sql<number>`(select count(*) from streams) - (select count(distinct stream_id) from stream_tags)`.as(
          'untagged',
        ),
      )
      .executeTakeFirstOrThrow();
    const tagged = rows.map(({ key, name, n }) => ({ key, name, total: Number(n) }));
    return untagged > 0 ? [...tagged, { key: null, name: null, total: Number(untagged) }] : tagged;
  }

  #rowsOfTags(viewer: ListViewer, query: StreamQuery, touched: TouchedGroups, offset: number) {
    const direction = query.descending ? 'desc' : 'asc';
    let found = this.#withFigures(viewer, query)
      .innerJoin('stream_tags', 'stream_tags.stream_id', 'streams.id')
      .select('stream_tags.tag as group_tag')
      .where('stream_tags.tag_key', 'in', touched.keys)
      .where(matches(viewer, query))
      .orderBy('stream_tags.tag_sort')
      .orderBy('stream_tags.tag_key');
    for (const [by, inDirection] of orderOf(viewer, query)) found = found.orderBy(by, inDirection);
    return found
      .orderBy('streams.id', direction)
      .limit(query.pageSize)
      .offset(offset - touched.before)
      .execute();
  }

  #untaggedRows(viewer: ListViewer, query: StreamQuery, window: { limit: number; offset: number }) {
    const direction = query.descending ? 'desc' : 'asc';
    let found = this.#withFigures(viewer, query)
      .select(sql<string | null>`null`.as('group_tag'))
      .where(sql<SqlBool>`not exists (select 1 from stream_tags as t where t.stream_id = streams.id)`)
      .where(matches(viewer, query));
    for (const [by, inDirection] of orderOf(viewer, query)) found = found.orderBy(by, inDirection);
    return found.orderBy('streams.id', direction).limit(window.limit).offset(window.offset).execute();
  }

  #seen(viewer: ListViewer, row: RowWithRights, tags: readonly string[]): SeenStream {
    return {
      stream: this.#addresses.record(row, tags),
      rights: rightsOf(viewer, row),
      createdBy: row.creator_login,
    };
  }

  /** With `figure.value` in the orders that need it. */
  #withFigures(viewer: ListViewer, { figures, sort }: StreamQuery) {
    return this.#withRights(viewer).$if(isFigureSort(sort), (found) =>
      found.leftJoin(figureTable(figures, this.#engine), 'figure.uid', 'streams.uid'),
    );
  }

  #withRights(viewer: Pick<ListViewer, 'userId'>) {
    return this.#db
      .selectFrom('streams')
      .leftJoin('users as creator', 'creator.id', 'streams.created_by')
      .leftJoin('permissions', (join) =>
        join.onRef('permissions.stream_id', '=', 'streams.id').on('permissions.user_id', '=', viewer.userId),
      )
      .selectAll('streams')
      .select([
        'creator.login as creator_login',
        'permissions.can_view',
        'permissions.can_archive',
        'permissions.can_share',
        'permissions.can_edit',
      ]);
  }
}

/** The groups that have rows from `start` up to `end`, counted over all groups in order. */
function groupsBetween(groups: readonly StreamGroup[], start: number, end: number): TouchedGroups {
  const keys: string[] = [];
  let before = 0;
  let place = 0;
  for (const { key, total } of groups) {
    if (place >= end) break;
    if (place + total <= start) before = place + total;
    else if (key !== null) keys.push(key);
    place += total;
  }
  return { keys, before };
}

/**
 * A list of ids instead of a condition on every stream: a user's few hundred are found by index among ten
 * thousand.
 */
function mayView(viewer: ListViewer): RawBuilder<SqlBool> {
  if (viewer.isAdmin) return sql`1 = 1`;
  return sql`streams.id in (
    select stream_id from permissions where user_id = ${viewer.userId} and can_view = 1
    union select id from streams where created_by = ${viewer.userId})`;
}

/** For each stream that another condition has found. @param streams the alias of `streams` in the query */
export function mayWatchArchive({ userId, isAdmin }: ListViewer, streams: string): RawBuilder<SqlBool> {
  if (isAdmin) return sql`1 = 1`;
  return sql`(${sql.ref(`${streams}.created_by`)} = ${userId} or exists (select 1 from permissions p
    where p.stream_id = ${sql.ref(`${streams}.id`)} and p.user_id = ${userId} and p.can_view = 1 and p.can_archive = 1))`;
}

function mayShare(viewer: ListViewer): RawBuilder<SqlBool> {
  if (viewer.isAdmin) return sql`1 = 1`;
  return sql`(streams.created_by = ${viewer.userId} or streams.id in (
    select stream_id from permissions where user_id = ${viewer.userId} and can_view = 1 and can_share = 1))`;
}

/** As a table that the engine can index for one query. */
function figureTable(figures: ReadonlyMap<string, number> | undefined, engine: Engine) {
  const json = JSON.stringify(Object.fromEntries(figures ?? []));
  const rows =
    engine === 'postgres'
      ? sql<FigureRow>`(select key as uid, value::float8 as value from jsonb_each_text(${json}::jsonb))`
      : // Without a limit SQLite would run through the text once for each stream.
        sql<FigureRow>`(select cast(key as text) as uid, value from json_each(${json}) limit -1)`;
  return rows.as<'figure'>('figure');
}

interface FigureRow {
  uid: string;
  value: number | null;
}

type OrderTerm = readonly [
  by: RawBuilder<unknown>,
  inDirection: (order: OrderByItemBuilder) => OrderByItemBuilder,
];

/** Streams without the value come last in both directions. */
function orderOf(viewer: ListViewer, { sort, descending }: StreamQuery): OrderTerm[] {
  const upOrDown = (order: OrderByItemBuilder) => (descending ? order.desc() : order.asc());
  const inOrder = (...columns: RawBuilder<unknown>[]): OrderTerm[] => columns.map((by) => [by, upOrDown]);
  const missingLast = (by: RawBuilder<unknown>): OrderTerm[] => [
    [by, (order) => upOrDown(order).nullsLast()],
    [nameSort, (order) => order.asc()],
  ];
  switch (sort) {
    case 'name':
      return inOrder(nameSort);
    case 'createdAt':
      return inOrder(sql`streams.created_ms`);
    case 'status':
      return inOrder(sql`streams.status`, nameSort);
    case 'location':
      return inOrder(sql`streams.location_sort`, nameSort);
    case 'depth':
      return missingLast(keptHours);
    case 'tags':
      return missingLast(firstTag);
    case 'viewers':
      return missingLast(sql`figure.value`);
    case 'share':
    case 'oldest':
    case 'bitrate':
      return missingLast(viewer.isAdmin ? sql`figure.value` : ofArchive(viewer));
  }
}

/** The figure of a stream whose archive the viewer may see. */
function ofArchive({ userId }: ListViewer) {
  return sql`case when streams.created_by = ${userId} or permissions.can_archive = 1 then figure.value end`;
}

function matches(viewer: ListViewer, query: StreamQuery): RawBuilder<SqlBool> {
  const conditions = [mayView(viewer), containsAll(['streams.search_text'], query.words)];
  if (query.onlyAvailable) conditions.push(sql`streams.status in ('pending', 'running')`);
  if (query.onlyPublic) conditions.push(sql`streams.share_key is not null`, mayShare(viewer));
  return allOf(conditions);
}

type RowWithRights = Selectable<StreamRow> & {
  creator_login: string | null;
  can_view: number | null;
  can_archive: number | null;
  can_share: number | null;
  can_edit: number | null;
};

function rightsOf(viewer: ListViewer, row: RowWithRights): StreamRights {
  if (viewer.isAdmin || row.created_by === viewer.userId) return allRights;
  if (row.can_view !== 1) return noRights;
  return {
    view: true,
    archive: row.can_archive === 1,
    share: row.can_share === 1,
    edit: row.can_edit === 1,
  };
}
