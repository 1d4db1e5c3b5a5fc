import type { WebSocket } from 'ws';

/**
 * Calls `leave` once, when the socket is closed; a client that disconnected while being admitted has already
 * left.
 */
export function whenClosed(socket: WebSocket, leave: () => void): void {
  socket.once('close', leave);
  // No 'close' event will follow.
  if (socket.readyState === socket.CLOSED) leave();
}
