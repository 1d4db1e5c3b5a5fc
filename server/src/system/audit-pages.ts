import type { AuditEntry } from '@vidette/contract/entities';
import type { AuditQuery, AuditRecord } from '../store/audit.ts';
import type { AuditLog } from './audit-log.ts';

/** The audit log as its readers page through it, newest entry first. */
export class AuditPages {
  readonly #audit: Pick<AuditLog, 'list'>;

  constructor(audit: Pick<AuditLog, 'list'>) {
    this.#audit = audit;
  }

  /**
   * One page, and whether there are older entries. `limit` of the query is the page size.
   * @throws Fault AuditLogsDisabled
   */
  async page(query: AuditQuery): Promise<{ items: AuditEntry[]; hasMore: boolean }> {
    // One entry more than the page shows whether it is the last page.
    const rows = await this.#audit.list({ ...query, limit: query.limit + 1 });
    return { items: rows.slice(0, query.limit).map(auditView), hasMore: rows.length > query.limit };
  }
}

function auditView(row: AuditRecord): AuditEntry {
  return {
    id: row.id,
    time: row.timeMs,
    user: row.login,
    ip: row.ip,
    action: row.action,
    target: row.target,
    targetName: row.targetName,
    outcome: row.outcome,
    details: row.details,
    isMachine: row.isMachine,
  };
}
