import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { whileCut } from '../../api/while-cut.ts';
import { withProof } from '../../api/proof.ts';
import { healthQuery } from '../../api/health.ts';

/** While the event stream works, only the numbers of running streams are not reported. */
const countsMs = 10_000;

/** The nodes of the cluster; polled often, because the viewer watches a drain progress. */
export const clusterNodesQuery = queryOptions({
  queryKey: ['cluster', 'nodes'],
  queryFn: ({ signal }) => api.listClusterNodes({}, { signal }),
  refetchInterval: () => whileCut(2_000) || countsMs,
  meta: { isHandled: true, isFollowed: true },
});

/** Drains a node or puts it back to work; the warning on every screen is updated. */
export function useDrainNode(id: string) {
  return useNodeChange((isDrained: boolean) =>
    isDrained ? api.drainClusterNode({ params: { id } }) : api.returnClusterNode({ params: { id } }),
  );
}

/** Renames a node. */
export function useRenameNode(id: string) {
  return useNodeChange((name: string) => api.saveClusterNode({ params: { id }, body: { name } }));
}

/** Removes a node that no longer exists. */
export function useForgetNode(id: string) {
  return useNodeChange(() => api.deleteClusterNode({ params: { id } }));
}

/** Unused join codes; a code that is used or expires disappears from the list by itself. */
export const clusterInvitationsQuery = queryOptions({
  queryKey: ['cluster', 'invitations'],
  queryFn: ({ signal }) => api.listClusterInvitations({}, { signal }),
  refetchInterval: 5_000,
  meta: { isHandled: true },
});

/** Creates a join code; it is shown in this answer only. */
export function useAddInvitation() {
  return useInvitationChange(() => withProof(() => api.addClusterInvitation({})));
}

/** Revokes an unused code. */
export function useDeleteInvitation() {
  return useInvitationChange((id: string) => api.deleteClusterInvitation({ params: { id } }));
}

function useInvitationChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => queryClient.invalidateQueries({ queryKey: clusterInvitationsQuery.queryKey }),
    meta: { title: 'cluster.invite.failed' },
  });
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
