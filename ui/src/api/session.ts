import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { Profile, Settings, User } from '@vidette/contract/entities';
import { api } from './api.ts';

// The signed-in user and the server's settings. Both start from the boot data and then live in the query cache,
// so that there is one copy of each.

/** The settings call; refetched by the router on every navigation [R2.20]. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api.getSettings({}, { signal }),
  staleTime: Infinity,
  gcTime: Infinity,
  meta: { title: 'state.failed.title' },
});

const userKey = ['profile'];

/** The settings; the page does not render before it has them. */
export function useSettings(): Settings {
  const { data } = useQuery(settingsQuery);
  if (!data) throw new Error('The page has no settings');
  return data;
}

/** The signed-in user, or null. */
export function userOf(queryClient: QueryClient): Profile | null {
  return queryClient.getQueryData<Profile | null>(userKey) ?? null;
}

/** Stores the signed-in user; null after signing out or when the session has ended. */
export function setUser(queryClient: QueryClient, user: Profile | null): void {
  queryClient.setQueryData<Profile | null>(userKey, user);
}

/** Calls back when a user signs in or out, or changes their own profile. */
export function onUser(queryClient: QueryClient, listener: (user: Profile | null) => void): void {
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryKey[0] === userKey[0]) listener(userOf(queryClient));
  });
}

/** The signed-in user for a component; null on screens that need no sign-in. */
export function useUser(): Profile | null {
  const { data } = useQuery<Profile | null>({
    queryKey: userKey,
    queryFn: ({ signal }) => api.getProfile({}, { signal }),
    staleTime: Infinity,
    gcTime: Infinity,
    enabled: false,
  });
  return data ?? null;
}

/** Clears everything fetched for the signed-in user, and keeps the settings. */
export function forgetSession(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'settings' });
  setUser(queryClient, null);
}

/** Reads the user's profile again; a failure is handled like that of any query. */
export function refreshUser(queryClient: QueryClient): void {
  const queryFn = ({ signal }: { signal: AbortSignal }) => api.getProfile({}, { signal });
  void queryClient.prefetchQuery({ queryKey: userKey, queryFn });
}

/** Who can add streams: users with a non-zero quota, and administrators [R1.3]. */
export function mayAddStreams(user: User | null): boolean {
  return user !== null && (user.isAdmin || user.maxStreamCreation !== 0);
}

/**
 * Signs out on the server, then clears the session here.
 * @param onLeft called even if the caller is unmounted by then: the header disappears with its user
 */
export function useSignOut(onLeft: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.signOut(),
    meta: { title: 'menu.logout' },
    onSuccess: () => {
      forgetSession(queryClient);
      onLeft();
    },
  });
}
