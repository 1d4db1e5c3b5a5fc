import { Fault } from '../../base/fault.ts';
import { WallSocket } from '../../live/wall-socket.ts';
import type { Registrar } from '../registrar.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { StreamManager } from '../../engine/stream-manager.ts';
import type { Live } from '../../live/live.ts';
import type { Transcoding } from '../../transcoding/transcoding.ts';
import type { WatchLog } from '../../system/watch-log.ts';
import type { LiveSessions } from '../../streams/live-sessions.ts';
import { transcodingViewer } from '../../streams/transcoding-viewer.ts';

/** What walls need. */
export interface WallServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly streamManager: Pick<StreamManager, 'get'>;
  readonly live: Live;
  readonly transcoding: Pick<Transcoding, 'live'>;
  readonly watchLog: Pick<WatchLog, 'begin'>;
  readonly liveSessions: Pick<LiveSessions, 'add' | 'judge'>;
}

/** Live video of many streams over one WebSocket; each stream's right is checked when it is requested. */
export function registerWall(registrar: Registrar, services: WallServices): void {
  const { streamManager, live, transcoding, watchLog, clock, log, liveSessions } = services;

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
