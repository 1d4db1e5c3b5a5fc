import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import type { ReplyOf, RequestOf } from '@vidette/contract/client';
import { limits } from '@vidette/contract/constants';
import { api } from '../../api/api.ts';
import { whileCut } from '../../api/while-cut.ts';
import { journalSummaryQuery } from '../../api/journal-summary.ts';
import { loadStreamsBetween } from '../streams/streams-api.ts';

/** Which entries of the journal to list. */
export type JournalFilter = Pick<
  NonNullable<RequestOf<'listJournal'>['query']>,
  'streams' | 'kinds' | 'tag' | 'text' | 'to' | 'reviewed'
>;

type JournalPages = InfiniteData<ReplyOf<'listJournal'>, string | undefined>;

const journal = ['journal'] as const;
const pagesKey = [...journal, 'pages'] as const;
const refreshMs = 10_000;

/** The journal, newest first, in pages that are fetched as the list is scrolled. */
export function journalQuery(filter: JournalFilter) {
  return infiniteQueryOptions({
    queryKey: [...pagesKey, filter],
    queryFn: ({ pageParam, signal }) =>
      api.listJournal(
        {
          query: {
            ...filter,
            limit: limits.pageSizeMax,
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // Refetching every page would make the list jump: the newest entry is asked for instead.
    staleTime: Infinity,
    meta: { isHandled: true },
  });
}

/** The newest entry, which tells whether there are new ones. */
export function newestQuery(filter: JournalFilter) {
  return queryOptions({
    queryKey: [...journal, 'newest', filter],
    queryFn: async ({ signal }) => {
      const { items } = await api.listJournal({ query: { ...filter, limit: 1 } }, { signal });
      return items[0]?.id ?? null;
    },
    refetchInterval: () => whileCut(refreshMs),
    meta: { isHandled: true, isFollowed: true },
  });
}

/** Cameras that the filter offers; more of them are found by tag. */
const camerasMax = 1_000;

/** The cameras that the user may view, by name. */
export const camerasQuery = queryOptions({
  queryKey: [...journal, 'cameras'],
  queryFn: () => loadStreamsBetween({ sortType: 'name' }, 0, camerasMax),
  staleTime: 60_000,
  meta: { isHandled: true },
});

/** Marks entries as reviewed, or as not reviewed; the lists show it before the server has answered. */
export function useReview() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, isReviewed }: Review) => {
      for (let first = 0; first < ids.length; first += limits.journalReviewMax)
        await api.reviewJournal({
          body: { ids: ids.slice(first, first + limits.journalReviewMax), isReviewed },
        });
    },
    meta: { title: 'events.review.failed' },
    onMutate: (review) => patch(queryClient, review),
    onError: (_error, { ids, isReviewed }) => patch(queryClient, { ids, isReviewed: !isReviewed }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: journalSummaryQuery.queryKey }),
  });
}

interface Review {
  /** Entries whose state changes. */
  readonly ids: readonly number[];
  readonly isReviewed: boolean;
}

function patch(queryClient: QueryClient, { ids, isReviewed }: Review): void {
  const changed = new Set(ids);
  queryClient.setQueriesData<JournalPages>(
    { queryKey: pagesKey },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.map((entry) => (changed.has(entry.id) ? { ...entry, isReviewed } : entry)),
        })),
      },
  );
}
