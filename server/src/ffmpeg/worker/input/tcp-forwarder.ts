import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '../../../base/fault.ts';

/** FFmpeg connects again to log in to some RTMP servers; more connections are a loop. */
const connectionsMax = 8;

/**
 * What FFmpeg connects to instead of a source whose protocol it implements itself (RTMP, RTSP): a loopback port
 * that leads only to the checked peer, whatever other addresses the peer names.
 */
export class TcpForwarder {
  /** Why the newest connection failed or was closed. */
  failure: Fault | undefined;
  readonly #connect: () => Promise<Socket>;
  readonly #filter: ((relay: TcpForwarder) => Duplex) | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  #connections = 0;

  /** `filter` creates, for each connection, the filter for the peer's bytes on their way to FFmpeg. */
  constructor(connect: () => Promise<Socket>, filter?: (relay: TcpForwarder) => Duplex) {
    this.#connect = connect;
    this.#filter = filter;
    this.#server = createServer({ allowHalfOpen: false }, (socket) => void this.#take(socket));
  }

  /** Starts listening; resolves with the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection. Idempotent. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #take(socket: Socket): Promise<void> {
    this.#hold(socket);
    if (++this.#connections > connectionsMax) {
      this.failure ??= new Fault('ProbeError', 'The source keeps requesting new connections.');
      socket.destroy();
      return;
    }
    try {
      const upstream = await this.#connect();
      this.#hold(upstream);
      if (socket.destroyed) {
        upstream.destroy();
        return;
      }
      this.#join(socket, upstream);
    } catch (error) {
      this.failure =
        error instanceof Fault
          ? error
          : new Fault('EHOSTUNREACH', 'The connection failed.', { cause: error });
      socket.destroy();
    }
  }

  #join(socket: Socket, upstream: Socket): void {
    const filter = this.#filter?.(this);
    if (filter) {
      this.#hold(filter);
      filter.once('close', () => {
        upstream.destroy();
        socket.end();
      });
      upstream.pipe(filter).pipe(socket);
    } else upstream.pipe(socket);
    socket.pipe(upstream);
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => (filter ? filter.end() : socket.end()));
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Either side may disappear at any time; the other one sees its stream end.
    socket.on('error', () => socket.destroy());
  }
}
