import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { RequestOf } from '@vidette/contract/client';
import { api } from '../../api/api.ts';
import { withProof } from '../../api/proof.ts';

// Who may do what with which stream, from both sides.

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

/** A user's rights on streams. */
export function userPermissionsQuery(login: string) {
  return queryOptions({
    queryKey: ['user', login, 'permissions'],
    queryFn: ({ signal }) => api.getUserPermissions({ params: { login } }, { signal }),
    // Data in an open form must not change while it is edited.
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** Replaces a user's rights on streams. */
export function useSaveUserPermissions(login: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (items: RequestOf<'saveUserPermissions'>['body']['items']) =>
      withProof(() => api.saveUserPermissions({ params: { login }, body: { items } })),
    onSuccess: (saved) => queryClient.setQueryData(userPermissionsQuery(login).queryKey, saved),
  });
}
