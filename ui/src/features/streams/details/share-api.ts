import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { api } from '../../../api/api.ts';

/** The public link of a stream. */
export type StreamShare = ReplyOf<'getStreamShare'>;

/**
 * Requests the public link, which the first request creates: call it only on a user's request, never just to
 * display a screen.
 */
export function useShowShare(uid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.getStreamShare({ params: { uid } }),
    meta: { title: 'share.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['stream', uid] }),
  });
}

/** Allows or forbids other sites to show the public link in a frame. */
export function useSaveShare(uid: string) {
  return useMutation({
    mutationFn: (isEmbeddable: boolean) => api.saveStreamShare({ params: { uid }, body: { isEmbeddable } }),
    meta: { title: 'share.failed' },
  });
}

/** Revokes the public link. */
export function useRevokeShare(uid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.revokeStreamShare({ params: { uid } }),
    meta: { title: 'share.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['stream', uid] }),
  });
}
