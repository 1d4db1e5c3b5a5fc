import type { Principal } from '../../access/principal.ts';
import { Attempts } from '../../access/attempts.ts';
import { mayUseLoopback, requireStream } from '../../access/stream-policy.ts';
import { Fault } from '../../base/fault.ts';
import { parseSourceAddress, type SourceAddress } from '../../dial/address.ts';
import type { Registrar } from '../registrar.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Membership } from '../../cluster/membership.ts';
import type { SourceProbe } from '../../streams/source-probe.ts';

/** What probing needs. */
export interface ProbeServices {
  readonly clock: Clock;
  readonly store: Pick<Store, 'streams' | 'streamList'>;
  readonly membership: Pick<Membership, 'likelyElsewhere' | 'nodeElsewhere'>;
  readonly sourceProbe: SourceProbe;
}

/** Probing a source before it becomes a stream. */
export function registerProbe(registrar: Registrar, services: ProbeServices): void {
  const { sourceProbe, store, membership, clock } = services;
  // A user who may add streams could scan a network with this; a person looks at a handful of cameras in a
  // minute.
  const perUser = new Attempts(clock, { max: 60, windowMs: 60_000 });
  // Several users behind one address, but not as many accounts as one attacker can create.
  const perAddress = new Attempts(clock, { max: 180, windowMs: 60_000 });

  const admit = async (
    principal: Principal,
    ip: string,
    query: { url: string; stream_id?: string | undefined },
  ) => {
    const address = await addressToProbe(services, principal, query);
    const user = String(principal.user.id);
    perUser.check(user);
    perAddress.check(ip);
    perUser.add(user);
    perAddress.add(ip);
    return address;
  };

  /** The other node that has the stream, or would get it. */
  const lookFrom = async (query: { stream_id?: string | undefined }) =>
    query.stream_id === undefined
      ? membership.likelyElsewhere(await store.streams.count())
      : membership.nodeElsewhere(query.stream_id);

  registrar.handle('probeStream', async ({ principal, ip, query, signal }) => {
    const address = await admit(principal, ip, query);
    const allowLoopback = mayUseLoopback(principal);
    return sourceProbe.report(await lookFrom(query), { address, allowLoopback, signal });
  });

  registrar.handle('previewStream', async ({ principal, ip, query, signal }) => {
    const address = await admit(principal, ip, query);
    const allowLoopback = mayUseLoopback(principal);
    const body = await sourceProbe.snapshot(await lookFrom(query), { address, allowLoopback, signal });
    return { contentType: 'image/jpeg', body };
  });
}

/**
 * The address to probe. An address typed without credentials borrows those of the stream being edited, if it is
 * on the same host. @throws Fault Forbidden for those who may neither add a stream nor edit this one
 */
async function addressToProbe(
  services: ProbeServices,
  principal: Principal,
  query: { url: string; stream_id?: string | undefined },
): Promise<SourceAddress> {
  if (query.stream_id === undefined) {
    if (principal.isReadOnly) throw new Fault('Forbidden', 'A read-only user adds no streams.');
    return parseSourceAddress(query.url);
  }
  const { stream } = await requireStream(services.store.streamList, principal, query.stream_id, 'edit');
  const address = parseSourceAddress(query.url);
  const stored = parseSourceAddress(stream.source);
  const isSameHost = stored.host === address.host && stored.port === address.port;
  if (address.credentials || !stored.credentials || !isSameHost) return address;
  return { ...address, credentials: stored.credentials };
}
