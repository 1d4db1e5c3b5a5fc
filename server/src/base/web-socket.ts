import type { Duplex } from 'node:stream';
import type { ServerOptions, WebSocket } from 'ws';

/** Viewers send only pongs, close frames and, on a wall, the list of streams to show. */
const messageMaxBytes = 4_096;
/** Bytes buffered for one viewer; above it pings are not answered. */
const unreadPongsMaxBytes = 8 * 1024 * 1024;

/**
 * Of every WebSocket that this server accepts. One message per turn of the event loop: a megabyte of empty ones must not
 * all be answered in one turn. Pings are answered by `prepareSocket`. Messages are never compressed, which
 * `PreparedMessage` relies on.
 */
export const socketOptions = {
  maxPayload: messageMaxBytes,
  allowSynchronousEvents: false,
  autoPong: false,
  perMessageDeflate: false,
} as const satisfies ServerOptions;

const connections = new WeakMap<WebSocket, Duplex>();

/**
 * Prepares a WebSocket that was just accepted on a connection. Pings are answered only while the client reads the pongs: the
 * library would buffer one for each.
 */
export function prepareSocket(socket: WebSocket, connection: Duplex): void {
  connections.set(socket, connection);
  socket.on('ping', (data) => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < unreadPongsMaxBytes) socket.pong(data);
  });
}

/** The connection of a WebSocket, for `PreparedMessage`. */
export function connectionBelow(socket: WebSocket): Duplex {
  const connection = connections.get(socket);
  if (!connection) throw new RangeError('This WebSocket was not prepared');
  return connection;
}

/**
 * One binary message for many viewers. A server does not mask its frames, so that all viewers receive the same bytes, and one
 * write of one buffer sends them. That may be mixed with sending through the library: without compression it writes
 * whatever it sends to the connection immediately, and only whole messages.
 */
export interface PreparedMessage {
  /** The frame as it is written to a connection. */
  readonly frame: Uint8Array;
  /** What the client receives. */
  readonly payload: Uint8Array;
}

/** A final frame with binary data (RFC 6455, 5.2). */
const finalBinary = 0x82;
const length16 = 126;
const length64 = 127;

/** @param size the total length of the slices */
export function prepareMessage(slices: readonly Uint8Array[], size: number): PreparedMessage {
  const headBytes = size < length16 ? 2 : size <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(headBytes + size);
  frame[0] = finalBinary;
  if (headBytes === 2) frame[1] = size;
  else if (headBytes === 4) {
    frame[1] = length16;
    frame.writeUInt16BE(size, 2);
  } else {
    frame[1] = length64;
    frame.writeUInt32BE(Math.floor(size / 2 ** 32), 2);
    frame.writeUInt32BE(size % 2 ** 32, 6);
  }
  let at = headBytes;
  for (const slice of slices) {
    frame.set(slice, at);
    at += slice.length;
  }
  return { frame, payload: frame.subarray(headBytes) };
}
