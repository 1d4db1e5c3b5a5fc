import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { useState } from 'react';
import { api } from '../../../api/api.ts';

/** The public link of a stream. */
export type StreamShare = ReplyOf<'getStreamShare'>;

/**
 * Requests the public link, which the first request creates: call it only on a user's request, never just to
 * display a screen.
 */
function useShowShare(uid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.getStreamShare({ params: { uid } }),
    meta: { title: 'share.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['stream', uid] }),
  });
}

/** The public link on screen, if it was asked for. */
export interface ShownShare {
  readonly share: StreamShare | null;
  readonly isPending: boolean;
  readonly show: () => void;
  /** With the changed link; null once it is revoked. */
  readonly change: (share: StreamShare | null) => void;
}

/** Nothing is requested before `show`. */
export function useShownShare(uid: string): ShownShare {
  const [share, change] = useState<StreamShare | null>(null);
  const { isPending, mutate } = useShowShare(uid);
  return { share, isPending, show: () => mutate(undefined, { onSuccess: change }), change };
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
