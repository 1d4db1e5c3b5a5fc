import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { RequestOf } from '@vidette/contract/client';
import { api } from '../../api/api.ts';
import { renewingSession, withProof } from '../../api/proof.ts';
import { setUser } from '../../api/session.ts';

/** Sessions of the signed-in user, most recently seen first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.listSessions({}, { signal }),
  refetchInterval: 30_000,
  meta: { isHandled: true },
});

/** API tokens of the signed-in user. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => api.listTokens({}, { signal }),
  meta: { isHandled: true },
});

/** Changes the profile and updates the session's copy of it immediately. */
export function useSaveProfile() {
  const queryClient = useQueryClient();
  return useMutation({
    // One call at a time: the answer to an older change must not arrive after that to a newer one.
    scope: { id: 'profile' },
    mutationFn: (body: NonNullable<RequestOf<'saveProfile'>['body']>) => {
      const save = () => withProof(() => api.saveProfile({ body }));
      return body.password === undefined ? save() : renewingSession(save);
    },
    onSuccess: (user) => {
      setUser(queryClient, user);
      void queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
}

/** Ends one session. */
export function useEndSession() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.deleteSession({ params: { id } }),
    meta: { title: 'sessions.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

/** Ends all other sessions, and also the tokens and this session unless they are to be kept. */
export function useEndAllSessions() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NonNullable<RequestOf<'terminateSessions'>['body']>) =>
      renewingSession(() => api.terminateSessions({ body })),
    meta: { title: 'sessions.failed' },
    onSuccess: (_, { includeCurrent }) => {
      // A refusal of these would look as if the session had expired.
      if (includeCurrent) return undefined;
      void queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
}

/** Creates a token; its secret is in this answer only. */
export function useAddToken() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addToken'>['body']) => withProof(() => api.addToken({ body })),
    meta: { title: 'tokens.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
}

/** Revokes a token. */
export function useDeleteToken() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.deleteToken({ params: { id } }),
    meta: { title: 'tokens.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
}
