import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { withProof } from '../../api/proof.ts';
import { settingsQuery } from '../../api/session.ts';

/** Metrics of the running server, with their last hour. */
export const serverStatsQuery = queryOptions({
  queryKey: ['administration', 'stats'],
  queryFn: ({ signal }) => api.getAdminStats({}, { signal }),
  refetchInterval: 3_000,
  meta: { isHandled: true },
});

/** The license. */
export const licenseQuery = queryOptions({
  queryKey: ['administration', 'license'],
  queryFn: ({ signal }) => api.getLicense({}, { signal }),
  meta: { isHandled: true },
});

/** Replaces the license; the banner that asks for one disappears when the settings are refetched. */
export function useSaveLicense() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (text: string) => api.saveLicense({ body: { text } }),
    onSuccess: (license) => {
      queryClient.setQueryData(licenseQuery.queryKey, license);
      return queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey });
    },
  });
}

/** The configuration with its schema. */
export const configurationQuery = queryOptions({
  queryKey: ['administration', 'configuration'],
  queryFn: ({ signal }) => api.getConfiguration({}, { signal }),
  // Data in an open form must not change while it is edited.
  staleTime: Infinity,
  gcTime: 0,
  meta: { isHandled: true },
});

/** Saves the changed configuration keys; they may include settings that the page itself uses. */
export function useSaveConfiguration() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (values: Record<string, unknown>) =>
      withProof(() => api.saveConfiguration({ body: { values } })),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: configurationQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey }),
      ]),
  });
}
