import { queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';

const everyMs = 15_000;

/** How many entries of the journal no user has reviewed; marking some as reviewed refetches it. */
export const journalSummaryQuery = queryOptions({
  queryKey: ['journal', 'summary'],
  queryFn: ({ signal }) => api.getJournalSummary({}, { signal }),
  refetchInterval: everyMs,
  meta: { isHandled: true },
});
