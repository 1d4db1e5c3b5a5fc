import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { settingsQuery } from './session.ts';

/** Figures of the server as it runs. */
export const serverStatsQuery = queryOptions({
  queryKey: ['administration', 'stats'],
  queryFn: ({ signal }) => api.getSystemStats({}, { signal }),
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
