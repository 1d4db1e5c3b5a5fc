import { fileURLToPath } from 'node:url';
import { AccessFeed, type AccessNote } from '../access/access-feed.ts';
import { CallChecks } from '../http/call-checks.ts';
import { CallRecord } from '../http/call-record.ts';
import { openHttpServer, type HttpServer } from '../http/http-server.ts';
import { serveMetrics } from '../http/metrics.ts';
import { servePage } from '../http/page.ts';
import { Registrar } from '../http/registrar.ts';
import { serveNodeLink } from '../http/rpc-server.ts';
import { serveSecurityText } from '../http/security-text.ts';
import { noneReachesDatabase } from '../rpc/database-probe.ts';
import { Tunnel } from '../tunnel/tunnel.ts';
import type { LinkClaim } from '../streams/shared-viewing.ts';
import type { UserClaim } from '../streams/live-viewing.ts';
import { composeApplication, type Application } from './application.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import { registerRoutes } from './routes.ts';
import type { Areas, AppServices } from './services.ts';

const pageDir = fileURLToPath(new URL('../../../ui/dist', import.meta.url));

/** Everything that the addresses of this server lead to. */
export interface HttpAreas extends Areas {
  readonly ffmpeg: Ffmpeg;
  readonly services: AppServices;
}

/** The server with all its routes, which does not listen yet, and its tunnel, which does not connect yet. */
export type HttpArea = Opened<Awaited<ReturnType<typeof openHttp>>>;

/** Rejects if a call of the contract has no handler. */
export function composeHttp(areas: HttpAreas): Promise<HttpArea> {
  return opened((closers) => openHttp(areas, closers));
}

async function openHttp(areas: HttpAreas, closers: Closer[]) {
  const { foundation, storage, access, services } = areas;
  const { config, configStore, clock, log } = foundation;
  const http = await openHttpServer({ config, clock, log, lock: access.lock });
  closers.push(() => http.close());
  closers.push(() => services.liveSessions.close());
  // An open response would keep the server from closing.
  closers.push(() => services.eventStreams.close());
  closers.push(() => services.changeSearches.close());
  const tunnel = await Tunnel.open({
    config,
    memory: storage.store.settings,
    isAllowed: () => storage.license.allows('tunnel'),
    admit: (connection) => http.admit(connection),
    clock,
    log,
  });
  configStore.onApplied(() => tunnel.reconsider());
  storage.license.onReplaced(() => tunnel.reconsider());
  await serveAll(http, areas, tunnel);
  const accessFeed = await openAccessFeed(areas);
  closers.push(() => accessFeed.close());
  closers.push(() => tunnel.close());
  if (config.trustProxy === true) {
    log.warn(
      {},
      'trustProxy: true trusts one proxy on any private address: list the addresses of your proxies instead, as in [10.0.0.5]',
    );
  }
  return { http, tunnel };
}

/** Every call of the contract, metrics, other nodes and the page. Throws if a call has no handler. */
async function serveAll(
  { routes, certificate }: HttpServer,
  areas: HttpAreas,
  tunnel: Tunnel,
): Promise<void> {
  const { foundation, engines, storage, ffmpeg, cluster, media, access, services } = areas;
  const all = {
    viewers: engines.viewers,
    ...foundation,
    ...storage,
    ...ffmpeg,
    ...cluster,
    ...media,
    ...access,
    ...services,
    pageDir,
    certificate,
    tunnel,
  };
  const registrar = new Registrar(routes, new CallChecks(all), new CallRecord(all));
  const application = composeApplication(all);
  registerRoutes(registrar, { ...all, ...application });
  if (registrar.missing.length > 0)
    throw new Error(`Calls without a handler: ${registrar.missing.join(', ')}`);
  followViewers(areas, application);
  serveMetrics(routes, all);
  serveSecurityText(routes, all);
  await serveNodeLink(routes, all);
  await servePage(routes, all);
}

/** Engines may serve viewers that an earlier process of this server admitted. */
function followViewers(
  { engines, foundation: { log } }: HttpAreas,
  { liveViewing, sharedViewing }: Pick<Application, 'liveViewing' | 'sharedViewing'>,
): void {
  engines.viewers?.begin((remote, claim) => {
    const { kind } = claim as UserClaim | LinkClaim;
    if (kind === 'link') sharedViewing.adopt(remote, claim as LinkClaim);
    else if (kind === 'user')
      liveViewing.adopt(remote, claim as UserClaim).catch((err: unknown) => {
        log.warn({ err, stream: remote.uid }, 'The permissions of a viewer could not be read');
        remote.end('Unavailable');
      });
    // Of another version.
    else remote.end('Unavailable');
  });
}

/** Long-lived responses follow the changes that any node makes to rights, sessions and links. */
function openAccessFeed({ foundation, storage, cluster, access, services }: HttpAreas): Promise<AccessFeed> {
  const { store } = storage;
  const { rpc, tables, cluster: nodes } = cluster;
  const { liveSessions, sharedViewers, streamService, eventStreams } = services;
  const onChange = (note: AccessNote) => {
    if (!note) {
      access.authenticator.forgetAll();
      eventStreams.reviewAll();
      sharedViewers.reviewAll();
      return;
    }
    for (const userId of note.userIds) access.authenticator.forget(userId);
    for (const uid of note.uids) {
      liveSessions.reviewStream(uid);
      sharedViewers.review(uid);
    }
    if (note.uids.size > 0) eventStreams.reviewAll();
    streamService.hearRights(note.uids);
  };
  const onLost = () => {
    liveSessions.endAll();
    eventStreams.endAll();
    sharedViewers.endAll();
  };
  return AccessFeed.open({
    changes: (tables ?? store).accessChanges,
    clock: foundation.clock,
    log: foundation.log,
    onChange,
    onLost,
    isFrozen: nodes && (() => noneReachesDatabase(rpc, nodes.peersThere)),
    writes: store.watchWrites(),
  });
}
