import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { Settings, User } from '@vidette/contract/entities';
import { api } from './api.ts';

// Who is signed in and what the server told about itself. Both start from the boot data and live in the query
// cache from then on, so that there is one copy of each.

/** The settings call; asked anew by the router on every navigation [R2.20]. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api.getSettings({}, { signal }),
  staleTime: Infinity,
  gcTime: Infinity,
  meta: { title: 'state.failed.title' },
});

const userKey = ['profile'];

/** The settings; the page is not shown before it has them. */
export function useSettings(): Settings {
  const { data } = useQuery(settingsQuery);
  if (!data) throw new Error('The page runs without settings');
  return data;
}

/** The signed-in user, or null. */
export function userOf(queryClient: QueryClient): User | null {
  return queryClient.getQueryData<User | null>(userKey) ?? null;
}

/** Notes who is signed in; null after signing out or when the session has ended. */
export function setUser(queryClient: QueryClient, user: User | null): void {
  queryClient.setQueryData<User | null>(userKey, user);
}

/** The signed-in user for a component; null on the screens that need none. */
export function useUser(): User | null {
  const { data } = useQuery<User | null>({
    queryKey: userKey,
    queryFn: ({ signal }) => api.getProfile({}, { signal }),
    staleTime: Infinity,
    gcTime: Infinity,
    enabled: false,
  });
  return data ?? null;
}

/** Forgets everything that was fetched on behalf of whoever was signed in, and keeps the settings. */
export function forgetSession(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'settings' });
  setUser(queryClient, null);
}

/** Who can add streams: anybody whose quota is not zero, and administrators [R1.3]. */
export function mayAddStreams(user: User | null): boolean {
  return user !== null && (user.isAdmin || user.maxStreamCreation !== 0);
}

/** Signs out on the server, then forgets the session here. */
export function useSignOut() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.signOut(),
    meta: { title: 'menu.logout' },
    onSuccess: () => forgetSession(queryClient),
  });
}
