import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { healthQuery } from './health.ts';

/** The nodes of the cluster; looked at closely, for a drain goes on under the viewer's eyes. */
export const clusterNodesQuery = queryOptions({
  queryKey: ['cluster', 'nodes'],
  queryFn: ({ signal }) => api.listClusterNodes({}, { signal }),
  refetchInterval: 2_000,
  meta: { isHandled: true },
});

/** Takes a node out of work or puts it back; the warning on every screen follows. */
export function useDrainNode(id: string) {
  return useNodeChange((isDrained: boolean) =>
    isDrained ? api.drainClusterNode({ params: { id } }) : api.returnClusterNode({ params: { id } }),
  );
}

/** Gives a node another name. */
export function useRenameNode(id: string) {
  return useNodeChange((name: string) => api.saveClusterNode({ params: { id }, body: { name } }));
}

/** Forgets a node that is gone. */
export function useForgetNode(id: string) {
  return useNodeChange(() => api.deleteClusterNode({ params: { id } }));
}

function useNodeChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: clusterNodesQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: healthQuery.queryKey }),
      ]),
    meta: { title: 'cluster.failed' },
  });
}
