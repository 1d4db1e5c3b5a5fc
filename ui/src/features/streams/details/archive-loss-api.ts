import { queryOptions, useMutation } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';

// What a lower archive depth deletes.

/** What a lowered depth will delete; refetched until the waiting period is over. */
export function pendingLossQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid, 'archive-loss'],
    queryFn: ({ signal }) => api.getArchiveLoss({ params: { uid } }, { signal }),
    refetchInterval: 10_000,
    meta: { isHandled: true },
  });
}

/** What a depth of this many hours would delete, before it is saved. */
export function useAskLoss(uid: string) {
  return useMutation({
    mutationFn: (depthHours: number) =>
      api.getArchiveLoss({ params: { uid }, query: { depth_hours: depthHours } }),
  });
}
