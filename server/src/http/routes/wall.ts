import { Fault } from '../../base/fault.ts';
import { WallSocket } from '../../live/wall-socket.ts';
import type { Registrar } from '../registrar.ts';
import type { Services } from '../services.ts';
import type { LiveSessions } from '../../streams/live-sessions.ts';
import { transcodingViewer } from '../../streams/transcoding-viewer.ts';

/** Live video of many streams over one WebSocket; each stream's right is checked when it is requested. */
export function registerWall(registrar: Registrar, services: Services, liveSessions: LiveSessions): void {
  const { streamManager, live, transcoding, watchLog, clock, log } = services;

  registrar.handleSocket('watchWall', ({ principal, ip }, socket) => {
    new WallSocket({
      socket,
      clock,
      log,
      live,
      async admit({ uid, picture: snapshot, convert }, end) {
        const watched = { principal, uid, right: 'view', isConverted: convert, end } as const;
        // Before the check, so that a right revoked during it is not missed.
        const forget = liveSessions.add(watched);
        try {
          const code = await liveSessions.judge(watched);
          if (code !== undefined) throw new Fault(code, 'The stream may not be watched.');
          const running = streamManager.get(uid);
          const { stream, demand } = (snapshot === 'sub' ? running.sub : undefined) ?? running;
          const source = convert
            ? transcoding.live(transcodingViewer(principal, uid), stream, () => end('ProbeError'))
            : { stream, close: () => {} };
          const release = demand.addViewer();
          const noteEnd = watchLog.begin({ mode: 'watchWall', uid, login: principal.user.login, ip });
          return {
            stream: source.stream,
            leave() {
              noteEnd();
              forget();
              release();
              source.close();
            },
          };
        } catch (error) {
          forget();
          throw error;
        }
      },
    });
  });
}
