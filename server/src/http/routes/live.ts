import type { ErrorCode } from '@vidette/contract/errors';
import type { WebSocket } from 'ws';
import type { MediaAnswer } from '../call-context.ts';
import { Fault } from '../../base/fault.ts';
import type { TranscodingViewer, Transcoding } from '../../transcoding/transcoding.ts';
import type { LiveMessage } from '@vidette/contract/live';
import type { Stream } from '../../hub/stream.ts';
import type { Registrar } from '../registrar.ts';
import type { StreamManager } from '../../engine/stream-manager.ts';
import type { Live } from '../../live/live.ts';
import type { WatchLog } from '../../system/watch-log.ts';
import type { LiveSessions } from '../../streams/live-sessions.ts';
import { transcodingViewer } from '../../streams/transcoding-viewer.ts';

/** What live video needs. */
export interface LiveServices {
  readonly streamManager: Pick<StreamManager, 'find' | 'get'>;
  readonly live: Pick<Live, 'serveSocket' | 'hls'>;
  readonly transcoding: Pick<Transcoding, 'live'>;
  readonly watchLog: Pick<WatchLog, 'begin' | 'touch'>;
  readonly liveSessions: Pick<LiveSessions, 'add' | 'addShort'>;
}

/** Live video: a WebSocket for the page, LL-HLS for external players. */
export function registerLive(registrar: Registrar, services: LiveServices): void {
  const { streamManager, live, transcoding, watchLog, liveSessions } = services;

  /**
   * What the viewer reads: the hub, or a transcoding of it. Undefined when that is refused; the viewer is
   * notified.
   */
  const sourceOf = (hub: Stream, viewer: TranscodingViewer | undefined, socket: WebSocket) => {
    if (!viewer) return { stream: hub, close: () => {} };
    const refuse = (code: ErrorCode) => {
      const message: LiveMessage = { type: 'end', code };
      socket.send(JSON.stringify(message));
      socket.close(1000, code);
    };
    try {
      return transcoding.live(viewer, hub, () => refuse('ProbeError'));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      refuse(error.code);
      return undefined;
    }
  };

  registrar.handleSocket('watchStream', ({ stream, principal, query, ip }, socket) => {
    const { uid } = stream.stream;
    const running = streamManager.find(uid);
    if (!running) {
      socket.close(1011, 'Unavailable');
      return;
    }
    const viewer = query.convert ? transcodingViewer(principal, uid) : undefined;
    const source = sourceOf(running.stream, viewer, socket);
    if (!source) return;
    const release = running.demand.addViewer();
    const session = live.serveSocket(socket, source.stream, {
      audio: query.audio,
      keyFramesOnly: query.keyframes,
    });
    const forget = liveSessions.add({
      principal,
      uid,
      right: 'view',
      isConverted: query.convert,
      end: (code) => session.end(code),
    });
    const noteEnd = watchLog.begin({ mode: 'watchStream', uid, login: principal.user.login, ip });
    const leave = () => {
      noteEnd();
      forget();
      release();
      source.close();
    };
    socket.once('close', leave);
    // The client may have disconnected while it was admitted; then no 'close' follows.
    if (socket.readyState === socket.CLOSED) leave();
  });

  registrar.handle(
    'getLiveFile',
    async ({ stream, principal, params, request, signal, ip }): Promise<MediaAnswer> => {
      const { uid } = stream.stream;
      const running = streamManager.get(uid);
      watchLog.touch({ mode: 'watchStream', uid, login: principal.user.login, ip });
      running.demand.extend();
      const query = new URLSearchParams(request.url.split('?')[1] ?? '');
      // A request for media still to come may wait for seconds, and the right may be revoked meanwhile.
      const cut = new AbortController();
      const end = (code: ErrorCode) => cut.abort(new Fault(code, 'The right to watch has ended.'));
      const forget = liveSessions.addShort({ principal, uid, right: 'view', end });
      try {
        const answer = await live
          .hls(running.stream)
          .handle(params.file, query, AbortSignal.any([signal, cut.signal]));
        cut.signal.throwIfAborted();
        return answer;
      } finally {
        forget();
      }
    },
  );
}
