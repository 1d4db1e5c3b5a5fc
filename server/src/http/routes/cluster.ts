import type { Membership } from '../../cluster/membership.ts';
import type { NodeInvitations } from '../../cluster/node-invitations.ts';
import type { NodeService } from '../../cluster/node-service.ts';
import type { Registrar } from '../registrar.ts';
import { wholeList } from '../whole-list.ts';

/** The dependencies of the cluster calls. */
export interface ClusterServices {
  readonly membership: Pick<Membership, 'list' | 'get' | 'rename' | 'forget' | 'setDrained'>;
  readonly nodeService: NodeService;
  readonly nodeInvitations: NodeInvitations;
}

/** Nodes and draining [R7.36 to R7.39]. */
export function registerCluster(registrar: Registrar, services: ClusterServices): void {
  const { membership, nodeService } = services;
  registerInvitations(registrar, services);

  registrar.handle('listNodeChoices', async () => ({ items: await nodeService.choices() }));

  registrar.handle('listClusterNodes', async () => wholeList(await membership.list()));

  registrar.handle('getClusterNode', ({ params }) => membership.get(params.id));

  registrar.handle('saveClusterNode', ({ params, body }) => membership.rename(params.id, body.name));

  registrar.handle('deleteClusterNode', async ({ params }) => {
    await membership.forget(params.id);
    return {};
  });

  registrar.handle('drainClusterNode', ({ params }) => membership.setDrained(params.id, true));

  registrar.handle('returnClusterNode', ({ params }) => nodeService.endDrain(params.id));
}

function registerInvitations(
  registrar: Registrar,
  { nodeInvitations }: Pick<ClusterServices, 'nodeInvitations'>,
): void {
  registrar.handle('listClusterInvitations', async () => {
    const { items, address } = await nodeInvitations.list();
    return { ...wholeList(items), address };
  });

  registrar.handle('addClusterInvitation', ({ principal, audit }) =>
    nodeInvitations.add(principal.user.login, audit),
  );

  registrar.handle('deleteClusterInvitation', async ({ params }) => {
    await nodeInvitations.remove(params.id);
    return {};
  });
}
