import { queryOptions, useQuery } from '@tanstack/react-query';
import { readDigest, type DigestedSpan } from '@vidette/contract/digest-entries';
import { planOf, type DigestPlan } from '@vidette/contract/digest-plan';
import { useMemo } from 'react';
import { api } from '../../api/api.ts';

function digestQuery(digested: DigestedSpan) {
  return queryOptions({
    queryKey: ['journal', 'digest', digested],
    queryFn: async ({ signal }) => {
      const read = await readDigest((query) => api.listJournal({ query }, { signal }), digested);
      return { ...read, readMs: Date.now() };
    },
    staleTime: Infinity,
    meta: { isHandled: true },
  });
}

/** The plan of a digest, once the journal has been read. */
export function useDigestPlan(digested: DigestedSpan) {
  const { data, error, refetch } = useQuery(digestQuery(digested));
  const { fromMs, toMs } = digested;
  const plan = useMemo(
    (): DigestPlan | undefined => data && planOf(data.entries, { fromMs, toMs, nowMs: data.readMs }),
    [data, fromMs, toMs],
  );
  return { plan, isPartial: data?.isPartial ?? false, error, reload: () => void refetch() };
}
