import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { withProof } from './proof.ts';
import { settingsQuery } from './session.ts';

/** Figures of the server as it runs, with their last hour. */
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

/** Replaces the license; the banner that asks for one goes with the settings that follow. */
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
  // What somebody is just editing must not change under their hands.
  staleTime: Infinity,
  gcTime: 0,
  meta: { isHandled: true },
});

/** Saves the changed keys of the configuration; the settings that the page lives by may be among them. */
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
