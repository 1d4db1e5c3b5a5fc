import type { Registrar } from '../registrar.ts';
import type { Services } from '../services.ts';
import { wholeList } from '../user-view.ts';

/** Nodes and draining [R7.36 to R7.39]: a part of the enterprise license, but for the way back out of a drain. */
export function registerCluster(registrar: Registrar, { membership, license }: Services): void {
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
    // A license that ends or is replaced while a node is drained must not keep it from recording.
    if (params.id !== membership.id || !membership.isDrained) license.requireEnterprise('cluster');
    return membership.setDrained(params.id, false);
  });
}
