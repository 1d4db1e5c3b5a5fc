import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { ReplyOf, RequestOf } from '@vidette/contract/client';
import { limits, polls } from '@vidette/contract/constants';
import type { AuditEntry, LogLevel } from '@vidette/contract/entities';
import { api } from './api.ts';

// The server's records: the audit log and the server's own log.

/** Filter for the audit log. */
export type AuditFilter = Pick<
  NonNullable<RequestOf<'listAuditLogs'>['query']>,
  'user' | 'action' | 'target' | 'from' | 'to'
>;

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

/** Lines of the server's log that the page keeps. */
const keptLines = 1_000;

type LogLines = ReplyOf<'getSystemLogs'>['items'];

/** The server's log, oldest first, followed live: only new lines are requested. */
export function systemLogsQuery(queryClient: QueryClient, level: LogLevel, search: string) {
  const queryKey = ['system-logs', level, search];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<LogLines> => {
      const before = queryClient.getQueryData<LogLines>(queryKey) ?? [];
      const after = before.at(-1)?.id ?? 0;
      const ask = (query: { after?: number; limit?: number }) =>
        api.getSystemLogs({ query: { level, search, ...query } }, { signal });
      const { items } = await ask({ after });
      if (items.length > 0) return [...before, ...items].slice(-keptLines);
      // After a restart the server numbers lines from the beginning and has none after the old number yet.
      const newest = (await ask({ limit: 1 })).items.at(-1)?.id ?? after;
      return newest < after ? (await ask({})).items : before;
    },
    structuralSharing: false,
    refetchInterval: polls.logsMs,
    gcTime: 0,
    meta: { isHandled: true },
  });
}
