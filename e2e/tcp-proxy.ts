import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A connection over loopback to a server behind a socket file, which can be cut and restored. */
export class TcpProxy {
  readonly #path: string;
  readonly #open = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get port(): number {
    return this.#port;
  }

  async mend(): Promise<void> {
    const server = createServer((local) => {
      const remote = connect(this.#path);
      for (const [from, to] of [
        [local, remote],
        [remote, local],
      ] as const) {
        this.#open.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#open.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Accepts no more connections, and closes the open ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }
}
