import type { WebSocket } from 'ws';
import type { Cancel, Clock } from '../base/clock.ts';

const pingPeriodMs = 15_000;

/**
 * Pings the other side and closes a connection that has not answered for two periods, whatever the network
 * reports. The returned function stops it.
 */
export function heartbeat(socket: WebSocket, clock: Clock): Cancel {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  return clock.every(pingPeriodMs, () => {
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  });
}
