import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { searchValues } from '../../api/search-values.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Zone } from '../../timeline/zone.ts';
import { journalQuery, newestQuery, type JournalFilter } from './events-api.ts';
import { grouped, type EventGroup } from './event-groups.ts';
import type { EventsSearch } from './events-search.ts';
import { isWithin, readTimeOfDay, type DailyPeriod } from './time-of-day.ts';

/** The events that match the filters, as far as they are loaded. */
export interface Events {
  /** Newest first; undefined until the first answer. */
  readonly groups: readonly EventGroup[] | undefined;
  readonly error: Error | null;
  /** Nothing older is left to load. */
  readonly isWhole: boolean;
  /** Older ones are being loaded: the start of the oldest that was examined, UTC ms. */
  readonly searchedMs: number | undefined;
  /** The journal has entries that are not in the list. */
  readonly hasNew: boolean;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/** Pages that are loaded to find the chosen event of an address: ten thousand events. */
const SOUGHT_PAGES = 20;

/** Reads the journal with the filters of the address, as far back as the chosen event. */
export function useEvents(search: EventsSearch): Events {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const { q, camera, tag, kind, before, unreviewed } = search;
  const filter = useMemo(
    (): JournalFilter => ({
      ...(camera === undefined ? {} : { streams: [camera] }),
      ...(kind === undefined ? {} : { kinds: [kind] }),
      ...(tag === undefined ? {} : { tag }),
      ...(q === undefined ? {} : { text: searchValues(q) }),
      ...(before === undefined ? {} : { to: before }),
      ...(unreviewed ? { reviewed: false } : {}),
    }),
    [q, camera, kind, tag, before, unreviewed],
  );
  const { data, error, hasNextPage, isFetching, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(journalQuery(filter));
  const entries = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const period = periodOf(search);
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const { fromMinute, toMinute } = period ?? {};
  const groups = useMemo(() => {
    if (!entries) return undefined;
    if (fromMinute === undefined || toMinute === undefined) return grouped(entries);
    return grouped(entries.filter(({ startTime }) => isWithin(startTime, { fromMinute, toMinute }, zone)));
  }, [entries, fromMinute, toMinute, zone]);
  const { data: newest } = useQuery({ ...newestQuery(filter), enabled: data !== undefined });
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const { event } = search;
  const isSought =
    event !== undefined &&
    entries !== undefined &&
    (data?.pages.length ?? 0) < SOUGHT_PAGES &&
    entries.every(({ id }) => id !== event);
  useEffect(() => {
    if (isSought) loadMore();
  }, [isSought, loadMore]);
  const reload = useCallback(() => {
    // Only the first page again: what was loaded below it is loaded again as the user scrolls there.
    queryClient.setQueryData(
      journalQuery(filter).queryKey,
      (old) => old && { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
    );
    void refetch();
  }, [queryClient, filter, refetch]);
  return {
    groups,
    error,
    isWhole: data !== undefined && !hasNextPage,
    searchedMs: isFetchingNextPage ? entries?.at(-1)?.startTime : undefined,
    hasNew: hasNewer(
      entries?.map(({ id }) => id),
      newest,
    ),
    loadMore,
    reload,
  };
}

/** The journal is ordered by time; a newer id may belong to an earlier moment, which a recording reported late. */
function hasNewer(ids: readonly number[] | undefined, newest: number | null | undefined): boolean {
  return ids !== undefined && newest !== null && newest !== undefined && !ids.slice(0, 100).includes(newest);
}

/** The time of day of the filters; both ends are needed. */
function periodOf({ from, until }: EventsSearch): DailyPeriod | undefined {
  const fromMinute = from === undefined ? undefined : readTimeOfDay(from);
  const toMinute = until === undefined ? undefined : readTimeOfDay(until);
  return fromMinute === undefined || toMinute === undefined ? undefined : { fromMinute, toMinute };
}
