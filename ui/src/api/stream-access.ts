import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReplyOf, RequestOf } from '@vidette/contract/client';
import { api } from './api.ts';
import { withProof } from './proof.ts';

// Who else can watch a stream: by rights, or by a public link.

/** The public link of a stream. */
export type StreamShare = ReplyOf<'getStreamShare'>;

/** The rights on a stream. */
export function streamPermissionsQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream-permissions', uid],
    queryFn: ({ signal }) => api.getStreamPermissions({ params: { uid } }, { signal }),
    // Data in an open form must not change while it is edited.
    staleTime: Infinity,
    gcTime: 0,
    meta: { isHandled: true },
  });
}

/** Replaces the rights on a stream. */
export function useSaveStreamPermissions(uid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (items: RequestOf<'saveStreamPermissions'>['body']['items']) =>
      withProof(() => api.saveStreamPermissions({ params: { uid }, body: { items } })),
    onSuccess: (saved) => queryClient.setQueryData(streamPermissionsQuery(uid).queryKey, saved),
  });
}

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
