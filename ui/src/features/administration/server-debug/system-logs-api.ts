import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { polls } from '@vidette/contract/constants';
import type { LogLevel } from '@vidette/contract/entities';
import { api } from '../../../api/api.ts';

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
