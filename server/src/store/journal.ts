import type { JournalDetail, JournalKind } from '@vidette/contract/journal';
import {
  sql,
  type Insertable,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type Transaction,
} from 'kysely';
import { keyOf } from '../base/search-key.ts';
import type { Database, Engine } from './database.ts';
import { BegunEntries } from './journal-begun.ts';
import { newestRevision, saveRevision } from './journal-revision.ts';
import { journalMapping, type JournalRecord, type JournalRow } from './journal-row.ts';
import {
  entriesByIds,
  entriesSince,
  journalPage,
  markReviewed,
  unreviewedCount,
  type JournalPage,
  type JournalQuery,
  type JournalReview,
  type SeenJournalEntry,
} from './journal-pages.ts';
import { trimJournal, type JournalBounds } from './journal-trim.ts';
import type { ListViewer } from './stream-list.ts';
import { streamIds } from './streams.ts';

/** What an entry is about, and its facts. */
interface Occurrence {
  readonly kind: JournalKind;
  /** The stream; null: the server. Entries of unknown streams are left out. */
  readonly uid: string | null;
  readonly startMs: number;
  readonly detail?: Partial<JournalDetail>;
}

/** A moment, or a span whose end may still move. The same key again updates the entry. */
interface JournalPut extends Occurrence {
  readonly type: 'put';
  /** Unique among the entries of this kind. */
  readonly key: string;
  readonly endMs: number | null;
  readonly note?: string;
  /** The only user who may see it. */
  readonly userId?: number;
}

/**
 * Something begins that lasts. A stream, or a subject of the server, has one open entry per kind: beginning it again
 * changes nothing, and beginning it soon after its end continues the entry and counts it.
 */
export interface JournalBegin extends Occurrence {
  readonly type: 'begin';
}

/** It ends. Nothing happens if it is not going on. For the server, code and subject of `detail` say what ends. */
interface JournalEnd {
  readonly type: 'end';
  readonly kind: JournalKind;
  readonly uid: string | null;
  readonly detail?: Partial<JournalDetail>;
  readonly endMs: number;
}

export type JournalChange = JournalPut | JournalBegin | JournalEnd;

/** An entry as it is after a write. */
export interface WrittenEntry extends JournalRecord {
  /** `added`: it is new; `resumed`: it had ended and goes on; `updated`: it has ended, or its facts changed. */
  readonly change: 'added' | 'resumed' | 'updated';
  readonly uid: string | null;
}

/** Runs inside the transaction that writes the entries; if it rejects, nothing is written. */
export type JournalHook = (db: Transaction<Database>, entries: readonly WrittenEntry[]) => Promise<void>;

/** What begins again within this time continues the entry: a source that flaps has one entry, not thousands. */
export const mergeMs = 60_000;
/** The transactions of all nodes that write the journal follow one another, so that revisions appear in order. */
const postgresLock = 7_305_223_451;

const noDetail: JournalDetail = {
  ...{ code: null, reason: null, subject: null, user: null, address: null },
  figures: {},
};

/** What happened, one row per occurrence (design/events.md). */
export class Journal {
  readonly #db: Kysely<Database>;
  readonly #engine: Engine;
  #hook: JournalHook = () => Promise.resolve();

  constructor(db: Kysely<Database>, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** To be set once, before the first write. */
  onWritten(hook: JournalHook): void {
    this.#hook = hook;
  }

  /**
   * Writes changes in their order, all or none, with what the hook writes; a function may write what they are about in the
   * same transaction. Returns the entries that were added or changed.
   */
  append(
    prepared: readonly JournalChange[] | ((db: Transaction<Database>) => Promise<readonly JournalChange[]>),
  ): Promise<WrittenEntry[]> {
    return this.#db.transaction().execute(async (db) => {
      if (this.#engine === 'postgres') await sql`select pg_advisory_xact_lock(${postgresLock})`.execute(db);
      const changes = typeof prepared === 'function' ? await prepared(db) : prepared;
      if (changes.length === 0) return [];
      const batch = await JournalBatch.open(db, changes);
      for (const change of changes) await batch.apply(change);
      const entries = await batch.finish();
      if (entries.length > 0) await this.#hook(db, entries);
      return entries;
    });
  }

  /** One page that a viewer may see, newest first. */
  page(viewer: ListViewer, query: JournalQuery): Promise<JournalPage> {
    return journalPage(this.#db, viewer, query);
  }

  /** Those of the entries that a viewer may see. */
  seen(viewer: ListViewer, ids: readonly number[]): Promise<SeenJournalEntry[]> {
    return entriesByIds(this.#db, viewer, ids);
  }

  /** Those of the entries that exist, also those that no user may see. */
  async records(ids: readonly number[]): Promise<JournalRecord[]> {
    const rows = await this.#db.selectFrom('journal').selectAll().where('id', 'in', ids).execute();
    return rows.map((row) => journalMapping.read(row));
  }

  /** Ids of the entries written after a revision, oldest revision first, and the newest revision. */
  since(revision: number | undefined): Promise<{ ids: number[]; revision: number }> {
    return entriesSince(this.#db, revision);
  }

  /** Number of unreviewed entries that a viewer may see, up to a limit. */
  countUnreviewed(viewer: ListViewer, limit: number): Promise<number> {
    return unreviewedCount(this.#db, viewer, limit);
  }

  /** Marks entries that a viewer may see. */
  review(viewer: ListViewer, review: JournalReview): Promise<void> {
    return markReviewed(this.#db, viewer, review);
  }

  /** What is going on, of some kinds. */
  async open(kinds: readonly JournalKind[]): Promise<{ entry: JournalRecord; uid: string | null }[]> {
    const rows = await this.#db
      .selectFrom('journal')
      .leftJoin('streams', 'streams.id', 'journal.stream_id')
      .selectAll('journal')
      .select('streams.uid')
      .where('open_key', 'is not', null)
      .where('kind', 'in', kinds)
      .execute();
    return rows.map((row) => ({ entry: journalMapping.read(row), uid: row.uid }));
  }

  /** Deletes entries beyond the bounds. Resolves to their number. */
  trim(bounds: JournalBounds): Promise<number> {
    return trimJournal(this.#db, bounds);
  }
}

/** The changes of one transaction. */
class JournalBatch {
  readonly #db: Transaction<Database>;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #begun: BegunEntries;
  /** Written in this batch, by id. */
  readonly #written = new Map<number, WrittenEntry>();
  #revision: number;

  private constructor(
    db: Transaction<Database>,
    known: { ids: ReadonlyMap<string, number>; begun: BegunEntries; revision: number },
  ) {
    this.#db = db;
    this.#ids = known.ids;
    this.#begun = known.begun;
    this.#revision = known.revision;
  }

  static async open(db: Transaction<Database>, changes: readonly JournalChange[]): Promise<JournalBatch> {
    const ids = await streamIds(db, [...new Set(changes.flatMap(({ uid }) => uid ?? []))]);
    const subjects = changes.flatMap((change) => {
      if (change.type === 'put') return [];
      const streamId = change.uid !== null && change.type === 'begin' ? ids.get(change.uid) : undefined;
      return { kind: change.kind, streamId, openKey: openKeyOf(change) };
    });
    const begun = await BegunEntries.read(db, subjects);
    return new JournalBatch(db, { ids, begun, revision: await newestRevision(db) });
  }

  async apply(change: JournalChange): Promise<void> {
    const streamId = change.uid === null ? null : this.#ids.get(change.uid);
    if (streamId === undefined) return;
    if (change.type === 'put') await this.#put(change, streamId);
    else if (change.type === 'begin') await this.#begin(change, streamId);
    else await this.#end(change);
  }

  /** The entries that were added or changed, in the order of their ids. */
  async finish(): Promise<WrittenEntry[]> {
    if (this.#written.size > 0) await saveRevision(this.#db, this.#revision);
    return [...this.#written.values()].sort((a, b) => a.id - b.id);
  }

  async #put(change: JournalPut, streamId: number | null): Promise<void> {
    const old = await this.#find((rows) =>
      rows.where('kind', '=', change.kind).where('entry_key', '=', change.key),
    );
    const detail = { ...noDetail, ...change.detail };
    if (!old) {
      const { endMs, note = '', key, userId = null } = change;
      await this.#insert(change, { key, streamId, userId, endMs, note, detail, openKey: null });
      return;
    }
    const isSame = old.endMs === change.endMs && JSON.stringify(old.detail) === JSON.stringify(detail);
    if (!isSame) await this.#update(old, { endMs: change.endMs, detail }, change.uid);
  }

  async #begin(change: JournalBegin, streamId: number | null): Promise<void> {
    const detail = { ...noDetail, figures: { count: 1 }, ...change.detail };
    const { kind, startMs, uid } = change;
    const about = uid ?? aboutServer(detail);
    const openKey = openKeyOf(change);
    // The reason may change while it goes on; the entry keeps the first.
    if (this.#begun.openAt(openKey)) return;
    const last =
      streamId === null ? await this.#lastOfServer(kind, about) : this.#begun.newestOf(kind, streamId);
    // It was reported before: an engine delivers again what a front may not have stored.
    if (last && startMs <= last.startMs) return;
    if (last && startMs <= (last.endMs ?? last.startMs) + mergeMs) await this.#resume(last, change);
    else {
      const key = `${about} ${startMs}`;
      await this.#insert(change, { key, streamId, userId: null, endMs: null, note: '', detail, openKey });
    }
  }

  #lastOfServer(kind: JournalKind, about: string): Promise<JournalRecord | undefined> {
    return this.#find((rows) =>
      rows
        .where('stream_id', 'is', null)
        .where('kind', '=', kind)
        .where('entry_key', '>=', `${about} `)
        .where('entry_key', '<', `${about}!`)
        .orderBy('start_ms', 'desc')
        .limit(1),
    );
  }

  async #resume(last: JournalRecord, change: JournalBegin): Promise<void> {
    const count = (last.detail.figures['count'] ?? 1) + 1;
    const detail = {
      ...last.detail,
      figures: { ...last.detail.figures, count, lastStartTime: change.startMs },
    };
    const openKey = openKeyOf(change);
    await this.#update(last, { endMs: null, openKey, detail, isReviewed: false }, change.uid, 'resumed');
  }

  async #end(change: JournalEnd): Promise<void> {
    const { uid, endMs } = change;
    const open = this.#begun.openAt(openKeyOf(change));
    if (!open || endMs < open.startMs) return;
    await this.#update(open, { endMs, openKey: null }, uid);
  }

  async #find(where: (rows: JournalRows) => JournalRows): Promise<JournalRecord | undefined> {
    const row = await where(this.#db.selectFrom('journal').selectAll()).executeTakeFirst();
    return row && journalMapping.read(row);
  }

  async #insert(
    { kind, startMs, uid }: Occurrence,
    rest: Omit<JournalRecord, 'id' | 'revision' | 'kind' | 'startMs' | 'isReviewed'>,
  ): Promise<void> {
    this.#revision++;
    const members = { ...rest, kind, startMs, isReviewed: false, revision: this.#revision };
    const row = await this.#db
      .insertInto('journal')
      .values({ ...journalMapping.row(members), search_key: searchKeyOf(rest) } as Insertable<JournalRow>)
      .returningAll()
      .executeTakeFirstOrThrow();
    const record = journalMapping.read(row);
    this.#begun.note(record);
    this.#written.set(record.id, { ...record, uid, change: 'added' });
  }

  async #update(
    old: JournalRecord,
    changes: Partial<Pick<JournalRecord, 'endMs' | 'openKey' | 'detail' | 'isReviewed'>>,
    uid: string | null,
    change: 'updated' | 'resumed' = 'updated',
  ): Promise<void> {
    this.#revision++;
    const record = { ...old, ...changes, revision: this.#revision };
    await this.#db
      .updateTable('journal')
      .set({
        ...journalMapping.columns({ ...changes, revision: this.#revision }),
        search_key: searchKeyOf(record),
      })
      .where('id', '=', old.id)
      .execute();
    this.#begun.note(record, old);
    const before = this.#written.get(old.id)?.change;
    this.#written.set(old.id, { ...record, uid, change: before === 'added' ? 'added' : change });
  }
}

type JournalRows = SelectQueryBuilder<Database, 'journal', Selectable<JournalRow>>;

/** Of a stream, or a subject of the server, only one entry of a kind is open. */
function openKeyOf({ kind, uid, detail }: JournalBegin | JournalEnd): string {
  return `${kind} ${uid ?? aboutServer(detail)}`;
}

/** What of the server an entry is about: one warning about one subject. */
function aboutServer({ code, subject }: Partial<JournalDetail> = {}): string {
  return `${code ?? ''} ${subject ?? ''}`;
}

function searchKeyOf({ note, detail }: Pick<JournalRecord, 'note' | 'detail'>): string {
  const { code, subject, user, address } = detail;
  return keyOf([note, code, subject, user, address].filter(Boolean).join(' '));
}
