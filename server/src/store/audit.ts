import type { Insertable, Kysely, Selectable } from 'kysely';
import type { AuditRow, Database } from './database.ts';

export type AuditRecord = Selectable<AuditRow>;

export interface AuditQuery {
  /** Only entries with a smaller id. */
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

  async addAll(entries: readonly Insertable<AuditRow>[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#db
      .insertInto('audit')
      .values([...entries])
      .execute();
  }

  /** Newest first. Ids grow with time, so that a page is found by the id before it, however long the log. */
  list(query: AuditQuery): Promise<AuditRecord[]> {
    return this.#db
      .selectFrom('audit')
      .selectAll()
      .$if(query.before !== undefined, (rows) => rows.where('id', '<', query.before ?? 0))
      .$if(query.login !== undefined, (rows) => rows.where('login', '=', query.login ?? ''))
      .$if(query.action !== undefined, (rows) => rows.where('action', '=', query.action ?? ''))
      .$if(query.target !== undefined, (rows) => rows.where('target', '=', query.target ?? ''))
      .$if(query.fromMs !== undefined, (rows) => rows.where('time_ms', '>=', query.fromMs ?? 0))
      .$if(query.toMs !== undefined, (rows) => rows.where('time_ms', '<', query.toMs ?? 0))
      .orderBy('id', 'desc')
      .limit(query.limit)
      .execute();
  }

  async removeBefore(timeMs: number): Promise<void> {
    await this.#db.deleteFrom('audit').where('time_ms', '<', timeMs).execute();
  }
}
