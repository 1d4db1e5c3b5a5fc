import type { MediaAnswer } from '../call-context.ts';
import type { Registrar } from '../registrar.ts';
import type { Services } from '../services.ts';
import type { Watchers } from '../watchers.ts';

/** Live pictures: a WebSocket for the page, LL-HLS for players outside. */
export function registerLive(registrar: Registrar, services: Services, watchers: Watchers): void {
  const { station, live } = services;

  registrar.handleSocket('watchStream', ({ stream, principal, query }, socket) => {
    const { uid } = stream.stream;
    const running = station.find(uid);
    if (!running) {
      socket.close(1011, 'Unavailable');
      return;
    }
    const release = running.leases.addViewer();
    const session = live.serveSocket(socket, running.stream, {
      audio: query.audio,
      keyFramesOnly: query.keyframes,
    });
    const forget = watchers.add({ principal, uid, right: 'view', end: (code) => session.end(code) });
    const leave = () => {
      forget();
      release();
    };
    socket.once('close', leave);
    // It may have gone while it was let in; then no 'close' follows.
    if (socket.readyState === socket.CLOSED) leave();
  });

  registrar.handle('getLiveFile', async ({ stream, params, request, signal }): Promise<MediaAnswer> => {
    const running = station.get(stream.stream.uid);
    running.leases.extend();
    const query = new URLSearchParams(request.url.split('?')[1] ?? '');
    const answer = await live.hls(running.stream).handle(params.file, query, signal);
    return answer;
  });
}
