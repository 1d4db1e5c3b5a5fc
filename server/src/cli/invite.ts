import { systemClock } from '../base/clock.ts';
import type { Config } from '../config/schema.ts';
import { Invitations, invitationMs } from '../rpc/invitation.ts';
import { databasePlace } from '../store/open-database.ts';
import { Store } from '../store/store.ts';
import type { Tell } from './answer.ts';

/**
 * `vidette invite`: prints the command with which another server joins this one's cluster. Resolves to the exit
 * code.
 */
export async function invite(config: Config, out: (line: string) => void, tell?: Tell): Promise<number> {
  if (config.database === null) {
    out('A cluster needs a PostgreSQL server: configure one as `database` first (see guide/cluster.md).');
    return 1;
  }
  const store = await Store.open({ ...databasePlace(config), redact: () => '' });
  try {
    const address = (await store.nodes.byId(config.node.id))?.address;
    if (address === null || address === undefined) {
      out('This node has never run: start it first, so that the new server can reach it.');
      return 1;
    }
    const { settings, secret } = store;
    const { code } = await new Invitations({ settings, secret, clock: systemClock }).make(null);
    tell?.({ address, code, validSeconds: invitationMs / 1_000 });
    out(`On the new server, within ${invitationMs / 60_000} minutes, with the name for it:`);
    out(`vidette join ${address} ${code} NAME`);
    return 0;
  } finally {
    await store.close();
  }
}
