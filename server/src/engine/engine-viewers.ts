import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@vidette/contract/errors';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { connectionOf, type SocketHandle } from '../base/socket-handle.ts';
import { asStream } from '../base/stream-context.ts';
import { prepareSocket, socketOptions } from '../base/web-socket.ts';
import type { Stream } from '../hub/stream.ts';
import type { Live, LiveAudience } from '../live/live.ts';
import type { LiveSession } from '../live/session.ts';
import type { StreamManager } from './stream-manager.ts';
import type { PassedViewer, PresentViewer } from './viewer-protocol.ts';

export interface EngineViewersOptions {
  /** Undefined until the engine is set up. */
  readonly streamManager: () => Pick<StreamManager, 'find'> | undefined;
  readonly live: Pick<Live, 'serveSocket' | 'audience'>;
  /** Reports to the front, if one is there. */
  readonly report: (type: 'viewer-taken' | 'viewer-gone', id: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * How long viewers continue without a front that follows their rights, ms. A front that is replaced or started again is
 * normally back within two seconds.
 */
const orphanedMs = 10_000;
/** The front ends viewers itself when their session or token expires; the engine does so much later if the front hangs, ms. */
const graceMs = 5_000;

interface ServedViewer extends PresentViewer {
  readonly socket: Socket;
  /** Undefined before the upgrade. */
  session: LiveSession | undefined;
  cancelExpiry: Cancel | undefined;
}

/**
 * Viewers whose connections were passed to this engine: it completes their upgrade and serves them from its own hubs. The
 * front has authorised them, and orders their end.
 */
export class EngineViewers {
  readonly #options: EngineViewersOptions;
  readonly #upgrades = new WebSocketServer({ noServer: true, clientTracking: false, ...socketOptions });
  readonly #viewers = new Map<string, ServedViewer>();
  #cancelEnd: Cancel | undefined;
  #cancelSilence: Cancel | undefined;

  constructor(options: EngineViewersOptions) {
    this.#options = options;
  }

  /** For a front that has connected. */
  get present(): PresentViewer[] {
    return Array.from(this.#viewers.values(), ({ id, uid, claim }) => ({ id, uid, claim }));
  }

  /** Serves a viewer until either side ends it. */
  take(viewer: PassedViewer, handle: SocketHandle): void {
    const { id, uid, claim, headers, head } = viewer;
    const { report, log } = this.#options;
    const socket = connectionOf(handle);
    const served: ServedViewer = {
      ...{ id, uid, claim, socket },
      ...{ session: undefined, cancelExpiry: undefined },
    };
    this.#viewers.set(id, served);
    socket.on('error', (err) => log.debug({ err, stream: uid }, 'the connection of a live viewer was lost'));
    socket.once('close', () => {
      this.#viewers.delete(id);
      served.cancelExpiry?.();
      report('viewer-gone', id);
    });
    report('viewer-taken', id);
    // All that the library reads of a request.
    const request = { method: 'GET', url: '/', headers } as unknown as IncomingMessage;
    this.#upgrades.handleUpgrade(request, socket, Buffer.from(head, 'base64'), (webSocket) =>
      this.#serve(served, viewer, webSocket),
    );
  }

  /** Ends a viewer, if it is still here; it receives the code. */
  end(id: string, code: ErrorCode): void {
    const viewer = this.#viewers.get(id);
    if (viewer?.session) viewer.session.end(code);
    else viewer?.socket.destroy();
  }

  /** Its session or token expires then, ms since the epoch; null: not soon. */
  noteUntil(id: string, untilMs: number | null): void {
    const { clock } = this.#options;
    const viewer = this.#viewers.get(id);
    viewer?.cancelExpiry?.();
    if (!viewer || untilMs === null) return;
    const leftMs = Math.max(0, untilMs - clock.wallMs()) + graceMs;
    viewer.cancelExpiry = clock.after(leftMs, () => this.end(id, 'AuthorizationRequired'));
  }

  audience(stream: Stream): LiveAudience {
    return this.#options.live.audience(stream);
  }

  /** There is no front any more. */
  orphan(): void {
    this.#cancelSilence?.();
    this.#cancelEnd ??= this.#options.clock.after(orphanedMs, () => {
      this.#cancelEnd = undefined;
      this.close();
    });
  }

  /** A front follows the rights of all viewers from here on. */
  adopt(): void {
    this.#cancelEnd?.();
    this.#cancelEnd = undefined;
  }

  /** The front turns. One that says so, and no longer does, hangs: then viewers end as without a front. */
  noteFront(): void {
    const { clock } = this.#options;
    this.#cancelSilence?.();
    // In two steps: after a pause of the whole machine, what the front has sent is still unread.
    this.#cancelSilence = clock.after(orphanedMs / 2, () => {
      this.#cancelSilence = clock.after(orphanedMs / 2, () => this.close());
    });
  }

  /** Ends all viewers; their pages connect again. */
  close(): void {
    for (const id of [...this.#viewers.keys()]) this.end(id, 'Unavailable');
  }

  #serve(served: ServedViewer, { uid, variant }: PassedViewer, webSocket: WebSocket): void {
    prepareSocket(webSocket, served.socket);
    const running = this.#options.streamManager()?.find(uid);
    if (!running) {
      webSocket.on('error', () => {});
      webSocket.close(1011, 'Unavailable');
      return;
    }
    // The source that it may start belongs to the stream; what the viewer sends does not.
    const release = asStream(uid, () => running.demand.addViewer());
    served.socket.once('close', release);
    served.session = this.#options.live.serveSocket(webSocket, running.stream, variant);
  }
}
