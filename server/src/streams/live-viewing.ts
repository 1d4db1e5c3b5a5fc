import type { ErrorCode } from '@vidette/contract/errors';
import type { LiveMessage } from '@vidette/contract/live';
import type { WebSocket } from 'ws';
import { principalOf, type Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { PendingUpgrade, RemoteViewer, RemoteViewers } from '../engine/remote-viewers.ts';
import type { Snapshot } from '../engine/snapshots.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Stream } from '../hub/stream.ts';
import type { Live } from '../live/live.ts';
import type { Store } from '../store/store.ts';
import type { WatchLog } from '../system/watch-log.ts';
import type { Transcoding, TranscodingViewer } from '../transcoding/transcoding.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { StreamInsight } from './stream-insight.ts';
import { transcodingViewer } from './transcoding-viewer.ts';
import { whenClosed } from './when-closed.ts';

/** Who watches which stream live; permission has been checked. */
export interface LiveViewer {
  readonly principal: Principal;
  readonly uid: string;
  readonly ip: string;
}

export interface LiveVariantChoice {
  readonly audio: boolean;
  readonly keyFramesOnly: boolean;
  readonly isConverted: boolean;
}

/** By which right a viewer watches whom an engine serves: ids of it that a later front can check again. */
export interface UserClaim {
  readonly kind: 'user';
  readonly userId: number;
  readonly by: Principal['by'];
  readonly ip: string;
}

export interface LiveViewingOptions {
  readonly store: Pick<Store, 'users'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'get'>;
  readonly live: Pick<Live, 'serveSocket' | 'hls'>;
  readonly transcoding: Pick<Transcoding, 'live'>;
  readonly watchLog: Pick<WatchLog, 'begin' | 'touch'>;
  readonly liveSessions: Pick<LiveSessions, 'add' | 'addShort'>;
  /** Of streams on any node. */
  readonly insight: Pick<StreamInsight, 'snapshot'>;
  /** Undefined where streams run in this process. */
  readonly viewers?: Pick<RemoteViewers, 'serve'> | undefined;
}

/**
 * Live video of one stream for its viewers: recorded as watching, and ended when the right to it ends [R4.4].
 */
export class LiveViewing {
  readonly #options: LiveViewingOptions;

  constructor(options: LiveViewingOptions) {
    this.#options = options;
  }

  /** Serves one WebSocket until either side ends it. */
  watch({ principal, uid, ip }: LiveViewer, choice: LiveVariantChoice, socket: WebSocket): void {
    const { streamManager, live, watchLog, liveSessions } = this.#options;
    const { audio, keyFramesOnly, isConverted } = choice;
    const running = streamManager.find(uid);
    if (!running) {
      socket.close(1011, 'Unavailable');
      return;
    }
    const viewer = isConverted ? transcodingViewer(principal, uid) : undefined;
    const source = this.#sourceOf(running.stream, viewer, socket);
    if (!source) return;
    const release = running.demand.addViewer();
    const session = live.serveSocket(socket, source.stream, { audio, keyFramesOnly });
    const end = (code: ErrorCode) => session.end(code);
    const forget = liveSessions.add({ principal, uid, right: 'view', isConverted, end });
    const noteEnd = watchLog.begin({ mode: 'watchStream', uid, login: principal.user.login, ip });
    whenClosed(socket, () => {
      noteEnd();
      forget();
      release();
      source.close();
    });
  }

  /**
   * Has the engine that runs the stream serve the viewer, so that this process is not in the way of its bytes. False
   * where it can't, as a transcoding: then `watch` serves it.
   */
  async handOver(
    { principal, uid, ip }: LiveViewer,
    { audio, keyFramesOnly, isConverted }: LiveVariantChoice,
    upgrade: PendingUpgrade,
  ): Promise<boolean> {
    const { viewers, streamManager } = this.#options;
    // The source begins to connect while the upgrade is answered.
    if (!viewers) streamManager.find(uid)?.demand.extend();
    if (isConverted) return false;
    const { user, by } = principal;
    const claim: UserClaim = { kind: 'user', userId: user.id, by, ip };
    const admitted = { uid, variant: { audio, keyFramesOnly }, claim };
    const remote = await viewers?.serve(admitted, upgrade);
    if (!remote) return false;
    this.#follow({ principal, uid, ip }, remote);
    return true;
  }

  /** Follows a viewer that an earlier process of this server admitted, and ends it if it has lost the right since. */
  async adopt(remote: RemoteViewer, { userId, by, ip }: UserClaim): Promise<void> {
    const user = await this.#options.store.users.byId(userId);
    if (user) this.#follow({ principal: principalOf(user, by), uid: remote.uid, ip }, remote);
    else remote.end('AuthorizationRequired');
  }

  /**
   * A file of the stream's LL-HLS. A request for media that is not available yet may wait for seconds.
   * @throws Fault Unavailable, NotFound, or the code with which the right ended meanwhile
   */
  async file({ principal, uid, ip }: LiveViewer, name: string, query: URLSearchParams, signal: AbortSignal) {
    const { streamManager, live, watchLog, liveSessions } = this.#options;
    const running = streamManager.get(uid);
    watchLog.touch({ mode: 'watchStream', uid, login: principal.user.login, ip });
    running.demand.extend();
    const cut = new AbortController();
    const end = (code: ErrorCode) => cut.abort(new Fault(code, 'The right to watch has ended.'));
    const forget = liveSessions.addShort({ principal, uid, right: 'view', end });
    try {
      const file = await live.hls(running.stream).handle(name, query, AbortSignal.any([signal, cut.signal]));
      cut.signal.throwIfAborted();
      return file;
    } finally {
      forget();
    }
  }

  /** The newest key frame as a JPEG. @param width at most, pixels @throws Fault Unavailable when there is none yet */
  async snapshot({ principal, uid, ip }: LiveViewer, width: number): Promise<Snapshot> {
    const { insight, watchLog } = this.#options;
    const snapshot = await insight.snapshot(uid, width);
    watchLog.touch({ mode: 'watchStills', uid, login: principal.user.login, ip });
    return snapshot;
  }

  #follow({ principal, uid, ip }: LiveViewer, remote: RemoteViewer): void {
    const { watchLog, liveSessions } = this.#options;
    const end = (code: ErrorCode) => remote.end(code);
    const noteUntil = (untilMs: number | null) => remote.noteUntil(untilMs);
    const forget = liveSessions.add({ principal, uid, right: 'view', end, noteUntil });
    const noteEnd = watchLog.begin({ mode: 'watchStream', uid, login: principal.user.login, ip });
    remote.whenGone(() => {
      noteEnd();
      forget();
    });
  }

  /** The viewer's source: the hub, or a transcoding of it. Undefined when refused; the viewer is notified. */
  #sourceOf(hub: Stream, viewer: TranscodingViewer | undefined, socket: WebSocket) {
    if (!viewer) return { stream: hub, close: () => {} };
    const refuse = (code: ErrorCode) => {
      const message: LiveMessage = { type: 'end', code };
      socket.send(JSON.stringify(message));
      socket.close(1000, code);
    };
    try {
      return this.#options.transcoding.live(viewer, hub, refuse);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      refuse(error.code);
      return undefined;
    }
  }
}
