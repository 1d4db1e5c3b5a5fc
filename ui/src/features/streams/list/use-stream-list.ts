import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ListedStream, StreamState } from '@vidette/contract/entities';
import { streamsPageQuery, streamsPageSize, streamStatusesQuery, type StreamFilter } from '../streams-api.ts';
import type { RowGroup } from './rows.ts';

/** The loaded part of the list. */
export interface StreamList {
  /** The number of positions in the list; undefined before the first answer. */
  readonly total: number | undefined;
  readonly groups: readonly RowGroup[];
  /** Some of the loaded streams may be edited by their viewer. */
  readonly isChangeable: boolean;
  /** All streams without video, whether or not their pages were visited. */
  readonly failed: readonly StreamState[];
  readonly error: Error | null;
  readonly retry: () => void;
  /** The stream at a position, with its latest status; undefined while its page loads. */
  readonly at: (place: number) => ListedStream | undefined;
}

/**
 * Fetches the visible pages, and the statuses of all streams once a second. While another filter's first page
 * loads, the previous list stays.
 */
export function useStreamList(filter: StreamFilter, pages: readonly number[]): StreamList {
  const queryClient = useQueryClient();
  const first = useQuery({ ...streamsPageQuery(filter, 1), placeholderData: keepPreviousData });
  const statuses = useQuery(streamStatusesQuery(queryClient));
  const others = pages.filter((page) => page > 1);
  const answers = useQueries({ queries: others.map((page) => streamsPageQuery(filter, page)) });

  const itemsOf = (page: number): readonly ListedStream[] =>
    (page === 1 ? first.data : answers[others.indexOf(page)]?.data)?.items ?? [];
  return {
    total: first.data?.total,
    groups: first.data?.groups ?? [],
    isChangeable: [first, ...answers].some(({ data }) => data?.items.some(({ canEdit }) => canEdit)),
    failed: [...(statuses.data?.states.values() ?? [])].filter(({ status }) => status === 'failed'),
    error: first.data ? null : first.error,
    retry: () => void first.refetch(),
    at: (place) => {
      const stream = itemsOf(Math.floor(place / streamsPageSize) + 1)[place % streamsPageSize];
      const state = stream && statuses.data?.states.get(stream.uid);
      return state
        ? {
            ...stream,
            status: state.status,
            failureReason: state.failureReason,
            node: { ...stream.node, available: state.nodeAvailable },
          }
        : stream;
    },
  };
}
