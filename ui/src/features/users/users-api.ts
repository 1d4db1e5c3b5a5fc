import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { RequestOf } from '@vidette/contract/client';
import { api } from '../../api/api.ts';
import { renewingSession, withProof } from '../../api/proof.ts';

// Users, as administrators see and edit them.

/** Users on one page of the list. */
export const usersPageSize = 50;

/** The filter and order of a list of users. */
export type UsersQuery = Pick<
  NonNullable<RequestOf<'listUsers'>['query']>,
  'page' | 'sortType' | 'searchingValues'
>;

const allUsers = ['users'] as const;

/** One page of the users; the previous page stays visible until it arrives. */
export function usersQuery(query: UsersQuery) {
  return queryOptions({
    queryKey: [...allUsers, query],
    queryFn: ({ signal }) => api.listUsers({ query: { ...query, pageSize: usersPageSize } }, { signal }),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
}

/** One user; a missing one leads to "not found". */
export function userQuery(login: string) {
  return queryOptions({
    queryKey: ['user', login],
    queryFn: ({ signal }) => api.getUser({ params: { login } }, { signal }),
  });
}

/** A user's sessions, most recently seen first. */
export function userSessionsQuery(login: string) {
  return queryOptions({
    queryKey: ['user', login, 'sessions'],
    queryFn: ({ signal }) => api.listUserSessions({ params: { login } }, { signal }),
    refetchInterval: 30_000,
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

/** Changes a user; the change may include the login. */
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

/** Blocks or unblocks a user. */
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

/** Deletes a user; the user's screen must be left before it polls again. */
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
