import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

// Footage that rules hold.

const holdsOf = (uid: string) => ['holds', uid] as const;
/** A rule may hold footage at any time; the marks need not be newer. */
const refreshMs = 60_000;

/** The held footage of a stream, newest first. */
export function holdsQuery(uid: string, isEnabled: boolean) {
  return queryOptions({
    queryKey: holdsOf(uid),
    queryFn: ({ signal }) => api.listHolds({ params: { uid } }, { signal }),
    enabled: isEnabled,
    refetchInterval: refreshMs,
    meta: { isHandled: true },
  });
}

/** Releases one hold of a stream, or all. */
export function useReleaseHold(uid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (id: number | 'all') => {
      if (id === 'all') await api.releaseHolds({ params: { uid } });
      else await api.releaseHold({ params: { uid, id } });
    },
    meta: { title: 'hold.failed' },
    onSettled: () => queryClient.invalidateQueries({ queryKey: holdsOf(uid) }),
  });
}
