import type { Membership } from '../../cluster/membership.ts';
import type { NodeInvitations } from '../../cluster/node-invitations.ts';
import type { LicenseService } from '../../system/license.ts';
import type { Registrar } from '../registrar.ts';
import { wholeList } from '../whole-list.ts';

/** The dependencies of the cluster calls. */
export interface ClusterServices {
  readonly license: Pick<LicenseService, 'requireEnterprise'>;
  readonly membership: Membership;
  readonly nodeInvitations: NodeInvitations;
}

/** Nodes and draining [R7.36 to R7.39]: part of the enterprise license, except for ending a drain. */
export function registerCluster(registrar: Registrar, services: ClusterServices): void {
  const { membership, license } = services;
  registerInvitations(registrar, services);

  registrar.handle('listNodeChoices', async () => ({
    items: (await membership.list()).map(({ id, name, available, isDrained }) => ({
      id,
      name,
      available: available && !isDrained,
    })),
  }));

  registrar.handle('listClusterNodes', async () => {
    license.requireEnterprise('cluster');
    return wholeList(await membership.list());
  });

  registrar.handle('getClusterNode', ({ params }) => {
    license.requireEnterprise('cluster');
    return membership.get(params.id);
  });

  registrar.handle('saveClusterNode', ({ params, body }) => {
    license.requireEnterprise('cluster');
    return membership.rename(params.id, body.name);
  });

  registrar.handle('deleteClusterNode', async ({ params }) => {
    license.requireEnterprise('cluster');
    await membership.forget(params.id);
    return {};
  });

  registrar.handle('drainClusterNode', ({ params }) => {
    license.requireEnterprise('cluster');
    return membership.setDrained(params.id, true);
  });

  registrar.handle('returnClusterNode', ({ params }) => {
    // A license that expires or is replaced while a node is drained must not keep it from recording.
    if (params.id !== membership.id || !membership.isDrained) license.requireEnterprise('cluster');
    return membership.setDrained(params.id, false);
  });
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
