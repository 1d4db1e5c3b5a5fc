import { sql, type Kysely } from 'kysely';
import type { AuditRow, Database } from './database.ts';
import { jsonColumn, rowMapping } from './row-mapping.ts';

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
  readonly outcome: string;
  /** Without secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

export type NewAuditEntry = Omit<AuditRecord, 'id'>;

const mapping = rowMapping<AuditRow, AuditRecord>({
  id: 'id',
  timeMs: 'time_ms',
  login: 'login',
  ip: 'ip',
  action: 'action',
  target: 'target',
  outcome: 'outcome',
  details: jsonColumn('details'),
});

export interface AuditQuery {
  /** The last entry of the previous page: returns only entries that follow it in the list. */
  readonly before?: number | undefined;
  readonly limit: number;
  readonly login?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
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
    await this.#db.insertInto('audit').values(entries.map(mapping.row)).execute();
  }

  /** Returns its id. */
  async add(entry: NewAuditEntry): Promise<number> {
    const { id } = await this.#db
      .insertInto('audit')
      .values(mapping.row(entry))
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
      .$if(query.target !== undefined, (rows) => rows.where('target', '=', query.target ?? ''))
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
