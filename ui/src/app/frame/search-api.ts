import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { api } from '../../api/api.ts';

/** A stream, mosaic, bookmark or user that matches the search. */
export type SearchResult = ReplyOf<'search'>['items'][number];

/** The server's results for a query, best match first; an empty query sends no request. */
export function searchQuery(query: string) {
  return queryOptions({
    queryKey: ['search', query],
    queryFn: ({ signal }) => api.search({ query: { query, limit: 12 } }, { signal }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    meta: { isHandled: true },
  });
}
