import type { Duplex } from 'node:stream';
import type { ErrorCode } from '@vidette/contract/errors';
import { encodeLiveMessage, type LiveMessage } from '@vidette/contract/live';
import type { WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { connectionBelow, type PreparedMessage } from '../base/web-socket.ts';
import { heartbeat } from './heartbeat.ts';
import type { LiveSession, LiveSink } from './session.ts';

/** Normal closure, invalid input from the other side, and an internal error (RFC 6455, 7.4.1). */
export const closeCodes = { normal: 1000, policy: 1008, internalError: 1011 } as const;
/** How long the other side may take to answer the close frame before the connection is terminated. */
export const closeTimeoutMs = 2_000;

export interface LiveSocketOptions {
  readonly socket: WebSocket;
  readonly clock: Clock;
  readonly log: Log;
  /** Creates the session that this socket carries. */
  readonly open: (sink: LiveSink, onEnd: (code: ErrorCode, error?: unknown) => void) => LiveSession;
}

/**
 * Carries one live session over one WebSocket that the HTTP layer has authorised. Incoming messages are read,
 * because of the pongs, and ignored. A viewer that answers no ping for two periods counts as disconnected,
 * whatever the network reports.
 * @returns the session, so that the caller can end it when the viewer's right is withdrawn
 */
export function serveLiveSocket(options: LiveSocketOptions): LiveSession {
  const { socket, clock, log } = options;
  const sink = new SocketSink(socket, () => session.resume());
  const session: LiveSession = options.open(sink, (code, error) => {
    cancelPing();
    if (error !== undefined)
      log.error({ err: error }, 'a live viewer was disconnected because of an internal error');
    socket.close(error === undefined ? closeCodes.normal : closeCodes.internalError, code);
    clock.after(closeTimeoutMs, () => socket.terminate());
  });
  const cancelPing = heartbeat(socket, clock);
  socket.on('error', (err) => log.debug({ err }, 'the connection of a live viewer was lost'));
  socket.on('close', () => {
    cancelPing();
    session.close();
  });
  // The viewer may have disconnected while its right to watch was checked.
  if (socket.readyState !== socket.OPEN) session.close();
  return session;
}

/** Sends without waiting; calls back when the network has accepted all of what had to wait. */
class SocketSink implements LiveSink {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;

  constructor(socket: WebSocket, onSent: () => void) {
    this.#socket = socket;
    this.#connection = connectionBelow(socket);
    this.#connection.on('drain', onSent);
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  text(message: LiveMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(encodeLiveMessage(message));
  }

  binary({ frame }: PreparedMessage): void {
    // A failed write is followed by the socket's 'close', which ends the session.
    if (this.#socket.readyState === this.#socket.OPEN) this.#connection.write(frame);
  }
}
