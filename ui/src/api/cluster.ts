import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { withProof } from './proof.ts';
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

/** Codes that wait for a server; one that is used or ends is gone from the list by itself. */
export const clusterInvitationsQuery = queryOptions({
  queryKey: ['cluster', 'invitations'],
  queryFn: ({ signal }) => api.listClusterInvitations({}, { signal }),
  refetchInterval: 5_000,
  meta: { isHandled: true },
});

/** Makes a code; the answer is the only place that it is told. */
export function useAddInvitation() {
  return useInvitationChange(() => withProof(() => api.addClusterInvitation({})));
}

/** Withdraws a code that nobody has used. */
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
