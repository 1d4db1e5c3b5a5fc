import { queryOptions, useMutation } from '@tanstack/react-query';
import { api } from './api.ts';

// What a lower depth costs.

/** What a lowered depth is going to delete; asked for until it has waited. */
export function pendingLossQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid, 'archive-loss'],
    queryFn: ({ signal }) => api.getArchiveLoss({ params: { uid } }, { signal }),
    refetchInterval: 10_000,
    meta: { isHandled: true },
  });
}

/** What keeping a stream for so many hours would delete, before it is saved. */
export function useAskLoss(uid: string) {
  return useMutation({
    mutationFn: (depthHours: number) =>
      api.getArchiveLoss({ params: { uid }, query: { depth_hours: depthHours } }),
  });
}
