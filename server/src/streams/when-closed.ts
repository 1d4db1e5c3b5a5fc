import type { WebSocket } from 'ws';

/** Calls `leave` once, when the socket is closed; a client that disconnected while it was admitted has left already. */
export function whenClosed(socket: WebSocket, leave: () => void): void {
  socket.once('close', leave);
  // No 'close' follows.
  if (socket.readyState === socket.CLOSED) leave();
}
