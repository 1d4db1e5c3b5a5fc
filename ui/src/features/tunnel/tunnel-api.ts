import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TunnelStatus } from '@vidette/contract/tunnel';
import { api } from '../../api/api.ts';
import { healthQuery } from '../../api/health.ts';

/** The state of the tunnel, polled while its screen is open; less often when the license forbids the tunnel. */
export const tunnelQuery = queryOptions({
  queryKey: ['administration', 'tunnel'],
  queryFn: ({ signal }) => api.getTunnelStatus({}, { signal }),
  refetchInterval: (query) => (query.state.error ? 5_000 : 1_000),
  meta: { isHandled: true },
});

/** Opens the tunnel, or retries immediately. */
export function useStartTunnel() {
  const take = useTakeStatus();
  return useMutation({
    mutationFn: (location: string) => api.startTunnel({ body: { location } }),
    onSuccess: take,
    meta: { title: 'tunnel.start.failed' },
  });
}

/** Closes the tunnel. */
export function useStopTunnel() {
  const take = useTakeStatus();
  return useMutation({
    mutationFn: () => api.stopTunnel({}),
    onSuccess: take,
    meta: { title: 'tunnel.stop.failed' },
  });
}

/** Stores the status and refetches the warnings: the banner about a closed tunnel depends on it. */
function useTakeStatus() {
  const queryClient = useQueryClient();
  return (status: TunnelStatus) => {
    queryClient.setQueryData(tunnelQuery.queryKey, status);
    return queryClient.invalidateQueries({ queryKey: healthQuery.queryKey });
  };
}
