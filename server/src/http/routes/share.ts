import { newSecret } from '../../access/secrets.ts';
import { Fault } from '../../base/fault.ts';
import type { StreamRecord } from '../../store/stream-row.ts';
import { changesBetween } from '../../system/audit-changes.ts';
import { publicBase, requireIntent } from '../origin.ts';
import type { Registrar } from '../registrar.ts';
import type { Config } from '../../config/schema.ts';
import type { Store } from '../../store/store.ts';
import type { AuditLog } from '../../system/audit-log.ts';
import type { StreamManager } from '../../engine/stream-manager.ts';
import type { Live } from '../../live/live.ts';
import type { WatchLog } from '../../system/watch-log.ts';
import type { StreamService } from '../../streams/stream-service.ts';
import type { SharedViewers } from '../../streams/shared-viewers.ts';

/** What public links need. */
export interface ShareServices {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly store: Pick<Store, 'streams'>;
  readonly audit: Pick<AuditLog, 'add'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'state'>;
  readonly live: Pick<Live, 'serveSocket'>;
  readonly watchLog: Pick<WatchLog, 'begin'>;
  readonly streamService: Pick<StreamService, 'noteRights'>;
  readonly sharedViewers: SharedViewers;
}

/**
 * The public link of a stream [R7.9, R10.5]: created and revoked by users who may share, watched by anyone who
 * has it.
 */
export function registerShare(registrar: Registrar, services: ShareServices): void {
  const { store, streamManager, live, config, watchLog, streamService, sharedViewers: viewers } = services;

  registrar.handle('getStreamShare', async ({ stream, query, request, principal, ip }) => {
    const { id, uid, shareEmbeds, shareKey } = stream.stream;
    if (shareKey === null && !query.create) throw new Fault('NotFound', 'The stream has no public link.');
    if (shareKey === null) requireIntent(request, config.publicUrl);
    const key = shareKey ?? (await store.streams.makeShareKey(id, newSecret()));
    if (shareKey === null) {
      const details = { changes: { isPublic: [false, true] } };
      const { login } = principal.user;
      services.audit.add({ login, ip, action: 'getStreamShare', target: uid, outcome: 'ok', details });
      streamService.noteRights([uid]);
    }
    return {
      url: `${publicBase(request, config.publicUrl)}/ui/share/${key}`,
      isEmbeddable: shareEmbeds,
    };
  });

  registrar.handle('saveStreamShare', async ({ stream, body, request, audit }) => {
    const { id, shareKey: key, shareEmbeds } = stream.stream;
    if (key === null) throw new Fault('NotFound', 'The stream has no public link.');
    await store.streams.setShareEmbeds(id, body.isEmbeddable);
    audit.details = { changes: changesBetween({ isEmbeddable: shareEmbeds }, body) };
    return {
      url: `${publicBase(request, config.publicUrl)}/ui/share/${key}`,
      isEmbeddable: body.isEmbeddable,
    };
  });

  registrar.handle('revokeStreamShare', async ({ stream, audit }) => {
    const { id, uid, shareKey } = stream.stream;
    await store.streams.removeShareKey(id);
    audit.details = { changes: changesBetween({ isPublic: shareKey !== null }, { isPublic: false }) };
    viewers.review(uid);
    streamService.noteRights([uid]);
    return {};
  });

  registrar.handle('getShared', async ({ params }) => {
    const { uid, name } = await sharedStream(services, params.key);
    return { name, status: streamManager.state(uid).status, viewers: viewers.count(uid) };
  });

  const admitted = new WeakMap<object, StreamRecord>();
  registrar.handleSocket(
    'watchShared',
    ({ request, query, params, ip }, socket) => {
      const uid = admitted.get(request)?.uid;
      const running = uid === undefined ? undefined : streamManager.find(uid);
      if (uid === undefined || !running) {
        socket.close(1011, 'Unavailable');
        return;
      }
      const release = running.demand.addViewer();
      const session = live.serveSocket(socket, running.stream, {
        audio: query.audio,
        keyFramesOnly: query.keyframes,
      });
      const forget = viewers.add(uid, params.key, session);
      const noteEnd = watchLog.begin({ mode: 'watchShared', uid, login: null, ip });
      const leave = () => {
        noteEnd();
        forget();
        release();
      };
      socket.once('close', leave);
      // The client may have disconnected while it was admitted; then no 'close' follows.
      if (socket.readyState === socket.CLOSED) leave();
    },
    async ({ request, params, audit }) => {
      const stream = await sharedStream(services, params.key);
      audit.target = stream.uid;
      admitted.set(request, stream);
    },
  );
}

/** @throws Fault NotFound for a key that was revoked or never existed */
async function sharedStream(services: ShareServices, key: string): Promise<StreamRecord> {
  const stream = await services.store.streams.byShareKey(key);
  if (!stream) throw new Fault('NotFound', 'The link is not valid.');
  return stream;
}
