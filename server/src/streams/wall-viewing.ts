import type { ErrorCode } from '@vidette/contract/errors';
import type { WebSocket } from 'ws';
import type { Principal } from '../access/principal.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Live } from '../live/live.ts';
import { WallSocket, type WallWatchRequest } from '../live/wall-socket.ts';
import type { WatchLog } from '../system/watch-log.ts';
import type { Transcoding } from '../transcoding/transcoding.ts';
import type { LiveSessions } from './live-sessions.ts';
import { transcodingViewer } from './transcoding-viewer.ts';

export interface WallViewingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly streamManager: Pick<StreamManager, 'get'>;
  readonly live: Live;
  readonly transcoding: Pick<Transcoding, 'live'>;
  readonly watchLog: Pick<WatchLog, 'begin'>;
  readonly liveSessions: Pick<LiveSessions, 'add' | 'judge'>;
}

/** Live video of many streams over one WebSocket; the right to each stream is checked when it is requested. */
export class WallViewing {
  readonly #options: WallViewingOptions;

  constructor(options: WallViewingOptions) {
    this.#options = options;
  }

  /** Serves one WebSocket until either side ends it. */
  watch(principal: Principal, ip: string, socket: WebSocket): void {
    const { clock, log, live } = this.#options;
    new WallSocket({
      socket,
      clock,
      log,
      live,
      admit: (request, end) => this.admit(principal, ip, request, end),
    });
  }

  /** @throws Fault when the caller may not watch the stream */
  async admit(
    principal: Principal,
    ip: string,
    { uid, picture: snapshot, convert }: WallWatchRequest,
    end: (code: ErrorCode) => void,
  ) {
    const { streamManager, transcoding, watchLog, liveSessions } = this.#options;
    const watched = { principal, uid, right: 'view', isConverted: convert, end } as const;
    // Before the check, so that a revocation during it is not missed.
    const forget = liveSessions.add(watched);
    try {
      const code = await liveSessions.judge(watched);
      if (code !== undefined) throw new Fault(code, 'The stream may not be watched.');
      const running = streamManager.get(uid);
      const sub = snapshot === 'sub' ? running.sub : undefined;
      const { stream, demand } = sub ?? running;
      const source = convert
        ? transcoding.live(transcodingViewer(principal, uid), stream, end)
        : { stream, close: () => {} };
      const release = demand.addViewer();
      const noteEnd = watchLog.begin({ mode: 'watchWall', uid, login: principal.user.login, ip });
      return {
        stream: source.stream,
        isSub: sub !== undefined,
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
  }
}
