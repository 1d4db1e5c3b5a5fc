import { newSecret } from '../../access/secrets.ts';
import { Fault } from '../../base/fault.ts';
import type { StreamRecord } from '../../store/stream-addresses.ts';
import { publicBase } from '../origin.ts';
import type { Registrar } from '../registrar.ts';
import type { Services } from '../services.ts';
import type { SharedViewers } from '../shared-viewers.ts';

/** The public link of a stream [R7.9, R10.5]: made and revoked by whoever may share, watched by whoever has it. */
export function registerShare(registrar: Registrar, services: Services, viewers: SharedViewers): void {
  const { store, station, live, config } = services;

  registrar.handle('getStreamShare', async ({ stream, request }) => {
    const { id, share_embeds, share_key } = stream.stream;
    const key = share_key ?? (await store.streams.makeShareKey(id, newSecret()));
    return {
      url: `${publicBase(request, config.publicUrl)}/ui/share/${key}`,
      isEmbeddable: share_embeds === 1,
    };
  });

  registrar.handle('saveStreamShare', async ({ stream, body, request }) => {
    const { id, share_key: key } = stream.stream;
    if (key === null) throw new Fault('NotFound', 'The stream has no public link.');
    await store.streams.setShareEmbeds(id, body.isEmbeddable);
    return {
      url: `${publicBase(request, config.publicUrl)}/ui/share/${key}`,
      isEmbeddable: body.isEmbeddable,
    };
  });

  registrar.handle('revokeStreamShare', async ({ stream }) => {
    await store.streams.removeShareKey(stream.stream.id);
    viewers.review(stream.stream.uid);
    return {};
  });

  registrar.handle('getShared', async ({ params }) => {
    const { uid, name } = await sharedStream(services, params.key);
    return { name, status: station.state(uid).status, viewers: viewers.count(uid) };
  });

  const admitted = new WeakMap<object, StreamRecord>();
  registrar.handleSocket(
    'watchShared',
    ({ request, query, params }, socket) => {
      const uid = admitted.get(request)?.uid;
      const running = uid === undefined ? undefined : station.find(uid);
      if (uid === undefined || !running) {
        socket.close(1011, 'Unavailable');
        return;
      }
      const release = running.leases.addViewer();
      const session = live.serveSocket(socket, running.stream, {
        audio: query.audio,
        keyFramesOnly: query.keyframes,
      });
      const forget = viewers.add(uid, params.key, session);
      const leave = () => {
        forget();
        release();
      };
      socket.once('close', leave);
      // It may have gone while it was let in; then no 'close' follows.
      if (socket.readyState === socket.CLOSED) leave();
    },
    async ({ request, params, audit }) => {
      const stream = await sharedStream(services, params.key);
      audit.target = stream.uid;
      admitted.set(request, stream);
    },
  );
}

/** @throws Fault NotFound for a key that was revoked or never was */
async function sharedStream(services: Services, key: string): Promise<StreamRecord> {
  const stream = await services.store.streams.byShareKey(key);
  if (!stream) throw new Fault('NotFound', 'The link is not valid.');
  return stream;
}
