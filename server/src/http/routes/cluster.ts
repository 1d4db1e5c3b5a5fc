import { Fault } from '../../base/fault.ts';
import { Invitations, type Invitation } from '../../rpc/invitation.ts';
import type { Registrar } from '../registrar.ts';
import type { Config } from '../../config/schema.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { LicenseService } from '../../system/license.ts';
import type { Membership } from '../../cluster/membership.ts';
import { wholeList } from '../whole-list.ts';

/** What the nodes of a cluster need. */
export interface ClusterServices {
  readonly config: Pick<Config, 'database'>;
  readonly clock: Clock;
  readonly store: Pick<Store, 'nodes' | 'secret' | 'settings'>;
  readonly license: Pick<LicenseService, 'requireEnterprise'>;
  readonly membership: Membership;
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

/** The codes by which servers join: created here or by `vidette invite`, used by `vidette join`. */
function registerInvitations(
  registrar: Registrar,
  { config, store, clock, license, membership }: ClusterServices,
): void {
  const invitations = new Invitations({ settings: store.settings, secret: store.secret, clock });
  const address = async () =>
    config.database === null ? null : ((await store.nodes.byId(membership.id))?.address ?? null);

  registrar.handle('listClusterInvitations', async () => {
    license.requireEnterprise('cluster');
    return { ...wholeList((await invitations.open()).map(invitationView)), address: await address() };
  });

  registrar.handle('addClusterInvitation', async ({ principal, audit }) => {
    license.requireEnterprise('cluster');
    const own = await address();
    if (own === null) {
      throw new Fault(
        'ActionNotAcceptable',
        'Nodes share a PostgreSQL database: name one as `database` first.',
      );
    }
    const { code, ...made } = await invitations.make(principal.user.login);
    audit.target = made.id;
    return { ...invitationView(made), code, address: own };
  });

  registrar.handle('deleteClusterInvitation', async ({ params }) => {
    license.requireEnterprise('cluster');
    if (!(await invitations.withdraw(params.id))) {
      throw new Fault('NotFound', 'The invitation was used, has ended, or was withdrawn.');
    }
    return {};
  });
}

function invitationView({ id, createdMs, by, untilMs }: Invitation) {
  return { id, createdTime: createdMs, createdBy: by, expiresTime: untilMs };
}
