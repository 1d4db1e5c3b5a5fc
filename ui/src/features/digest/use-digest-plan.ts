import { queryOptions, useQuery } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import type { JournalEntry } from '@vidette/contract/journal';
import { useMemo } from 'react';
import { api } from '../../api/api.ts';
import {
  digestBeforeMs,
  digestEntriesMax,
  digestKinds,
  planOf,
  reachesSpan,
  type DigestPlan,
} from '@vidette/contract/digest-plan';
import type { DigestSpan } from './digest-search.ts';

interface DigestFilter extends DigestSpan {
  /** Uids; none: all cameras. */
  readonly streams: readonly string[];
  readonly tag: string | undefined;
}

function digestQuery(filter: DigestFilter) {
  return queryOptions({
    queryKey: ['journal', 'digest', filter],
    queryFn: ({ signal }) => loadEntries(filter, signal),
    staleTime: Infinity,
    meta: { isHandled: true },
  });
}

/** What was read of the journal. */
interface DigestEntries {
  readonly entries: readonly JournalEntry[];
  /** There are more than `digestEntriesMax`; the oldest are missing. */
  readonly isPartial: boolean;
}

async function loadEntries(
  { fromMs, toMs, streams, tag }: DigestFilter,
  signal: AbortSignal,
): Promise<DigestEntries> {
  const entries: JournalEntry[] = [];
  let cursor: string | undefined;
  do {
    const query = {
      from: Math.max(0, fromMs - digestBeforeMs),
      to: toMs,
      streams: [...streams],
      kinds: [...digestKinds],
      limit: limits.pageSizeMax,
      ...(tag === undefined ? {} : { tag }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { items, next } = await api.listJournal({ query }, { signal });
    entries.push(...items.filter((entry) => reachesSpan(entry, fromMs)));
    cursor = next ?? undefined;
  } while (cursor !== undefined && entries.length < digestEntriesMax);
  return { entries, isPartial: cursor !== undefined };
}

/** The plan of a digest, once the journal has been read. */
export function useDigestPlan(filter: DigestFilter) {
  const { data, error, refetch } = useQuery(digestQuery(filter));
  const { fromMs, toMs } = filter;
  const plan = useMemo(
    (): DigestPlan | undefined => data && planOf(data.entries, { fromMs, toMs }),
    [data, fromMs, toMs],
  );
  return { plan, isPartial: data?.isPartial ?? false, error, reload: () => void refetch() };
}
