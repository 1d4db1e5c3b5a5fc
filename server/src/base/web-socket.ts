import type { ServerOptions, WebSocket } from 'ws';

/** Viewers send only pongs, close frames and, on a wall, the list of streams to show. */
const messageMaxBytes = 4_096;
/** Bytes buffered for one viewer; above it pings are not answered. */
const unreadPongsMaxBytes = 8 * 1024 * 1024;

/**
 * Of every WebSocket that this server accepts. One message per turn of the event loop: a megabyte of empty ones must not
 * all be answered in one turn. Pings are answered by `answerPings`.
 */
export const socketOptions = {
  maxPayload: messageMaxBytes,
  allowSynchronousEvents: false,
  autoPong: false,
} as const satisfies ServerOptions;

/** Answers pings only while the client reads the pongs: the library would buffer one for each. */
export function answerPings(socket: WebSocket): void {
  socket.on('ping', (data) => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < unreadPongsMaxBytes) socket.pong(data);
  });
}
