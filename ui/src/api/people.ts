import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { RequestOf } from '@vidette/contract/client';
import { api } from './api.ts';
import { renewingSession, withProof } from './proof.ts';

// Users, as administrators see and change them.

/** Users in one page of the list. */
export const usersPageSize = 50;

/** Which users a list shows and in which order. */
export type UsersQuery = Pick<
  NonNullable<RequestOf<'listUsers'>['query']>,
  'page' | 'sortType' | 'searchingValues'
>;

const allUsers = ['users'] as const;

/** One page of the users; the former one stays in sight until it has come. */
export function usersQuery(query: UsersQuery) {
  return queryOptions({
    queryKey: [...allUsers, query],
    queryFn: ({ signal }) => api.listUsers({ query: { ...query, pageSize: usersPageSize } }, { signal }),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
}

/** One user; who isn't there leads to "not found". */
export function userQuery(login: string) {
  return queryOptions({
    queryKey: ['user', login],
    queryFn: ({ signal }) => api.getUser({ params: { login } }, { signal }),
  });
}

/** Where a user is signed in, the last seen first. */
export function userSessionsQuery(login: string) {
  return queryOptions({
    queryKey: ['user', login, 'sessions'],
    queryFn: ({ signal }) => api.listUserSessions({ params: { login } }, { signal }),
    refetchInterval: 30_000,
  });
}

/** What a user may do with which streams. */
export function userPermissionsQuery(login: string) {
  return queryOptions({
    queryKey: ['user', login, 'permissions'],
    queryFn: ({ signal }) => api.getUserPermissions({ params: { login } }, { signal }),
    // What somebody is just editing must not change under their hands.
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** Adds a user. */
export function useAddUser() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addUser'>['body']) => withProof(() => api.addUser({ body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allUsers }),
  });
}

/** Changes a user, who may have another login from then on. */
export function useSaveUser(login: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'saveUser'>['body']) =>
      renewingSession(() => withProof(() => api.saveUser({ params: { login }, body }))),
    onSuccess: (user) => {
      queryClient.setQueryData(userQuery(user.name).queryKey, user);
      return queryClient.invalidateQueries({ queryKey: allUsers });
    },
  });
}

/** Blocks a user, or lets a blocked one in again. */
export function useBlockUser(login: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (isBlocked: boolean) =>
      isBlocked
        ? api.blockUser({ params: { login } })
        : withProof(() => api.unblockUser({ params: { login } })),
    meta: { title: 'user.failed' },
    onSuccess: (user) => {
      queryClient.setQueryData(userQuery(login).queryKey, user);
      void queryClient.invalidateQueries({ queryKey: userSessionsQuery(login).queryKey });
      return queryClient.invalidateQueries({ queryKey: allUsers });
    },
  });
}

/** Deletes a user; the screen about them must be left before it asks again. */
export function useDeleteUser(login: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => withProof(() => api.deleteUser({ params: { login } })),
    meta: { title: 'user.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allUsers }),
  });
}

/** Ends one session of a user. */
export function useEndUserSession(login: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.deleteUserSession({ params: { login, id } }),
    meta: { title: 'sessions.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: userSessionsQuery(login).queryKey }),
  });
}

/** Replaces what a user may do with which streams. */
export function useSaveUserPermissions(login: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (items: RequestOf<'saveUserPermissions'>['body']['items']) =>
      withProof(() => api.saveUserPermissions({ params: { login }, body: { items } })),
    onSuccess: (saved) => queryClient.setQueryData(userPermissionsQuery(login).queryKey, saved),
  });
}
