import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { Profile, Settings, User } from '@vidette/contract/entities';
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
export function userOf(queryClient: QueryClient): Profile | null {
  return queryClient.getQueryData<Profile | null>(userKey) ?? null;
}

/** Notes who is signed in; null after signing out or when the session has ended. */
export function setUser(queryClient: QueryClient, user: Profile | null): void {
  queryClient.setQueryData<Profile | null>(userKey, user);
}

/** Calls back when somebody signs in or out, or changes something about themselves. */
export function onUser(queryClient: QueryClient, listener: (user: Profile | null) => void): void {
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryKey[0] === userKey[0]) listener(userOf(queryClient));
  });
}

/** The signed-in user for a component; null on the screens that need none. */
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

/** Forgets everything that was fetched on behalf of whoever was signed in, and keeps the settings. */
export function forgetSession(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'settings' });
  setUser(queryClient, null);
}

/** Who can add streams: anybody whose quota is not zero, and administrators [R1.3]. */
export function mayAddStreams(user: User | null): boolean {
  return user !== null && (user.isAdmin || user.maxStreamCreation !== 0);
}

/**
 * Signs out on the server, then forgets the session here.
 * @param onLeft called even where who asked is gone by then: a header goes with its user
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
