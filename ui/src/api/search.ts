import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { api } from './api.ts';

/** A stream, mosaic, bookmark or user that words were found in. */
export type SearchResult = ReplyOf<'search'>['items'][number];

/** What the server finds for some words, the most fitting first; nothing is asked without words. */
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
