import { infiniteQueryOptions } from '@tanstack/react-query';
import type { RequestOf } from '@vidette/contract/client';
import { limits } from '@vidette/contract/constants';
import type { AuditEntry } from '@vidette/contract/entities';
import { api } from '../../api/api.ts';
import type { AuditSearch } from './audit-search.ts';

/** Filter for the audit log. */
export type AuditFilter = Pick<
  NonNullable<RequestOf<'listAuditLogs'>['query']>,
  'user' | 'action' | 'target' | 'from' | 'to' | 'onlyPeople'
>;

/** The filter of a search: what programs did only on request, or when one of their actions is asked for. */
export function auditFilter({ machines, ...search }: AuditSearch): AuditFilter {
  return { ...search, onlyPeople: machines !== true && search.action === undefined };
}

/** The audit log, newest first, loaded page by page as the user goes back. */
export function auditLogsQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['audit-logs', filter],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.listAuditLogs({ query: { ...filter, before: pageParam } }, { signal }),
    getNextPageParam: ({ items, hasMore }) => (hasMore ? items.at(-1)?.id : undefined),
    meta: { isHandled: true },
  });
}

/**
 * All entries that match the filter, newest first, for a file.
 * @param most maximum number of entries
 * @param onProgress called with the number of entries loaded
 */
export async function loadAuditLogs(
  filter: AuditFilter,
  most: number,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let before: number | undefined;
  for (;;) {
    const query = { ...filter, before, pageSize: limits.pageSizeMax };
    const { items, hasMore } = await api.listAuditLogs({ query }, { signal });
    entries.push(...items);
    onProgress(entries.length);
    before = items.at(-1)?.id;
    if (!hasMore || before === undefined || entries.length >= most) return entries.slice(0, most);
  }
}
