import { sql, type Kysely } from 'kysely';
import type { AuditRow, Database } from './database.ts';
import { flagColumn, jsonColumn, rowMapping } from './row-mapping.ts';

/** Who did what, and when. */
export interface AuditRecord {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  /** Null: the caller was not signed in. */
  readonly login: string | null;
  readonly ip: string;
  readonly action: string;
  /** The object of the action; null: the call names none. */
  readonly target: string | null;
  /** What the object was called then; null: not known, or the target itself is a name. */
  readonly targetName: string | null;
  readonly outcome: string;
  /** Without secrets. */
  readonly details: Readonly<Record<string, unknown>>;
  /** No person did it, but a program or the page itself. */
  readonly isMachine: boolean;
}

export interface NewAuditEntry extends Omit<AuditRecord, 'id'> {
  /** The target is the uid of a stream, whose name is looked up where `targetName` is null. */
  readonly isOfStream: boolean;
}

const mapping = rowMapping<AuditRow, AuditRecord>({
  id: 'id',
  timeMs: 'time_ms',
  login: 'login',
  ip: 'ip',
  action: 'action',
  target: 'target',
  targetName: 'target_name',
  outcome: 'outcome',
  details: jsonColumn('details'),
  isMachine: flagColumn('is_machine'),
});

/** The columns of a new entry; entries are written within a second, so that a stream still has its name of then. */
function rowOf({ isOfStream, ...entry }: NewAuditEntry) {
  const row = mapping.row(entry);
  if (!isOfStream || entry.targetName !== null) return row;
  const name = sql<string | null>`(select name from streams where uid = ${entry.target})`;
  return { ...row, target_name: name };
}

export interface AuditQuery {
  /** The last entry of the previous page: returns only entries that follow it in the list. */
  readonly before?: number | undefined;
  readonly limit: number;
  readonly login?: string | undefined;
  readonly action?: string | undefined;
  /** The target itself, or what it was called. */
  readonly target?: string | undefined;
  /** Only what people did. */
  readonly onlyPeople?: boolean | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export class Audit {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async addAll(entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#db.insertInto('audit').values(entries.map(rowOf)).execute();
  }

  /** Returns its id. */
  async add(entry: NewAuditEntry): Promise<number> {
    const { id } = await this.#db
      .insertInto('audit')
      .values(rowOf(entry))
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async saveDetails(id: number, details: AuditRecord['details']): Promise<void> {
    await this.#db.updateTable('audit').set(mapping.columns({ details })).where('id', '=', id).execute();
  }

  /**
   * Newest first, with equal times by id: the clock may have been set back, and then ids and times disagree.
   */
  async list(query: AuditQuery): Promise<AuditRecord[]> {
    const last = query.before === undefined ? undefined : await this.#timeOf(query.before);
    const rows = await this.#db
      .selectFrom('audit')
      .selectAll()
      .$if(query.before !== undefined, (rows) =>
        rows.where(
          last === undefined
            ? sql<boolean>`id < ${query.before}`
            : sql<boolean>`(time_ms, id) < (${last}, ${query.before})`,
        ),
      )
      .$if(query.login !== undefined, (rows) => rows.where('login', '=', query.login ?? ''))
      .$if(query.action !== undefined, (rows) => rows.where('action', '=', query.action ?? ''))
      .$if(query.target !== undefined, (rows) =>
        rows.where((of) =>
          of.or([of('target', '=', query.target ?? ''), of('target_name', '=', query.target ?? '')]),
        ),
      )
      .$if(query.onlyPeople === true, (rows) => rows.where('is_machine', '=', 0))
      .$if(query.fromMs !== undefined, (rows) => rows.where('time_ms', '>=', query.fromMs ?? 0))
      .$if(query.toMs !== undefined, (rows) => rows.where('time_ms', '<', query.toMs ?? 0))
      .orderBy('time_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(query.limit)
      .execute();
    return rows.map(mapping.read);
  }

  /** The details of an entry; undefined when it no longer exists. */
  async #timeOf(id: number): Promise<number | undefined> {
    const row = await this.#db.selectFrom('audit').select('time_ms').where('id', '=', id).executeTakeFirst();
    return row?.time_ms;
  }

  async removeBefore(timeMs: number): Promise<void> {
    await this.#db.deleteFrom('audit').where('time_ms', '<', timeMs).execute();
  }
}
